"""The first two locks of every change to a version, in their one order."""

from __future__ import annotations

from uuid import UUID

import asyncpg

from skillnet_common.contracts.work import Stage
from skillnet_common.database.pool import Connection
from skillnet_common.database.queries import Queries

SQL = Queries(__package__, "versions.sql")


STATE_BEFORE = {Stage.PARSE: "uploaded", Stage.CHUNK: "parsed", Stage.EMBED: "embedding"}
"""The state a version is in while the stage's work is due."""

OPEN_STATES = frozenset(STATE_BEFORE.values())
"""The states of a version under way."""


class DocumentGone(Exception):
    """The document was deleted, or the version has ended, while it was being worked on: the result is dropped."""


async def lock_document(connection: Connection, org_id: UUID, document_id: UUID) -> asyncpg.Record | None:
    """The document's row, locked; None where the tenant has no such document."""
    row: asyncpg.Record | None = await connection.fetchrow(SQL.lock_document, org_id, document_id)
    return row


async def lock_known_document(connection: Connection, org_id: UUID, document_id: UUID) -> asyncpg.Record:
    """As `lock_document`, for a document that the caller has just written."""
    return await fetch_one(connection, SQL.lock_document, org_id, document_id)


async def fetch_one(connection: Connection, query: str, *arguments: object) -> asyncpg.Record:
    """The one row of a query that always has one."""
    row: asyncpg.Record | None = await connection.fetchrow(query, *arguments)
    if row is None:
        raise LookupError("a row that must exist is missing")
    return row


async def lock_both(
    connection: Connection, org_id: UUID, document_id: UUID, version: int
) -> tuple[asyncpg.Record | None, asyncpg.Record | None]:
    """The rows of the document and of the version, locked in this order; None for one that is not there."""
    document = await lock_document(connection, org_id, document_id)
    row: asyncpg.Record | None = await connection.fetchrow(SQL.lock_version, org_id, document_id, version)
    return document, row


async def lock_version(
    connection: Connection, org_id: UUID, document_id: UUID, version: int, *, expect: str
) -> asyncpg.Record:
    """Locks the document, then the version, and returns the version's row.

    Raises DocumentGone where the document is deleted or the version is not in the state `expect`.
    """
    document, row = await lock_both(connection, org_id, document_id, version)
    if document is None or document["deleted_at"] is not None or row is None or row["state"] != expect:
        raise DocumentGone
    return row


async def version_state(connection: Connection, org_id: UUID, document_id: UUID, version: int) -> str | None:
    """Locks the document, then the version; the version's state, None where it is gone."""
    _, row = await lock_both(connection, org_id, document_id, version)
    return None if row is None else row["state"]
