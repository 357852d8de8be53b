"""A document is read or cut anew because the pipeline has changed since: a new version of the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg

from skillnet_common.contracts.work import Stage
from skillnet_common.database.pool import Connection
from skillnet_common.database.queries import Queries
from skillnet_common.pipeline import same_reading
from skillnet_common.versions.contents import copy_parsed
from skillnet_common.versions.locks import SQL as VERSIONS
from skillnet_common.versions.locks import lock_document
from skillnet_common.work.claims import add_work

_SQL = Queries(__package__, "redo.sql")


@dataclass(frozen=True, slots=True)
class Redone:
    """A version that was opened. `stage` is where it begins: `chunk` where what had been read is cut anew."""

    document_id: UUID
    version: int
    stage: Stage


@dataclass(frozen=True, slots=True)
class Outdated:
    """Documents that another pipeline made and that would be redone: the first ones by id, and how many there are."""

    document_ids: list[UUID]
    total: int


async def find_outdated(
    connection: Connection, org_id: UUID, fingerprint: str, *, only: Sequence[UUID] | None, limit: int
) -> Outdated:
    """At most `limit` (from 1 on) of the documents that the asker sees, of `only` these where they are given."""
    rows = await connection.fetch(
        _SQL.outdated_versions, org_id, fingerprint, None if only is None else list(only), limit
    )
    return Outdated([row["document_id"] for row in rows], rows[0]["total"] if rows else 0)


async def redo_document(connection: Connection, org_id: UUID, document_id: UUID, fingerprint: str) -> Redone | None:
    """Opens a new version from the original of the live one, or of the newest where that failed and none is live.

    What was read is taken over where files are still read alike. None where nothing is to be done: the version was
    made by this pipeline, one is under way, or this pipeline has failed on these bytes. The live version serves on.
    """
    document = await lock_document(connection, org_id, document_id)
    if document is None or document["deleted_at"] is not None:
        return None
    source = await connection.fetchrow(_SQL.outdated_versions, org_id, fingerprint, [document_id], 1)
    if source is None:
        return None
    version = document["newest_version"] + 1
    await connection.execute(
        VERSIONS.insert_version,
        org_id,
        document_id,
        version,
        source["file_name"],
        source["object_key"],
        source["content_sha256"],
        source["size_bytes"],
        fingerprint,
        document["title"] if document["title_given"] else source["title"],
        source["language"],
    )
    await connection.execute(VERSIONS.open_version, org_id, document_id, version, document["title"], False)
    return Redone(document_id, version, await begin_version(connection, org_id, document_id, version, like=source))


async def begin_version(
    connection: Connection, org_id: UUID, document_id: UUID, version: int, *, like: asyncpg.Record | None
) -> Stage:
    """Adds the first work of a version that was just written.

    `like`: an earlier version of the same bytes under the same name. Where its file was read as it would be now,
    what was read is copied and only cut anew.
    """
    opened = await connection.fetchrow(_SQL.opened_version, org_id, document_id, version)
    if opened is None:
        raise LookupError("the version must have been written")
    if like is not None and same_reading(like["pipeline_fingerprint"], opened["pipeline_fingerprint"]):
        length = await copy_parsed(connection, org_id, document_id, like["version"], version)
        if length is not None:
            await add_work(connection, org_id, Stage.CHUNK, document_id, version, length // 1024)
            return Stage.CHUNK
    await add_work(connection, org_id, Stage.PARSE, document_id, version, opened["size_bytes"] // 1024)
    return Stage.PARSE
