"""Claims whose worker vanished."""

from __future__ import annotations

import asyncio
from uuid import UUID

import asyncpg
import pytest
from tests.integration.dispatcher.conftest import Ground
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.work import Claim, LostClaim
from skillnet_dispatcher.loops.reap import Reap


async def claimed(pipeline: Pipeline) -> Claim:
    (message,) = await pipeline.due()
    claim = await pipeline.table.claim(message)
    assert claim is not None
    return claim


async def expire(ground: Ground, org_id: UUID) -> None:
    async with ground.service.tenant(org_id) as connection:
        await connection.execute("UPDATE work SET lease_until = now() - interval '1 ms' WHERE state = 'claimed'")


async def test_a_claim_within_its_lease_is_left_alone(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    claim = await claimed(pipeline)
    await Reap(ground.dispatcher, max_attempts=5).step()
    assert await pipeline.complete(claim) == "done"


async def test_an_expired_claim_waits_again_and_its_late_result_is_dropped(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    late = await claimed(pipeline)
    await expire(ground, pipeline.org_id)
    await Reap(ground.dispatcher, max_attempts=5).step()
    (row,) = await ground.work(pipeline.org_id)
    assert (row["state"], row["attempts"]) == ("waiting", 1)
    other = await claimed(pipeline)
    with pytest.raises(LostClaim):
        await pipeline.table.renew(late)
    assert await pipeline.complete(late) == "dropped"
    assert await pipeline.complete(other) == "done"


async def test_given_up_work_fails_its_version_and_the_live_one_keeps_serving(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=1)
    reap = Reap(ground.dispatcher, max_attempts=2)
    await pipeline.upload("manual", "good text")
    await pipeline.drain()
    result = await pipeline.upload("manual", "text that kills its parser")
    for _ in range(2):
        await claimed(pipeline)
        await expire(ground, pipeline.org_id)
        await reap.step()
    assert await pipeline.due() == []
    async with ground.service.tenant(pipeline.org_id) as connection:
        version = await connection.fetchrow("SELECT * FROM document_versions WHERE version = $1", result.version)
        document = await connection.fetchrow("SELECT * FROM documents")
        events = await connection.fetch("SELECT type, payload FROM outbox ORDER BY outbox_seq")
    (*_, work) = await ground.work(pipeline.org_id)
    assert version is not None
    assert document is not None
    assert work["state"] == "quarantined"
    assert (version["state"], version["error_code"], version["error_stage"]) == (
        "failed",
        "attempts_exhausted",
        "parse",
    )
    assert (document["live_version"], document["processing_status"]) == (1, "ready")
    assert [event["type"] for event in events] == ["document.updated", "document.failed"]
    assert events[-1]["payload"]["code"] == "attempts_exhausted"


async def test_given_up_work_of_a_first_version_fails_the_document(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    await claimed(pipeline)
    await expire(ground, pipeline.org_id)
    await Reap(ground.dispatcher, max_attempts=1).step()
    async with ground.service.tenant(pipeline.org_id) as connection:
        assert await connection.fetchval("SELECT processing_status FROM documents") == "failed"


async def test_giving_up_locks_the_version_before_its_work(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    await claimed(pipeline)
    await expire(ground, pipeline.org_id)
    async with ground.service.tenant(pipeline.org_id) as holder:
        await holder.execute("SELECT FROM document_versions FOR UPDATE")
        giving_up = asyncio.create_task(Reap(ground.dispatcher, max_attempts=1).step())
        await somebody_waits_for_a_lock(ground)
        async with ground.service.tenant(pipeline.org_id) as connection:
            assert len(await connection.fetch("SELECT work_id FROM work FOR UPDATE SKIP LOCKED")) == 1
    await giving_up
    (row,) = await ground.work(pipeline.org_id)
    assert row["state"] == "quarantined"


async def somebody_waits_for_a_lock(ground: Ground) -> None:
    admin = await asyncpg.connect(ground.urls.admin)
    try:
        for _ in range(200):
            if await admin.fetchval(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            ):
                return
            await asyncio.sleep(0.02)
    finally:
        await admin.close()
    raise TimeoutError("nobody waits")
