"""Workers: nothing is lost, nothing is burnt, nothing is held back from an idle neighbour."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from tests.integration.messaging.conftest import add_queue, left_in, settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.messaging import worker as worker_module
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.quarantine import Unreadable
from skillnet_common.messaging.worker import Handler, PullWorker


@asynccontextmanager
async def working(bus: Bus, stream: str, handler: Handler, slots: int = 1) -> AsyncIterator[PullWorker]:
    worker = PullWorker(bus.jetstream, stream=stream, durable="worker", handler=handler, slots=slots)
    task = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        worker.stop()
        await asyncio.wait_for(task, timeout=30)


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - a condition of several objects
            await asyncio.sleep(0.01)


async def test_each_message_is_handled_once_and_acknowledged(admin: Bus) -> None:
    stream, subject = await add_queue(admin)
    seen: Counter[bytes] = Counter()

    async def handler(message: Msg) -> None:
        seen[message.data] += 1

    for number in range(50):
        await admin.jetstream.publish(subject, str(number).encode())
    async with working(admin, stream, handler, slots=4):
        await until(lambda: len(seen) == 50)
    assert set(seen.values()) == {1}
    assert await left_in(admin, stream) == 0


async def test_a_fault_comes_again_after_a_pause_and_never_at_once(
    admin: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_module, "_REDELIVER_SECONDS", 0.4)
    stream, subject = await add_queue(admin)
    times: list[float] = []

    async def handler(_: Msg) -> None:
        times.append(time.monotonic())
        if len(times) < 4:
            raise RuntimeError("a passing fault")

    await admin.jetstream.publish(subject, b"x")
    async with working(admin, stream, handler, slots=2):
        await until(lambda: len(times) == 4)
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= 0.39
    assert await left_in(admin, stream) == 0


async def test_an_unreadable_message_goes_to_quarantine_once(admin: Bus, nats_server: EmbeddedNats) -> None:
    stream, subject = await add_queue(admin)
    handled = 0

    async def handler(message: Msg) -> None:
        nonlocal handled
        handled += 1
        if message.data == b"garbage":
            raise Unreadable("no such\r\nform: ñ")

    await admin.jetstream.publish(subject, b"garbage")
    await admin.jetstream.publish(subject, b"fine")
    async with working(admin, stream, handler):
        await until(lambda: handled == 2)
    assert await left_in(admin, stream) == 0
    copy = await admin.jetstream.get_last_msg(subjects.QUARANTINE_STREAM, subjects.quarantine(stream))
    assert copy.data == b"garbage"
    assert copy.headers is not None
    assert copy.headers["Skillnet-Subject"] == subject
    assert copy.headers["Skillnet-Reason"] == "no such form: ?"
    assert copy.headers["Skillnet-Sequence"] == "1"


async def test_a_message_that_cannot_be_copied_is_not_dropped(admin: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise NatsError

    monkeypatch.setattr(worker_module, "quarantine", away)
    monkeypatch.setattr(worker_module, "_REDELIVER_SECONDS", 0.1)
    stream, subject = await add_queue(admin)
    handled = 0

    async def handler(_: Msg) -> None:
        nonlocal handled
        handled += 1
        raise Unreadable("garbage")

    await admin.jetstream.publish(subject, b"garbage")
    async with working(admin, stream, handler):
        await until(lambda: handled >= 2)
    assert await left_in(admin, stream) == 1


async def test_long_work_is_kept_alive(admin: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_module, "ACK_WAIT_SECONDS", 2)
    stream, subject = await add_queue(admin, ack_wait=2)
    handled = 0

    async def handler(_: Msg) -> None:
        nonlocal handled
        handled += 1
        await asyncio.sleep(4.5)

    await admin.jetstream.publish(subject, b"x")
    async with working(admin, stream, handler, slots=2):
        await asyncio.sleep(5)
    assert handled == 1
    assert await left_in(admin, stream) == 0


async def test_what_a_dead_worker_held_comes_to_another(admin: Bus, nats_server: EmbeddedNats) -> None:
    stream, subject = await add_queue(admin, ack_wait=0.5)
    doomed = await Bus.connect(settings_for(nats_server, "admin"), "doomed")
    subscription = await doomed.jetstream.pull_subscribe_bind("worker", stream)
    await admin.jetstream.publish(subject, b"x")
    assert len(await subscription.fetch(1, timeout=20)) == 1
    await doomed.close()  # neither acknowledged nor refused
    deliveries: list[int] = []

    async def handler(message: Msg) -> None:
        deliveries.append(message.metadata.num_delivered)

    async with working(admin, stream, handler):
        await until(lambda: deliveries == [2])
    assert await left_in(admin, stream) == 0


async def test_a_busy_worker_holds_nothing_that_an_idle_one_could_do(admin: Bus, nats_server: EmbeddedNats) -> None:
    stream, subject = await add_queue(admin)
    stuck, free = asyncio.Event(), asyncio.Event()
    done: list[bytes] = []

    async def slow(message: Msg) -> None:
        stuck.set()
        await free.wait()
        done.append(message.data)

    async def fast(message: Msg) -> None:
        done.append(message.data)

    async with working(admin, stream, slow):
        await admin.jetstream.publish(subject, b"long")
        await asyncio.wait_for(stuck.wait(), timeout=20)
        for number in range(5):
            await admin.jetstream.publish(subject, str(number).encode())
        async with working(admin, stream, fast):
            await until(lambda: len(done) == 5)
        free.set()
    assert sorted(done) == [b"0", b"1", b"2", b"3", b"4", b"long"]
    assert await left_in(admin, stream) == 0


async def test_a_stop_ends_what_is_under_way_and_leaves_the_rest_untouched(admin: Bus) -> None:
    stream, subject = await add_queue(admin)
    started = asyncio.Event()
    done: list[bytes] = []

    async def handler(message: Msg) -> None:
        started.set()
        await asyncio.sleep(0.3)
        done.append(message.data)

    for number in range(5):
        await admin.jetstream.publish(subject, str(number).encode())
    async with working(admin, stream, handler):
        await started.wait()
    assert done == [b"0"]
    assert await left_in(admin, stream) == 4
    info = await admin.jetstream.consumer_info(stream, "worker")
    assert info.num_ack_pending == 0


async def test_nothing_is_lost_by_kill_9_of_the_server(mortal_nats: EmbeddedNats) -> None:
    bus = await Bus.connect(settings_for(mortal_nats, "admin"), "survivor")
    stream, subject = await add_queue(bus, ack_wait=1)
    seen: Counter[bytes] = Counter()

    async def handler(message: Msg) -> None:
        await asyncio.sleep(0.005)
        seen[message.data] += 1

    acknowledged = [str(number).encode() for number in range(300)]
    await asyncio.gather(*(bus.jetstream.publish(subject, body) for body in acknowledged))
    async with working(bus, stream, handler, slots=2):
        await until(lambda: len(seen) > 50)
        await asyncio.to_thread(mortal_nats.kill)
        await asyncio.to_thread(mortal_nats.start)
        await until(lambda: len(seen) == 300)
    assert set(seen) == set(acknowledged)
    assert sum(seen.values()) <= 304, "redelivered is only what was in hand"
    assert await left_in(bus, stream) == 0
    await bus.close()


async def test_a_worker_outlives_the_loss_of_its_stream(admin: Bus) -> None:
    stream, subject = await add_queue(admin)
    seen: list[bytes] = []

    async def handler(message: Msg) -> None:
        seen.append(message.data)

    async with working(admin, stream, handler):
        await admin.jetstream.publish(subject, b"before")
        await until(lambda: seen == [b"before"])
        config = (await admin.jetstream.stream_info(stream)).config
        consumer = (await admin.jetstream.consumer_info(stream, "worker")).config
        await admin.jetstream.delete_stream(stream)
        await asyncio.sleep(0.3)
        await admin.jetstream.add_stream(config)
        await admin.jetstream.add_consumer(stream, consumer)
        await admin.jetstream.publish(subject, b"after")
        await until(lambda: seen == [b"before", b"after"])
