"""What a version was read into: outline and chunks, as far as the asker may see the document."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import asyncpg

from skillnet_common.auth import Principal
from skillnet_common.contracts.contents import (
    Chunk,
    ChunkPage,
    Outline,
    OutlineSection,
    RemovedText,
    UnindexedSpan,
)
from skillnet_common.contracts.retrieval import BoxOut
from skillnet_common.database import Database, Queries
from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_gateway.cursors import foreign_cursor, read_cursor, write_cursor
from skillnet_gateway.rights import document_not_found

_SQL = Queries(__package__, "contents.sql")


class Contents:
    """Reads versions: the named one, else the live one, else the newest."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def outline(self, principal: Principal, document_id: UUID, version: int | None) -> Outline:
        """The tree of sections. RequestError `not_found`, or `contents_missing` where it was not read."""
        async with self._database.snapshot(principal.org_id, audience=principal.audience) as snapshot:
            read = await _version(snapshot.connection, principal.org_id, document_id, version)
            rows = await snapshot.connection.fetch(_SQL.outline, principal.org_id, document_id, read["version"])
            left_out = await snapshot.connection.fetchrow(
                _SQL.left_out, principal.org_id, document_id, read["version"]
            )
        if not rows or left_out is None:
            raise _contents_missing(read["version"])
        return Outline(
            document_id=document_id,
            version=read["version"],
            title=read["title"],
            page_count=read["page_count"],
            page_count_estimated=read["page_count_estimated"],
            sections=[_section(row, read["page_labels"]) for row in rows],
            removed=_removed(left_out["removed"]),
            unindexed=_unindexed(left_out["unindexed"]),
        )

    async def chunks(
        self, principal: Principal, document_id: UUID, version: int | None, cursor: str | None, limit: int
    ) -> ChunkPage:
        """A page in reading order. RequestError `not_found`, `contents_missing`, or `invalid_request` for a cursor of
        another list or version."""
        version, first = _place(cursor, version)
        async with self._database.snapshot(principal.org_id, audience=principal.audience) as snapshot:
            read = await _version(snapshot.connection, principal.org_id, document_id, version)
            number = read["version"]
            rows = await snapshot.connection.fetch(
                _SQL.chunks_from, principal.org_id, document_id, number, first, limit + 1
            )
        if not rows:
            raise _contents_missing(number)
        return ChunkPage(
            document_id=document_id,
            version=number,
            chunk_count=read["expected_chunks"],
            chunks=[_chunk(row, read["page_labels"]) for row in rows[:limit]],
            next_cursor=write_cursor(number, rows[limit]["chunk_index"]) if len(rows) > limit else None,
        )

    async def chunk(self, principal: Principal, document_id: UUID, chunk_id: UUID) -> Chunk:
        """One chunk, of any version. RequestError `not_found`."""
        async with self._database.snapshot(principal.org_id, audience=principal.audience) as snapshot:
            row = await snapshot.connection.fetchrow(_SQL.chunk, principal.org_id, document_id, chunk_id)
        if row is None:
            raise RequestError(ErrorCode.NOT_FOUND, "There is no such chunk.")
        return _chunk(row, row["page_labels"])


async def _version(connection: Connection, org_id: UUID, document_id: UUID, version: int | None) -> asyncpg.Record:
    row: asyncpg.Record | None = await connection.fetchrow(_SQL.version_read, org_id, document_id, version)
    if row is None:
        raise document_not_found()
    return row


def _place(cursor: str | None, version: int | None) -> tuple[int | None, int]:
    """The version and the chunk that a page begins with."""
    if cursor is None:
        return version, 0
    match read_cursor(cursor):
        case [int(number), int(first)] if 0 < number < 2**31 and 0 <= first < 2**31 and version in {None, number}:
            return number, first
    raise foreign_cursor()


def _contents_missing(version: int) -> RequestError:
    return RequestError(
        ErrorCode.CONTENTS_MISSING,
        f"Version {version} has not been read this far yet, could not be read, or was cleaned up.",
        version=version,
    )


def _removed(records: Sequence[tuple[str, int | None, str]]) -> list[RemovedText]:
    """In reading order, the same text once."""
    pages: dict[tuple[str, str], list[int]] = {}
    for reason, page, text in records:
        known = pages.setdefault((reason, text), [])
        if page is not None and page not in known[-1:]:
            known.append(page)
    return [RemovedText(reason=reason, text=text, pages=on) for (reason, text), on in pages.items()]


def _unindexed(records: Sequence[tuple[str, int, int]] | None) -> list[UnindexedSpan] | None:
    if records is None:
        return None
    return [UnindexedSpan(reason=reason, char_start=start, char_end=end) for reason, start, end in records]


def _section(row: asyncpg.Record, labels: Sequence[str]) -> OutlineSection:
    return OutlineSection(
        section_id=row["section_id"],
        parent_id=row["parent_id"],
        level=row["level"],
        heading=row["heading"],
        path=row["path"],
        page_start=row["page_start"],
        page_end=row["page_end"],
        page_label_start=_label(labels, row["page_start"]),
        page_label_end=_label(labels, row["page_end"]),
        char_start=row["char_start"],
        char_end=row["char_end"],
    )


def _chunk(row: asyncpg.Record, labels: Sequence[str]) -> Chunk:
    return Chunk(
        chunk_id=row["chunk_id"],
        document_id=row["document_id"],
        version=row["version"],
        chunk_index=row["chunk_index"],
        kind=row["kind"],
        section_id=row["section_id"],
        section_path=row["section_path"],
        text=row["body"],
        overlap_chars=row["overlap_chars"],
        header=row["header"],
        page_start=row["page_start"],
        page_end=row["page_end"],
        page_label_start=_label(labels, row["page_start"]),
        page_label_end=_label(labels, row["page_end"]),
        char_start=row["char_start"],
        char_end=row["char_end"],
        boxes=[BoxOut(page=int(page), x0=x0, y0=y0, x1=x1, y1=y1) for page, x0, y0, x1, y1 in row["boxes"]],
        token_count=row["token_count"],
        language=row["language"],
        ocr=row["ocr"],
    )


def _label(labels: Sequence[str], page: int | None) -> str | None:
    return labels[page - 1] if page is not None and page <= len(labels) else None
