"""The whole way with a real dispatcher: workers vanish, work is given up, the cause is mended, it is replayed."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from nats.aio.msg import Msg
from tests.integration.dispatcher.conftest import SLUG, Ground
from tests.integration.dispatcher.test_dispatcher_process import all_live, all_sent, dispatcher, until, workers
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.messaging import worker as puller_module
from skillnet_common.messaging.worker import PullWorker
from skillnet_common.versions import replay_work

BATCHES = 4


@asynccontextmanager
async def embedder_that_vanishes(ground: Ground, pipeline: Pipeline, *, after: int) -> AsyncIterator[None]:
    """It embeds so many batches; of every other one it claims, nothing is heard again."""
    done = 0

    async def handler(message: Msg) -> None:
        nonlocal done
        claim = await pipeline.table.claim(WorkMessage.model_validate_json(message.data))
        if claim is not None and done < after:
            done += 1
            await pipeline.complete(claim)

    js = ground.admin.jetstream
    broken = PullWorker(js, stream=subjects.WORK_STREAM, durable=f"embedder-{SLUG}", handler=handler, slots=1)
    task = asyncio.create_task(broken.run())
    try:
        yield
    finally:
        broken.stop()
        await asyncio.wait_for(task, 10)


async def test_given_up_work_goes_live_once_it_is_replayed(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"WORK_MAX_ATTEMPTS": "2", "REAP_SECONDS": "0.1", "CLEANUP_SECONDS": "0.2"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(puller_module, "_FETCH_SECONDS", 0.2)
    pipeline = await ground.pipeline(chunks=BATCHES, lease_seconds=0.3)
    async with dispatcher(ground, tmp_path) as process:
        await until(process.leads)
        result = await pipeline.upload("manual", "text")
        for _ in (Stage.PARSE, Stage.CHUNK):
            await pipeline.deliver((await pipeline.due(result.document_id))[0])
        async with embedder_that_vanishes(ground, pipeline, after=1):
            await until(lambda: archived(ground, pipeline))
        (given_up,) = [row for row in await ground.work(pipeline.org_id) if row["state"] == "quarantined"]
        assert (given_up["stage"], given_up["attempts"]) == ("embed", 2)
        async with ground.service.tenant(pipeline.org_id) as connection:
            replayed = await replay_work(connection, pipeline.org_id, UUID(str(given_up["work_id"])))
        assert replayed.stage is Stage.EMBED, "what was embedded before was kept"
        async with workers(ground, Pipeline(ground.service, pipeline.org_id, chunks=BATCHES)):
            await until(lambda: all_live(ground, pipeline))
        await until(lambda: all_sent(ground))
    observer = Observer(ground.service, pipeline.org_id)
    await observer.look()
    await observer.check_settled()
    assert await kinds_of_events(ground) == Counter({"document.failed": 1, "document.updated": 1})


async def archived(ground: Ground, pipeline: Pipeline) -> bool:
    """The version has failed, and its vectors have left the table that searches read."""
    async with ground.service.tenant(pipeline.org_id) as connection:
        return bool(
            await connection.fetchval(
                "SELECT state = 'failed' AND archived_at IS NOT NULL"
                " AND EXISTS (SELECT FROM chunk_embeddings_archive) FROM document_versions"
            )
        )


async def kinds_of_events(ground: Ground) -> Counter[str]:
    js = ground.admin.jetstream
    state = (await js.stream_info(subjects.EVENT_STREAM)).state
    found: Counter[str] = Counter()
    for sequence in range(state.first_seq, state.last_seq + 1):
        message = await js.get_msg(subjects.EVENT_STREAM, sequence)
        assert json.loads(message.data or b"")["version"] == 1
        found[(message.headers or {})["ce-type"]] += 1
    return found
