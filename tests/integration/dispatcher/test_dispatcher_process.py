"""The dispatcher as it runs: two processes, one of which leads, on servers that come and go."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from nats.aio.msg import Msg
from tests.integration.dispatcher.conftest import SLUG, Ground
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_cli.local.ports import free_port
from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import WorkMessage
from skillnet_common.messaging.worker import PullWorker

DOCUMENTS = 30


@dataclass
class Dispatcher:
    process: asyncio.subprocess.Process
    port: int

    async def get(self, path: str) -> tuple[int, str]:
        return await asyncio.to_thread(self._get, path)

    def _get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=20) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return 0, ""

    async def ready(self) -> bool:
        return (await self.get("/readyz"))[0] == 200

    async def leads(self) -> bool:
        return "skillnet_dispatcher_leader 1.0" in (await self.get("/metrics"))[1]


@asynccontextmanager
async def dispatcher(ground: Ground, folder: Path) -> AsyncIterator[Dispatcher]:
    port = free_port()
    with (folder / f"{port}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "skillnet_dispatcher",
            env={
                **os.environ,
                "DATABASE_URL": ground.urls.dispatcher,
                "NATS_URL": ground.nats.url_for("dispatcher"),
                "NATS_USER": "dispatcher",
                "OBJECT_STORE_URL": f"file://{folder}/objects",
                "OPS_PORT": str(port),
            },
            stderr=log,
        )
    try:
        yield Dispatcher(process, port)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110 - a condition of several processes
            await asyncio.sleep(0.05)


@asynccontextmanager
async def workers(ground: Ground, pipeline: Pipeline) -> AsyncIterator[None]:
    """One worker a stage, taking its work from the bus."""

    async def handler(message: Msg) -> None:
        await asyncio.sleep(0.01)
        await pipeline.deliver(WorkMessage.model_validate_json(message.data))

    running = [
        PullWorker(ground.admin.jetstream, stream=subjects.WORK_STREAM, durable=durable, handler=handler, slots=2)
        for durable in ("parser", "chunker", f"embedder-{SLUG}")
    ]
    tasks = [asyncio.create_task(worker.run()) for worker in running]
    try:
        yield
    finally:
        for worker in running:
            worker.stop()
        await asyncio.wait_for(asyncio.gather(*tasks), timeout=10)


async def test_nothing_is_lost_by_kill_9_of_the_leader_and_of_the_server(ground: Ground, tmp_path: Path) -> None:
    pipeline = await ground.pipeline(chunks=3)
    async with AsyncExitStack() as stack:
        both = [await stack.enter_async_context(dispatcher(ground, tmp_path)) for _ in range(2)]
        for one in both:
            await until(one.ready)
        leader, spare = both if await both[0].leads() else reversed(both)
        await stack.enter_async_context(workers(ground, pipeline))
        for number in range(DOCUMENTS):
            await pipeline.upload(f"document {number}", f"text {number}")

        async def live(count: int) -> bool:
            async with ground.service.tenant(pipeline.org_id) as connection:
                ready = await connection.fetchval("SELECT count(*) FROM documents WHERE live_version = 1")
            return int(ready) >= count

        await until(lambda: live(3))
        leader.process.send_signal(signal.SIGKILL)
        await until(lambda: live(10))
        assert await spare.leads()
        await asyncio.to_thread(ground.nats.kill)
        await asyncio.to_thread(ground.nats.start)
        await until(lambda: live(DOCUMENTS))
        await until(lambda: all_sent(ground))
        spare.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(spare.process.wait(), timeout=10) == 0
    observer = Observer(ground.service, pipeline.org_id)
    await observer.look()
    await observer.check_settled()
    assert await events_of(ground) == Counter({f"document {number}": 1 for number in range(DOCUMENTS)})


async def test_a_wiped_bus_is_made_again_and_loses_no_document(ground: Ground, tmp_path: Path) -> None:
    pipeline = await ground.pipeline(chunks=2)
    async with dispatcher(ground, tmp_path) as one:
        await until(one.ready)
        await until(one.leads)
        for number in range(5):
            await pipeline.upload(f"document {number}", f"text {number}")
        await until(lambda: released(ground, pipeline))
        for stream in (subjects.WORK_STREAM, subjects.EVENT_STREAM, subjects.QUARANTINE_STREAM):
            await ground.admin.jetstream.delete_stream(stream)

        async def back() -> bool:
            status, _ = await one.get("/readyz")
            return status == 200 and len(await ground.admin.jetstream.streams_info()) == 3

        await until(back)
        async with workers(ground, pipeline):
            await until(lambda: all_live(ground, pipeline))
        await until(lambda: all_sent(ground))
    assert sum((await events_of(ground)).values()) == 5


async def released(ground: Ground, pipeline: Pipeline) -> bool:
    return {row["state"] for row in await ground.work(pipeline.org_id, "state")} == {"released"}


async def all_live(ground: Ground, pipeline: Pipeline) -> bool:
    async with ground.service.tenant(pipeline.org_id) as connection:
        return bool(await connection.fetchval("SELECT bool_and(live_version IS NOT NULL) FROM documents"))


async def all_sent(ground: Ground) -> bool:
    async with ground.dispatcher.system() as connection:
        return bool(await connection.fetchval("SELECT NOT EXISTS (SELECT FROM outbox WHERE sent_at IS NULL)"))


async def events_of(ground: Ground) -> Counter[str]:
    """How many events of each document are in the stream."""
    state = (await ground.admin.jetstream.stream_info(subjects.EVENT_STREAM)).state
    found: Counter[str] = Counter()
    for seq in range(state.first_seq, state.last_seq + 1):
        message = await ground.admin.jetstream.get_msg(subjects.EVENT_STREAM, seq)
        assert message.data is not None
        found[json.loads(message.data)["external_key"]] += 1
    return found
