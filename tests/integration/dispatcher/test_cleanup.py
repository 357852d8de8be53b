"""What is past its time goes, and nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest
from tests.integration.dispatcher.conftest import Ground
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.objects import Originals
from skillnet_common.versions import document_id_for, redo_document
from skillnet_dispatcher.loops import archive as archive_module
from skillnet_dispatcher.loops import cleanup as cleanup_module
from skillnet_dispatcher.loops.archive import Archive
from skillnet_dispatcher.loops.cleanup import Cleanup
from skillnet_dispatcher.loops.orphans import Orphans
from skillnet_dispatcher.settings import DispatcherSettings


@pytest.fixture
def originals(tmp_path: Path) -> Originals:
    return Originals(f"file://{tmp_path}/objects")


def cleanup_of(ground: Ground, originals: Originals, **settings: float) -> Cleanup:
    defaults: dict[str, float] = {"keep_versions": 3, "version_grace_hours": 0}
    return Cleanup(ground.dispatcher, originals, DispatcherSettings(**{**defaults, **settings}))  # type: ignore[arg-type]


async def publish_versions(pipeline: Pipeline, originals: Originals, count: int) -> UUID:
    """A document that was replaced `count - 1` times, with its originals in the store."""
    for number in range(count):
        stored = await originals.write(pipeline.org_id, _body(f"text {number}"), max_bytes=1_000)
        await pipeline.upload("manual", f"text {number}", object_key=stored.key)
        await pipeline.drain()
    return document_id_for(pipeline.org_id, "upload", "manual")


async def _body(text: str) -> AsyncIterator[bytes]:
    yield text.encode()


async def column(ground: Ground, org_id: UUID, query: str) -> list[object]:
    async with ground.service.tenant(org_id) as connection:
        return [row[0] for row in await connection.fetch(query)]


def objects_in(folder: Path) -> int:
    return sum(path.is_file() for path in (folder / "objects").rglob("*"))


LIVE_VECTORS = "SELECT version FROM chunk_embeddings ORDER BY version, chunk_id"
ARCHIVED_VECTORS = "SELECT version FROM chunk_embeddings_archive ORDER BY version, chunk_id"
DELETIONS = "SELECT object_key FROM object_deletions"
VERSIONS = "SELECT version FROM document_versions ORDER BY version"


async def test_vectors_and_postings_of_ended_versions_leave_the_searched_tables(
    ground: Ground, originals: Originals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_module, "_VECTORS", 2)  # several small steps
    pipeline = await ground.pipeline(chunks=5)
    document_id = await publish_versions(pipeline, originals, 2)
    async with ground.service.tenant(pipeline.org_id) as connection:
        for version in (1, 2):
            await connection.execute("SELECT index_chunks($1, $2, $3)", pipeline.org_id, document_id, version)
    await Archive(ground.dispatcher).step()
    assert await column(ground, pipeline.org_id, LIVE_VECTORS) == [2] * 5
    assert await column(ground, pipeline.org_id, ARCHIVED_VECTORS) == [1] * 5
    assert await column(ground, pipeline.org_id, "SELECT DISTINCT version FROM chunk_postings") == [2]
    await Observer(ground.service, pipeline.org_id).look()
    assert await Archive(ground.dispatcher).step() is False


async def test_a_cancelled_version_is_archived_with_the_vectors_it_had(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=3)
    result = await pipeline.upload("manual", "text")
    for _ in range(3):  # parse, chunk, the first of three batches
        await pipeline.deliver((await pipeline.due())[0])
    await Archive(ground.dispatcher).step()
    assert await column(ground, pipeline.org_id, LIVE_VECTORS) == [1], "a version under way is left alone"
    await pipeline.cancel(result.document_id, 1)
    await Archive(ground.dispatcher).step()
    assert await column(ground, pipeline.org_id, LIVE_VECTORS) == []
    assert await column(ground, pipeline.org_id, ARCHIVED_VECTORS) == [1]


async def test_the_last_versions_are_kept_and_older_ones_go_with_their_originals(
    ground: Ground, originals: Originals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup_module, "_CHUNKS", 2)
    pipeline = await ground.pipeline(chunks=5)
    await publish_versions(pipeline, originals, 7)
    await Archive(ground.dispatcher).step()
    await cleanup_of(ground, originals, version_grace_hours=1).step()
    assert await column(ground, pipeline.org_id, VERSIONS) == [1, 2, 3, 4, 5, 6, 7], "within the grace"
    await cleanup_of(ground, originals).step()
    assert await column(ground, pipeline.org_id, VERSIONS) == [4, 5, 6, 7]
    assert await column(ground, pipeline.org_id, "SELECT count(*) FROM document_chunks") == [20]
    assert await column(ground, pipeline.org_id, "SELECT DISTINCT version FROM work ORDER BY 1") == [4, 5, 6, 7]
    assert objects_in(tmp_path) == 4
    observer = Observer(ground.service, pipeline.org_id)
    await observer.look()
    await observer.check_settled()


async def test_an_original_goes_with_the_last_version_that_was_made_of_it(
    ground: Ground, originals: Originals, tmp_path: Path
) -> None:
    pipeline = await ground.pipeline()
    document_id = await publish_versions(pipeline, originals, 1)
    for number in range(6):
        async with pipeline.database.tenant(pipeline.org_id) as connection:
            assert await redo_document(connection, pipeline.org_id, document_id, f"parser-{number}")
        await pipeline.drain()
    await Archive(ground.dispatcher).step()
    await cleanup_of(ground, originals).step()
    assert await column(ground, pipeline.org_id, VERSIONS) == [4, 5, 6, 7]
    assert objects_in(tmp_path) == 1
    await pipeline.delete(document_id)
    await cleanup_of(ground, originals).step()
    assert objects_in(tmp_path) == 0


async def test_a_deleted_document_loses_everything_but_its_tombstone(
    ground: Ground, originals: Originals, tmp_path: Path
) -> None:
    pipeline = await ground.pipeline(chunks=2)
    document_id = await publish_versions(pipeline, originals, 3)
    await pipeline.delete(document_id)
    await cleanup_of(ground, originals, version_grace_hours=1).step()
    assert await column(ground, pipeline.org_id, VERSIONS) == [1, 2, 3]
    await cleanup_of(ground, originals).step()
    for table in ("document_versions", "document_chunks", "chunk_embeddings", "chunk_embeddings_archive", "work"):
        assert await column(ground, pipeline.org_id, f"SELECT count(*) FROM {table}") == [0]
    assert objects_in(tmp_path) == 0
    # The tombstone goes on counting: what comes back is newer than whatever was.
    assert (await pipeline.upload("manual", "back again")).version == 4
    await pipeline.drain()
    assert await column(ground, pipeline.org_id, "SELECT live_version FROM documents") == [4]


async def test_an_object_that_cannot_be_deleted_holds_up_no_other(
    ground: Ground, originals: Originals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleanup_module, "_VERSIONS", 1)  # the stuck one alone fills a step
    pipeline = await ground.pipeline()
    await publish_versions(pipeline, originals, 1)
    (stuck,) = [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]
    stuck.unlink()
    (stuck / "within").mkdir(parents=True)  # the store refuses to delete a folder
    await pipeline.delete(document_id_for(pipeline.org_id, "upload", "manual"))
    cleanup = cleanup_of(ground, originals)
    await cleanup.step()
    assert await cleanup.step() is False, "what fails is not tried over and over"
    key = str(stuck.relative_to(tmp_path / "objects"))
    assert await column(ground, pipeline.org_id, DELETIONS) == [key]

    stored = await originals.write(pipeline.org_id, _body("text"), max_bytes=1_000)
    result = await pipeline.upload("other", "text", object_key=stored.key)
    await pipeline.delete(result.document_id)
    await cleanup.step()
    assert await cleanup.step() is True
    assert await column(ground, pipeline.org_id, DELETIONS) == [key], "the row stays"
    assert objects_in(tmp_path) == 0

    (stuck / "within").rmdir()
    stuck.rmdir()
    await cleanup.step()
    assert await column(ground, pipeline.org_id, DELETIONS) == []


async def test_old_events_keys_and_vanished_instances_go(ground: Ground, originals: Originals) -> None:
    pipeline = await ground.pipeline(chunks=1)
    for number, text in enumerate(("one", "two", "three")):
        await pipeline.upload("manual", text, idempotency_key=f"key-{number}")
        await pipeline.drain()
    admin = await asyncpg.connect(ground.urls.admin)
    try:
        await admin.execute(
            "UPDATE skillnet.outbox SET sent_at = now() - interval '9 days' WHERE version = 1;"
            "UPDATE skillnet.outbox SET sent_at = now() WHERE version = 2;"
            "UPDATE skillnet.idempotency_keys SET created_at = now() - interval '8 days' WHERE key = 'key-0';"
            "INSERT INTO skillnet.instances (instance_id, service, capacity, seen_at) VALUES"
            " ('gone', 'parser', 1, now() - interval '1 hour'), ('here', 'parser', 1, now())"
        )
    finally:
        await admin.close()
    await cleanup_of(ground, originals).step()
    assert await column(ground, pipeline.org_id, "SELECT version FROM outbox ORDER BY version") == [2, 3]
    assert await column(ground, pipeline.org_id, "SELECT key FROM idempotency_keys ORDER BY key") == [
        "key-1",
        "key-2",
    ]
    assert await column(ground, pipeline.org_id, "SELECT instance_id FROM instances") == ["here"]


async def test_originals_that_no_version_names_go_once_they_are_old(
    ground: Ground, originals: Originals, tmp_path: Path
) -> None:
    pipeline = await ground.pipeline()
    await publish_versions(pipeline, originals, 2)
    await originals.write(pipeline.org_id, _body("a gateway ended before it wrote the row"), max_bytes=1_000)
    await Orphans(ground.dispatcher, originals, age=timedelta(hours=1)).step()
    assert objects_in(tmp_path) == 3, "an upload may be under way"
    await Orphans(ground.dispatcher, originals, age=timedelta(0)).step()
    assert objects_in(tmp_path) == 2
    named = await column(ground, pipeline.org_id, "SELECT object_key FROM document_versions")
    assert all((tmp_path / "objects" / str(key)).is_file() for key in named)
