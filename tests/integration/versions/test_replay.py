"""Work that was given up is replayed: alone, twice, beside a delete, a newer upload and the clean-up."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions import Replayed, replay_work
from skillnet_dispatcher.loops.archive import Archive

STAGES = {Stage.PARSE: 0, Stage.CHUNK: 1, Stage.EMBED: 2}
"""How many deliveries come before the stage's work."""


@pytest.fixture
def pipeline(database: Database, org: UUID) -> Pipeline:
    return Pipeline(database, org, chunks=3)


async def rows(pipeline: Pipeline, query: str) -> list[asyncpg.Record]:
    async with pipeline.database.tenant(pipeline.org_id) as connection:
        found: list[asyncpg.Record] = await connection.fetch(query)
        return found


async def given_up(pipeline: Pipeline, stage: Stage, *, content: str = "text", done: int = 0) -> UUID:
    """Uploads, and gives up the work of the stage after `done` more deliveries; the id of that work."""
    result = await pipeline.upload("manual", content)
    for _ in range(STAGES[stage] + done):
        await pipeline.deliver((await pipeline.due(result.document_id))[0])
    claim = await pipeline.table.claim((await pipeline.due(result.document_id))[0])
    assert claim is not None
    assert claim.stage is stage
    return await pipeline.give_up(claim)


async def replay(pipeline: Pipeline, work_id: UUID) -> Replayed:
    async with pipeline.database.tenant(pipeline.org_id) as connection:
        return await replay_work(connection, pipeline.org_id, work_id)


async def check_live_with_one_event(pipeline: Pipeline, version: int) -> None:
    (document,) = await rows(pipeline, "SELECT * FROM documents")
    assert (document["live_version"], document["processing_status"]) == (version, "ready")
    events = await rows(pipeline, "SELECT version FROM outbox WHERE type = 'document.updated'")
    assert [event["version"] for event in events].count(version) == 1
    observer = Observer(pipeline.database, pipeline.org_id)
    await observer.look()
    await observer.check_events()
    await observer.check_settled()


@pytest.mark.parametrize(("stage", "done"), [(Stage.PARSE, 0), (Stage.CHUNK, 0), (Stage.EMBED, 0), (Stage.EMBED, 2)])
async def test_a_replay_goes_on_from_the_stage_that_failed(pipeline: Pipeline, stage: Stage, done: int) -> None:
    work_id = await given_up(pipeline, stage, done=done)
    (failed,) = await rows(pipeline, "SELECT * FROM documents")
    assert failed["processing_status"] == "failed"
    replayed = await replay(pipeline, work_id)
    assert (replayed.version, replayed.stage) == (1, stage)
    (document,) = await rows(pipeline, "SELECT * FROM documents")
    assert document["processing_status"] == "processing"
    (version,) = await rows(pipeline, "SELECT * FROM document_versions")
    assert (version["error_code"], version["error_stage"], version["ended_at"]) == (None, None, None)
    waiting = await rows(pipeline, "SELECT attempts, last_error FROM work WHERE state = 'waiting'")
    assert {(row["attempts"], row["last_error"]) for row in waiting} == {(0, None)}
    assert len(waiting) == (3 - done if stage is Stage.EMBED else 1)
    await pipeline.drain()
    await check_live_with_one_event(pipeline, 1)


async def test_a_second_replay_is_refused_even_at_the_same_time(pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, Stage.EMBED)
    results = await asyncio.gather(*(replay(pipeline, work_id) for _ in range(6)), return_exceptions=True)
    faults = [one.code for one in results if isinstance(one, RequestError)]
    assert faults == [ErrorCode.NOT_QUARANTINED] * 5
    await pipeline.drain()
    await check_live_with_one_event(pipeline, 1)
    with pytest.raises(RequestError) as refused:
        await replay(pipeline, work_id)
    assert refused.value.code == ErrorCode.NOT_QUARANTINED


async def test_work_given_up_again_can_be_replayed_again(pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, Stage.PARSE)
    await replay(pipeline, work_id)
    claim = await pipeline.table.claim((await pipeline.due())[0])
    assert claim is not None
    assert claim.attempt == 1
    assert await pipeline.give_up(claim, "again") == work_id
    await replay(pipeline, work_id)
    await pipeline.drain()
    await check_live_with_one_event(pipeline, 1)


async def test_an_outrun_version_is_not_replayed(pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, Stage.EMBED)
    await pipeline.upload("manual", "newer")
    await pipeline.drain()
    with pytest.raises(RequestError) as refused:
        await replay(pipeline, work_id)
    assert refused.value.code == ErrorCode.VERSION_OUTRUN
    await check_live_with_one_event(pipeline, 2)


async def test_a_deleted_version_stays_deleted_when_its_document_comes_back(pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, Stage.EMBED)
    (document,) = await rows(pipeline, "SELECT document_id FROM documents")
    await pipeline.delete(document["document_id"])
    for _ in range(2):
        with pytest.raises(RequestError) as refused:
            await replay(pipeline, work_id)
        assert refused.value.code == ErrorCode.NOT_FOUND
        await pipeline.upload("manual", "newer")


async def test_another_tenant_cannot_replay(pipeline: Pipeline, other_org: UUID) -> None:
    work_id = await given_up(pipeline, Stage.PARSE)
    async with pipeline.database.tenant(other_org) as connection:
        with pytest.raises(RequestError) as refused:
            await replay_work(connection, other_org, work_id)
    assert refused.value.code == ErrorCode.NOT_FOUND


async def test_a_live_version_stays_ready_while_a_newer_one_is_replayed(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "first")
    await pipeline.drain()
    work_id = await given_up(pipeline, Stage.CHUNK, content="second")
    await replay(pipeline, work_id)
    (document,) = await rows(pipeline, "SELECT * FROM documents")
    assert (document["live_version"], document["processing_status"]) == (1, "ready")
    await pipeline.drain()
    await check_live_with_one_event(pipeline, 2)


async def test_archived_vectors_come_back(pipeline: Pipeline, dispatcher_database: Database) -> None:
    work_id = await given_up(pipeline, Stage.EMBED, done=2)
    while await Archive(dispatcher_database).step():
        pass
    assert len(await rows(pipeline, "SELECT 1 FROM chunk_embeddings_archive")) == 2
    replayed = await replay(pipeline, work_id)
    assert replayed.stage is Stage.EMBED
    assert len(await rows(pipeline, "SELECT 1 FROM chunk_embeddings")) == 2
    assert await rows(pipeline, "SELECT 1 FROM chunk_postings"), "words of the version can be found again"
    await pipeline.drain()
    await check_live_with_one_event(pipeline, 1)
    assert not await rows(pipeline, "SELECT 1 FROM document_versions WHERE archived_at IS NOT NULL")


@pytest.mark.parametrize("damage", ["a chunk was cleaned up", "another model serves"])
async def test_what_is_no_longer_whole_begins_anew(pipeline: Pipeline, database_urls: Any, damage: str) -> None:
    work_id = await given_up(pipeline, Stage.EMBED, done=1)
    connection = await asyncpg.connect(database_urls.admin, server_settings={"search_path": "skillnet, public"})
    try:
        if damage == "a chunk was cleaned up":
            await connection.execute(
                "DELETE FROM skillnet.document_chunks WHERE org_id = $1 AND chunk_index = 1", pipeline.org_id
            )
        else:
            # As if the work had been made for a model that served before.
            await connection.execute(
                "WITH old AS (INSERT INTO skillnet.embedding_models (slug, fingerprint, name, dimension, identity)"
                " VALUES ('old', 'old', 'old', 4, '{}') RETURNING model_id)"
                " UPDATE skillnet.work SET model_id = old.model_id FROM old WHERE org_id = $1 AND stage = 'embed'",
                pipeline.org_id,
            )
        replayed = await replay(pipeline, work_id)
        assert replayed.stage is Stage.PARSE
        (work,) = await rows(pipeline, "SELECT stage, state FROM work")
        assert (work["stage"], work["state"]) == ("parse", "waiting")
        assert not await rows(pipeline, "SELECT 1 FROM document_chunks")
        await pipeline.drain()
        await check_live_with_one_event(pipeline, 1)
    finally:
        await connection.execute("DELETE FROM skillnet.embedding_models WHERE slug = 'old'")
        await connection.close()


@pytest.mark.parametrize("stage", list(Stage))
@pytest.mark.parametrize("order", list(itertools.permutations(["replay", "upload", "delete"])), ids="-".join)
async def test_every_order_of_replay_upload_and_delete(
    pipeline: Pipeline, stage: Stage, order: tuple[str, ...]
) -> None:
    """Work is done between any two of them: what was deleted never comes back, what is newest wins."""
    work_id = await given_up(pipeline, stage)
    (document,) = await rows(pipeline, "SELECT document_id FROM documents")
    document_id = document["document_id"]
    observer = Observer(pipeline.database, pipeline.org_id)
    for step in order:
        match step:
            case "replay":
                await _replay_or_refuse(pipeline, work_id)
            case "upload":
                await pipeline.upload("manual", "newer")
            case "delete":
                observer.deleted(document_id, await pipeline.delete(document_id))
        for message in (await pipeline.due())[:1]:
            await pipeline.deliver(message)
        await observer.look()
    await pipeline.drain()
    await observer.look()
    await observer.check_events()
    await observer.check_settled()


@pytest.mark.parametrize("other", ["upload", "delete", "archive", "replay"])
@pytest.mark.parametrize("stage", list(Stage))
async def test_replay_at_the_same_time(
    pipeline: Pipeline, dispatcher_database: Database, stage: Stage, other: str
) -> None:
    work_id = await given_up(pipeline, stage)
    (document,) = await rows(pipeline, "SELECT document_id FROM documents")
    others: dict[str, Any] = {
        "upload": lambda: pipeline.upload("manual", "newer"),
        "delete": lambda: pipeline.delete(document["document_id"]),
        "archive": lambda: Archive(dispatcher_database).step(),
        "replay": lambda: _replay_or_refuse(pipeline, work_id),
    }
    await asyncio.gather(_replay_or_refuse(pipeline, work_id), others[other](), pipeline.drain())
    await pipeline.drain()
    observer = Observer(pipeline.database, pipeline.org_id)
    await observer.look()
    await observer.check_events()
    await observer.check_settled()
    if other in {"archive", "replay"}:
        await check_live_with_one_event(pipeline, 1)


async def _replay_or_refuse(pipeline: Pipeline, work_id: UUID) -> None:
    try:
        await replay(pipeline, work_id)
    except RequestError as refused:
        if refused.code not in {ErrorCode.NOT_FOUND, ErrorCode.NOT_QUARANTINED, ErrorCode.VERSION_OUTRUN}:
            raise
