"""A version becomes live: one short transaction, after which readers see it whole."""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import StrEnum
from uuid import UUID

import asyncpg

from skillnet_common.contracts.events import ChangeKind, DocumentUpdated, SectionChanges
from skillnet_common.database.pool import Connection
from skillnet_common.versions.events import courses_of, new_event_id, now, record_event
from skillnet_common.versions.locks import SQL, fetch_one, lock_both

FULL_TEXT_PAGES = 5
"""Documents of up to this many pages keep their full text at hand for the direct path (3 by default, up to 5)."""

MAX_SECTION_BYTES = 96 * 1024
"""Of the section paths in one event; the bus takes 256 KiB altogether."""


class FinishOutcome(StrEnum):
    """What `finish_version` found."""

    PROMOTED = "promoted"
    INCOMPLETE = "incomplete"
    OUTRUN = "outrun"
    """A newer version has been live already: this one never will be."""
    ENDED = "ended"
    """Deleted, cancelled, failed or finished before."""


async def finish_version(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> FinishOutcome:
    """Makes the version live if every chunk has a vector of the serving model.

    Locks the document, then the version, then holds the serving pointer; counts in a later statement, so that
    the vectors of whoever held the lock before are seen. Promotes only above the highest version ever promoted.
    """
    document, row = await lock_both(connection, org_id, document_id, version)
    if document is None or document["deleted_at"] is not None or row is None or row["state"] != "embedding":
        return FinishOutcome.ENDED
    model = await fetch_one(connection, SQL.hold_serving_model)
    vectors = await connection.fetchval(SQL.count_vectors, org_id, model["model_id"], document_id, version)
    if vectors < row["expected_chunks"]:
        return FinishOutcome.INCOMPLETE
    if version <= document["promoted_version"]:
        await connection.execute(SQL.end_version, org_id, document_id, version, "superseded")
        return FinishOutcome.OUTRUN
    await _promote(connection, org_id, document, row, model)
    return FinishOutcome.PROMOTED


async def _promote(
    connection: Connection, org_id: UUID, document: asyncpg.Record, row: asyncpg.Record, model: asyncpg.Record
) -> None:
    document_id, version, previous = document["document_id"], row["version"], document["live_version"]
    await connection.execute(
        SQL.promote, org_id, document_id, version, model["slug"], model["dimension"], FULL_TEXT_PAGES
    )
    await connection.execute(SQL.make_version_ready, org_id, document_id, version, model["model_id"])
    if previous is not None:
        await connection.execute(SQL.end_version, org_id, document_id, previous, "superseded")
    event = DocumentUpdated(
        event_id=new_event_id(),
        org_id=org_id,
        document_id=document_id,
        source=document["source"],
        external_key=document["external_key"],
        title=row["title"],
        occurred_at=now(),
        change=_change(document),
        version=version,
        previous_version=previous,
        sections=await _section_changes(connection, org_id, document_id, previous, version),
        content_changed=await connection.fetchval(SQL.content_changed, org_id, document_id, previous, version),
        chunk_count=row["expected_chunks"],
        page_count=row["page_count"],
        embedding_model=model["slug"],
        courses=await courses_of(connection, org_id, document_id),
    )
    await record_event(connection, event, version)


def _change(document: asyncpg.Record) -> ChangeKind:
    if document["live_version"] is not None:
        return ChangeKind.REPLACED
    return ChangeKind.RESTORED if document["promoted_version"] > 0 else ChangeKind.CREATED


async def _section_changes(
    connection: Connection, org_id: UUID, document_id: UUID, previous: int | None, version: int
) -> SectionChanges:
    rows = await connection.fetch(SQL.section_changes, org_id, document_id, previous or 0, version)
    return fit_sections((row["change"], row["path"]) for row in rows)


def fit_sections(changes: Iterable[tuple[str, list[str]]]) -> SectionChanges:
    """Sorts (`added`, `changed` or `removed`, path) into lists, and ends them at `MAX_SECTION_BYTES` of JSON.

    A message over the bus's limit could never be sent, and would hold up every later event of its document.
    """
    paths: dict[str, list[list[str]]] = {"added": [], "changed": [], "removed": []}
    size = 0
    for change, path in changes:
        size += len(json.dumps(path, ensure_ascii=False).encode()) + 1
        if size > MAX_SECTION_BYTES:
            return SectionChanges(**paths, truncated=True)
        paths[change].append(path)
    return SectionChanges(**paths)
