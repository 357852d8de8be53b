"""Documents as readers of the API see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import asyncpg

from skillnet_common.auth import Principal
from skillnet_common.contracts.documents import (
    DocumentChange,
    DocumentDetail,
    DocumentPage,
    DocumentSummary,
    VersionDetail,
    VersionFailure,
    VersionProgress,
    VersionState,
)
from skillnet_common.database import Database, Queries
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions import (
    CLEARABLE,
    MetadataChange,
    cancel_version,
    change_document,
    delete_document,
)
from skillnet_common.versions.locks import lock_document
from skillnet_gateway.cursors import foreign_cursor, read_cursor, write_cursor
from skillnet_gateway.listing import Place, list_statement
from skillnet_gateway.parameters import DocumentFilter, file_name_of
from skillnet_gateway.places import waiting_ahead
from skillnet_gateway.rights import (
    document_not_found,
    require_audience_changeable,
    require_no_course,
    require_own_groups,
    require_writable,
)
from skillnet_gateway.uploads import Target, known_target, links_of

_SQL = Queries(__package__, "queries.sql")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STAGE_AHEAD = {
    VersionState.UPLOADED: "parse",
    VersionState.PARSED: "chunk",
    VersionState.EMBEDDING: "embed",
}


@dataclass(frozen=True, slots=True)
class OriginalFile:
    """Where a version's original lies, and what to call it."""

    version: int
    object_key: str
    file_name: str
    file_type: str | None
    sha256: bytes
    size: int


class Documents:
    """Reads and ends documents of one organisation, as far as the asker may see them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, principal: Principal, wanted: DocumentFilter) -> DocumentPage:
        """A page of documents, last created first. RequestError `invalid_request` for a cursor of no list."""
        after = None if wanted.cursor is None else _read_cursor(wanted.cursor)
        rows, ahead = await self._list(principal, wanted, after, limit=wanted.limit + 1)
        more = len(rows) > wanted.limit
        rows = rows[: wanted.limit]
        return DocumentPage(
            documents=[DocumentSummary(**_summary(row, ahead)) for row in rows],
            next_cursor=_write_cursor(rows[-1]) if more else None,
        )

    async def summary(self, principal: Principal, document_id: UUID) -> DocumentSummary | None:
        """The document; None where the asker sees none."""
        rows, ahead = await self._list(principal, DocumentFilter(document_id=[document_id]), None, limit=1)
        return DocumentSummary(**_summary(rows[0], ahead)) if rows else None

    async def detail(self, principal: Principal, document_id: UUID) -> DocumentDetail:
        """A document with its versions. RequestError `not_found`."""
        rows, ahead = await self._list(principal, DocumentFilter(document_id=[document_id]), None, limit=1)
        if not rows:
            raise document_not_found()
        async with self._database.tenant(principal.org_id, readonly=True) as connection:
            versions = await connection.fetch(_SQL.versions_of, principal.org_id, document_id)
        return DocumentDetail(
            **_summary(rows[0], ahead), versions=[_version(row) for row in versions], links=links_of(document_id)
        )

    async def upload_target(self, principal: Principal, document_id: UUID, filename: str | None) -> Target:
        """Whose next version a file is that was sent to the document. RequestError `not_found`."""
        async with self._seen_by(principal) as connection:
            row = await connection.fetchrow(_SQL.identity_of, principal.org_id, document_id)
        if row is None:
            raise document_not_found()
        require_no_course(row)
        name = file_name_of(filename) if filename else row["file_name"]
        return known_target(row["source"], row["external_key"], name)

    async def original(self, principal: Principal, document_id: UUID, version: int | None) -> OriginalFile:
        """The named version's original file, else the live one's. RequestError `not_found`."""
        async with self._seen_by(principal) as connection:
            row = await connection.fetchrow(_SQL.original_of, principal.org_id, document_id, version)
        if row is None:
            raise document_not_found()
        return OriginalFile(
            version=row["version"],
            object_key=row["object_key"],
            file_name=row["file_name"],
            file_type=row["file_type"],
            sha256=row["content_sha256"],
            size=row["size_bytes"],
        )

    async def change(self, principal: Principal, document_id: UUID, change: DocumentChange) -> DocumentDetail:
        """Changes what is said of a document. RequestError `not_found`, or `forbidden` for groups not the key's,
        of the new audience or of the one there is."""
        require_own_groups(principal, change.groups)
        async with self._database.tenant(principal.org_id) as connection:
            known = await lock_document(connection, principal.org_id, document_id)
            document = await connection.fetchrow(_SQL.audience_of, principal.org_id, document_id)
            require_writable(principal, document, must_exist=True)
            if known is not None:
                require_no_course(known)
            require_audience_changeable(principal, document, change.groups)
            await change_document(connection, principal.org_id, document_id, _metadata_change(change))
        return await self.detail(principal, document_id)

    async def delete(self, principal: Principal, document_id: UUID) -> None:
        """Deletes a document the asker sees. RequestError `not_found`, `managed_by_course`."""
        async with self._seen_by(principal) as connection:
            known = await lock_document(connection, principal.org_id, document_id)
            if known is not None:
                require_no_course(known)
            if not await delete_document(connection, principal.org_id, document_id):
                raise document_not_found()

    async def cancel(self, principal: Principal, document_id: UUID, version: int) -> None:
        """Ends a version under way. RequestError `not_found`, or `version_ended` where it had ended before."""
        async with self._seen_by(principal) as connection:
            if await cancel_version(connection, principal.org_id, document_id, version):
                return
            known = await connection.fetchval(_SQL.version_exists, principal.org_id, document_id, version)
        if not known:
            raise document_not_found()
        raise RequestError(ErrorCode.VERSION_ENDED, "This version has ended already; there is nothing to cancel.")

    async def _list(
        self,
        principal: Principal,
        wanted: DocumentFilter,
        after: Place | None,
        *,
        limit: int,
    ) -> tuple[list[asyncpg.Record], dict[UUID, int]]:
        """The rows, and what waits ahead of those under way."""
        # One snapshot: a piece that is handed out between two statements would be nowhere in line.
        async with self._database.tenant(
            principal.org_id, audience=principal.audience, isolation="repeatable_read", readonly=True
        ) as connection:
            statement, parameters = list_statement(principal.org_id, wanted, after, limit=limit)
            rows: list[asyncpg.Record] = await connection.fetch(statement, *parameters)
            open_versions = [
                (row["document_id"], row["newest_version"]) for row in rows if row["state"] in _STAGE_AHEAD
            ]
            return rows, await waiting_ahead(connection, principal.org_id, open_versions)

    def _seen_by(self, principal: Principal) -> Any:
        return self._database.tenant(principal.org_id, audience=principal.audience)


def _metadata_change(change: DocumentChange) -> MetadataChange:
    nothing = {name for name in change.model_fields_set if getattr(change, name) is None}
    return MetadataChange(
        title=change.title,
        subject_id=change.subject_id,
        entity_id=change.entity_id,
        taxonomy=change.taxonomy,
        metadata={} if "metadata" in nothing else change.metadata,
        audience=change.groups,
        courses=[] if "courses" in nothing else change.courses,
        cleared=CLEARABLE & nothing,
    )


def _summary(row: asyncpg.Record, ahead: Mapping[UUID, int]) -> dict[str, Any]:
    state = VersionState(row["state"])
    stage = _STAGE_AHEAD.get(state)
    return {
        "document_id": row["document_id"],
        "source": row["source"],
        "external_key": row["external_key"],
        "title": row["title"],
        "status": row["processing_status"],
        "file_type": row["file_type"],
        "page_count": row["page_count"],
        "page_count_estimated": row["page_count_estimated"],
        "language": row["language"],
        "subject_id": row["subject_id"],
        "entity_id": row["entity_id"],
        "taxonomy": row["taxonomy"],
        "metadata": row["metadata"],
        "audience": row["audience"],
        "courses": row["courses"],
        "live_version": row["live_version"],
        "newest_version": row["newest_version"],
        "newest_state": state,
        "progress": VersionProgress(
            stage=stage,
            batches_done=row["batches_done"],
            batches_total=row["batches_total"],
            waiting_ahead=ahead.get(row["document_id"]),
        )
        if stage
        else None,
        "failure": _failure(row, row["newest_version"]),
        "warnings": row["warnings"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
    }


def _version(row: asyncpg.Record) -> VersionDetail:
    return VersionDetail(
        version=row["version"],
        state=VersionState(row["state"]),
        file_name=row["file_name"],
        file_type=row["file_type"],
        size_bytes=row["size_bytes"],
        sha256=row["content_sha256"].hex(),
        title=row["title"],
        language=row["language"],
        page_count=row["page_count"],
        page_count_estimated=row["page_count_estimated"],
        chunk_count=row["expected_chunks"],
        warnings=row["warnings"],
        failure=_failure(row, row["version"]),
        created_at=row["created_at"],
        ready_at=row["ready_at"],
    )


def _failure(row: asyncpg.Record, version: int) -> VersionFailure | None:
    if row["error_code"] is None:
        return None
    return VersionFailure(
        version=version, stage=row["error_stage"], code=row["error_code"], message=row["error_message"]
    )


def _write_cursor(row: asyncpg.Record) -> str:
    return write_cursor((row["created_at"] - _EPOCH) // timedelta(microseconds=1), str(row["document_id"]))


def _read_cursor(cursor: str) -> Place:
    try:
        created_at, document_id = read_cursor(cursor)
        return _EPOCH + timedelta(microseconds=created_at), UUID(document_id)
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        raise foreign_cursor() from error
