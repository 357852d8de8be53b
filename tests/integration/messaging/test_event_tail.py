"""`skillnet events tail` against a real bus: where it begins, and what it outlives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.conftest import TEST_MODEL
from tests.integration.messaging.conftest import settings_for

from skillnet_cli import event_tail as event_tail_module
from skillnet_cli.bus import bus_connection
from skillnet_cli.event_tail import Event, Start, Tail
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.topology import ensure_topology

ORG, ONE, OTHER = uuid4(), uuid4(), uuid4()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_tail_module, "_FETCH_SECONDS", 0.3)
    monkeypatch.setattr(event_tail_module, "_PAUSE_SECONDS", 0.05)


@pytest.fixture
async def bus(mortal_nats: EmbeddedNats) -> AsyncIterator[Bus]:
    """The administrator of a server of the test's own, with its streams."""
    connected = await Bus.connect(settings_for(mortal_nats, "admin"), "test")
    await ensure_topology(connected.jetstream, [str(TEST_MODEL["slug"])])
    yield connected
    await connected.close()


async def send(bus: Bus, number: int, *, kind: str = "document.updated", document: UUID = ONE, age: int = 0) -> str:
    """An event with this number as its title; its id."""
    event_id = str(uuid4())
    occurred = (datetime.now(UTC) - timedelta(hours=age)).isoformat()
    body = {"document_id": str(document), "title": str(number), "occurred_at": occurred}
    await bus.jetstream.publish(
        f"{kind}.{ORG}.{document}",
        json.dumps(body).encode(),
        headers={"Nats-Msg-Id": event_id, "ce-id": event_id, "ce-type": kind, "ce-time": occurred},
    )
    return event_id


class Listener:
    """A tail that runs beside the test."""

    def __init__(self) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self.told: list[str] = []

    async def titles(self, count: int, *, seconds: float = 15) -> list[int]:
        async with asyncio.timeout(seconds):
            return [int((await self.events.get()).data["title"]) for _ in range(count)]

    async def hears_nothing(self) -> None:
        await asyncio.sleep(0.5)
        assert self.events.empty()


@asynccontextmanager
async def tailing(server: EmbeddedNats, start: Start, **options: Any) -> AsyncIterator[Listener]:
    """As the subscriber, who may not look into streams."""
    user = server.users["subscriber"]
    access = {"NATS_URL": server.url, "NATS_USER": user.name, "NATS_PASSWORD": user.password}
    listener = Listener()
    async with bus_connection(access, reconnect=True) as client:

        async def listen() -> None:
            async for event in Tail(client, start, listener.told.append, **options).events():
                await listener.events.put(event)

        task = asyncio.create_task(listen())
        try:
            yield listener
            if task.done():
                task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_where_it_begins(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    ids = [await send(bus, number) for number in range(5)]
    last_hour = datetime.now(UTC) - timedelta(hours=1)
    for start, expected in (
        (Start(oldest=True), [0, 1, 2, 3, 4]),
        (Start(moment=last_hour), [0, 1, 2, 3, 4]),
        (Start(sequence=0), [0, 1, 2, 3, 4]),
        (Start(sequence=3), [3, 4]),
        (Start(event_id=UUID(ids[1])), [2, 3, 4]),
    ):
        async with tailing(mortal_nats, start) as listener:
            assert await listener.titles(len(expected)) == expected, start


async def test_what_comes(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    await send(bus, 0)
    last = await send(bus, 1)
    for start in (Start(), Start(sequence=2), Start(event_id=UUID(last))):
        async with tailing(mortal_nats, start) as listener:
            await listener.hears_nothing()
            await send(bus, 9)
            assert await listener.titles(1) == [9], start
        stream = await bus.jetstream.stream_info(subjects.EVENT_STREAM)
        await bus.jetstream.delete_msg(subjects.EVENT_STREAM, stream.state.last_seq)


async def test_an_event_that_is_not_there(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    for _ in range(2):  # of an empty stream, and of one that holds others
        with pytest.raises(SkillnetError) as refused:
            async with tailing(mortal_nats, Start(event_id=uuid4())):
                await asyncio.sleep(1)
        assert refused.value.code == ErrorCode.NOT_FOUND
        await send(bus, 1)


async def test_only_the_kinds_and_the_document_asked_for(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    await send(bus, 0)
    await send(bus, 1, kind="document.failed")
    await send(bus, 2, kind="document.failed", document=OTHER)
    await send(bus, 3, kind="document.deleted")
    async with tailing(mortal_nats, Start(oldest=True), kinds=["document.failed", "document.deleted"]) as listener:
        assert await listener.titles(3) == [1, 2, 3]
    async with tailing(mortal_nats, Start(oldest=True), document_id=ONE) as listener:
        assert await listener.titles(3) == [0, 1, 3]
    async with tailing(mortal_nats, Start(oldest=True), kinds=["document.failed"], document_id=OTHER) as listener:
        assert await listener.titles(1) == [2]
        await listener.hears_nothing()


async def test_more_events_than_a_batch_in_order_and_at_once(
    bus: Bus, mortal_nats: EmbeddedNats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_tail_module, "_BATCH", 7)
    for number in range(30):
        await send(bus, number)
    async with tailing(mortal_nats, Start(oldest=True)) as listener:
        assert await listener.titles(30) == list(range(30))
        for number in range(3):
            await send(bus, number)
            assert await listener.titles(1, seconds=3) == [number], "it is shown at once"


async def test_a_restart_of_the_bus_leaves_nothing_out(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    await send(bus, 0)
    async with tailing(mortal_nats, Start()) as listener:
        await asyncio.sleep(0.3)
        await send(bus, 1)
        assert await listener.titles(1) == [1]
        await asyncio.to_thread(mortal_nats.stop)
        await asyncio.to_thread(mortal_nats.start)
        async with asyncio.timeout(20):
            while not bus.client.is_connected:  # noqa: ASYNC110 - the client's state
                await asyncio.sleep(0.05)
        for number in (2, 3):
            await send(bus, number)
        assert await listener.titles(2) == [2, 3]
        await listener.hears_nothing()


async def test_a_stream_made_anew_is_read_without_what_is_old(bus: Bus, mortal_nats: EmbeddedNats) -> None:
    async with tailing(mortal_nats, Start()) as listener:
        await asyncio.sleep(0.3)
        for number in range(3):
            await send(bus, number)
        assert await listener.titles(3) == [0, 1, 2]
        await bus.jetstream.delete_stream(subjects.EVENT_STREAM)
        await ensure_topology(bus.jetstream, [str(TEST_MODEL["slug"])])
        await send(bus, 7, age=2)  # of the refill: it happened before the tail began
        await send(bus, 8)
        assert await listener.titles(1) == [8]
        await listener.hears_nothing()
    assert any("anew" in sentence for sentence in listener.told)
