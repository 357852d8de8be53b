"""What came of an ingestion: what readers see, what is unfinished, and which promises are broken."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
from numpy.typing import NDArray
from tests.e2e.events import ReceivedEvent, read_events

from skillnet_common.database.pool import CONNECTION_ERRORS

from .corpus import Source
from .running import Running

SETTLE_SECONDS = 180.0
_SWEEP_SECONDS = 30.0
_SAME_DIRECTION = 1e-3

_UNFINISHED = {
    "document versions": "SELECT d.external_key, v.version, v.state FROM document_versions v"
    " JOIN documents d USING (org_id, document_id) WHERE v.state IN ('uploaded', 'parsed', 'embedding')",
    "work": "SELECT d.external_key, w.version, w.stage, w.state, w.attempts, w.last_error FROM work w"
    " JOIN documents d USING (org_id, document_id) WHERE w.state IN ('waiting', 'released', 'claimed')",
    "events to be sent": "SELECT type, document_id, version FROM outbox WHERE sent_at IS NULL",
    "events the notifier has not handled": "SELECT o.event_id, o.type, c.course_id FROM outbox o"
    " JOIN course_documents c USING (org_id, document_id) WHERE (o.type = 'document.deleted'"
    " OR o.type = 'document.updated' AND o.payload ->> 'change' = 'restored'"
    " OR o.type = 'document.updated' AND o.payload ->> 'change' = 'replaced'"
    " AND (o.payload ->> 'content_changed')::boolean)"
    " AND NOT EXISTS (SELECT FROM notifications n WHERE n.org_id = o.org_id AND n.event_id = o.event_id"
    " AND n.course_id = c.course_id)",
}
_BROKEN = {
    "versions failed or cancelled": "SELECT d.external_key, v.version, v.state, v.error_code, v.error_message"
    " FROM document_versions v JOIN documents d USING (org_id, document_id)"
    " WHERE v.state = 'failed' OR v.state = 'cancelled' AND d.deleted_at IS NULL",
    "work given up": "SELECT d.external_key, w.version, w.stage, w.state, w.attempts, w.last_error FROM work w"
    " JOIN documents d USING (org_id, document_id) WHERE w.state IN ('quarantined', 'failed')"
    " OR w.state = 'cancelled' AND d.deleted_at IS NULL",
    "documents not ready": "SELECT external_key, processing_status FROM documents"
    " WHERE deleted_at IS NULL AND processing_status <> 'ready'",
    "documents with versions live beside the one that is": "SELECT external_key FROM documents d"
    " WHERE (SELECT count(*) FROM document_versions v WHERE v.org_id = d.org_id"
    " AND v.document_id = d.document_id AND v.state = 'ready') <> (d.deleted_at IS NULL)::integer",
    "notifications of no review, or reviews of no notification": "SELECT n.event_id, o.event_id FROM notifications n"
    " FULL JOIN (SELECT * FROM outbox WHERE type = 'course.review_requested') o"
    " ON o.document_id = n.document_id AND (o.payload ->> 'course_id') = n.course_id"
    " AND (o.payload ->> 'occurred_at') = (SELECT e.payload ->> 'occurred_at' FROM outbox e"
    " WHERE e.org_id = n.org_id AND e.event_id = n.event_id)"
    " WHERE n.event_id IS NULL OR o.event_id IS NULL",
}
_DOCUMENTS = (
    "SELECT document_id, external_key, live_version, title, page_count, language FROM documents"
    " WHERE live_version IS NOT NULL ORDER BY external_key"
)
_CHUNKS = (
    "SELECT c.chunk_index, c.content_hash, c.embed_hash, c.char_start, c.char_end, c.page_start, c.page_end,"
    " c.section_path, e.embedding FROM document_chunks c LEFT JOIN chunk_embeddings e USING (org_id, chunk_id)"
    " WHERE c.document_id = $1 AND c.version = $2 ORDER BY c.chunk_index"
)


@dataclass(frozen=True)
class LiveDocument:
    """A document as readers see it: its facts, its chunks' facts, and their vectors [chunks, dimension]."""

    facts: tuple[Any, ...]
    chunks: tuple[tuple[Any, ...], ...]
    vectors: NDArray[np.float32]


async def wait_until_finished(running: Running) -> None:
    """Waits until nothing is under way; fails with what is, and the ends of the logs."""
    deadline = asyncio.get_running_loop().time() + SETTLE_SECONDS
    while rows := await unfinished(running):
        if asyncio.get_running_loop().time() > deadline:
            raise AssertionError("\n".join([*rows, running.log_tails()]))
        await asyncio.sleep(0.25)


async def first_is_live(running: Running) -> None:
    """Waits until a document is live, most likely while others are under way."""
    async with asyncio.timeout(SETTLE_SECONDS):
        while not await live_documents(running):  # noqa: ASYNC110 - other processes make it so
            await asyncio.sleep(0.05)


async def unfinished(running: Running) -> list[str]:
    """What is under way, a line each."""
    try:
        return await _describe(running, _UNFINISHED)
    except CONNECTION_ERRORS as error:
        return [f"PostgreSQL is away: {error!r}"]


async def broken_promises(running: Running, sources: Sequence[Source]) -> list[str]:
    """Everything that should never be so once all is finished; empty where nothing was lost or doubled."""
    broken = await _describe(running, _BROKEN)
    broken += await _wrong_versions(running, sources)
    broken += _wrong_events(await _outbox(running), await read_events(running.stack.state.environment))
    broken += await _wrong_originals(running)
    return broken


async def live_documents(running: Running) -> dict[str, LiveDocument]:
    """Every live document by its key."""
    async with running.database.tenant(running.org, isolation="repeatable_read", readonly=True) as connection:
        documents = await connection.fetch(_DOCUMENTS)
        return {
            row["external_key"]: _live_document(
                row, await connection.fetch(_CHUNKS, row["document_id"], row["live_version"])
            )
            for row in documents
        }


def differences(expected: dict[str, LiveDocument], found: dict[str, LiveDocument]) -> list[str]:
    """How two ingestions of the same files differ; vectors may by 1e-3 of the cosine."""
    different = [f"only in one of them: {key}" for key in expected.keys() ^ found.keys()]
    for key in sorted(expected.keys() & found.keys()):
        one, other = expected[key], found[key]
        if one.facts != other.facts:
            different.append(f"{key}: {one.facts} became {other.facts}")
        if one.chunks != other.chunks:
            different.append(f"{key}: other chunks: {one.chunks} became {other.chunks}")
        elif (cosine := float((one.vectors * other.vectors).sum(axis=1).min())) < 1 - _SAME_DIRECTION:
            different.append(f"{key}: a vector has the cosine {cosine} to the undisturbed one")
    return different


async def lost_claims(running: Running) -> int:
    """Claims whose worker did not live to settle them."""
    async with running.database.tenant(running.org) as connection:
        count = await connection.fetchval("SELECT sum(attempts - 1) FROM work WHERE state = 'done'")
    return int(count)


async def _describe(running: Running, questions: dict[str, str]) -> list[str]:
    """One line a row that the questions find."""
    async with running.database.tenant(running.org) as connection:
        found = [(what, await connection.fetch(question)) for what, question in questions.items()]
    return [f"{what}: {dict(row)}" for what, rows in found for row in rows]


def _live_document(row: asyncpg.Record, chunks: Sequence[asyncpg.Record]) -> LiveDocument:
    missing = [chunk["chunk_index"] for chunk in chunks if chunk["embedding"] is None]
    assert not missing, f"{row['external_key']}: no vectors of the chunks {missing}"
    vectors = np.array([chunk["embedding"].to_numpy() for chunk in chunks], dtype=np.float32)
    facts = (row["live_version"], row["title"], row["page_count"], row["language"])
    return LiveDocument(facts, tuple(_chunk_facts(chunk) for chunk in chunks), vectors)


def _chunk_facts(chunk: asyncpg.Record) -> tuple[Any, ...]:
    return tuple(
        value.hex() if isinstance(value, bytes) else tuple(value) if isinstance(value, list) else value
        for name, value in chunk.items()
        if name != "embedding"
    )


async def _wrong_versions(running: Running, sources: Sequence[Source]) -> list[str]:
    """Documents that are not live once, at the last version that was uploaded."""
    async with running.database.tenant(running.org) as connection:
        rows = await connection.fetch(
            "SELECT external_key, newest_version, live_version, deleted_at IS NOT NULL AS deleted FROM documents"
        )
    found = {row["external_key"]: (row["newest_version"], row["live_version"], row["deleted"]) for row in rows}
    wanted = {
        source.key: (len(source.versions), None if source.deleted else len(source.versions), source.deleted)
        for source in sources
    }
    return [
        f"{key}: expected (newest, live, deleted) {wanted.get(key)}, found {found.get(key)}"
        for key in wanted.keys() | found.keys()
        if wanted.get(key) != found.get(key)
    ]


async def _outbox(running: Running) -> Counter[tuple[str, UUID, int | None]]:
    """How many events of a type there are for a version that was made live, whatever became of it since."""
    async with running.database.tenant(running.org) as connection:
        rows = await connection.fetch("SELECT event_id FROM outbox")
        live = await connection.fetch("SELECT document_id, version FROM document_versions WHERE ready_at IS NOT NULL")
    expected: Counter[tuple[str, UUID, int | None]] = Counter()
    expected.update(("id", row["event_id"], None) for row in rows)
    expected.update(("version", row["document_id"], row["version"]) for row in live)
    return expected


def _wrong_events(expected: Counter[tuple[str, UUID, int | None]], events: Sequence[ReceivedEvent]) -> list[str]:
    """Events of the stream that are missing, doubled or out of order."""
    found: Counter[tuple[str, UUID, int | None]] = Counter(("id", UUID(event.id), None) for event in events)
    updates = [event for event in events if event.type == "document.updated"]
    found.update(("version", UUID(event.data["document_id"]), event.data["version"]) for event in updates)
    wrong = [
        f"events of {key}: {expected[key]} expected, {found[key]} found"
        for key in expected.keys() | found.keys()
        if expected[key] != found[key]
    ]
    last: dict[str, int] = {}
    for event in updates:
        document, version = event.data["document_id"], event.data["version"]
        if version < last.get(document, 0):
            wrong.append(f"event of version {version} after version {last[document]} of {document}")
        last[document] = version
    return wrong


async def _wrong_originals(running: Running) -> list[str]:
    """Versions without their original, and originals without a version that stay when they are old."""
    async with running.database.tenant(running.org) as connection:
        keys = {row["object_key"] for row in await connection.fetch("SELECT object_key FROM document_versions")}
    objects = running.folder / "objects"
    deadline = asyncio.get_running_loop().time() + _SWEEP_SECONDS
    _make_old(objects)
    while (left := _files_below(objects) - keys) and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.2)
    wrong = [f"original without version: {name}" for name in left]
    return wrong + [f"version without original: {name}" for name in keys - _files_below(objects)]


def _make_old(folder: Path) -> None:
    """As if every file had been written two days ago: what a killed gateway left is removed only then."""
    then = time.time() - 2 * 86_400
    for name in _files_below(folder):
        os.utime(folder / name, (then, then))


def _files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
