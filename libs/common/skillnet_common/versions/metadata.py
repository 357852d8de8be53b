"""What is said of a document: applied at once, whatever version is under way, and told of where one is live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from skillnet_common.contracts.events import ChangeKind, DocumentUpdated
from skillnet_common.database.pool import Connection
from skillnet_common.versions.events import courses_of, new_event_id, now, record_event
from skillnet_common.versions.locks import SQL, fetch_one, lock_document, lock_known_document

CLEARABLE = frozenset({"subject_id", "entity_id", "taxonomy"})
"""What a document need not have."""


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """None leaves what the document has. `courses` and `audience` replace the list: an empty audience opens the
    document to the whole organisation. `cleared` names fields of `CLEARABLE` that are to be nothing."""

    title: str | None = None
    subject_id: str | None = None
    entity_id: str | None = None
    taxonomy: str | None = None
    metadata: Mapping[str, Any] | None = None
    audience: Sequence[str] | None = None
    courses: Sequence[str] | None = None
    cleared: frozenset[str] = frozenset()


async def change_document(connection: Connection, org_id: UUID, document_id: UUID, change: MetadataChange) -> bool:
    """Applies the change without a new version. False where there is no such document, or it was deleted."""
    document = await lock_document(connection, org_id, document_id)
    if document is None or document["deleted_at"] is not None:
        return False
    if change.title is not None:
        await retitle_standing_version(connection, org_id, document_id, change.title)
    await apply_metadata(connection, org_id, document_id, change, announce=document["live_version"])
    return True


async def retitle_standing_version(connection: Connection, org_id: UUID, document_id: UUID, title: str) -> None:
    """A version that becomes live only later must not bring back its first title."""
    standing = await connection.fetchrow(SQL.newest_standing_version, org_id, document_id)
    if standing is not None:
        await connection.execute(SQL.retitle_version, org_id, document_id, standing["version"], title)


async def apply_metadata(
    connection: Connection, org_id: UUID, document_id: UUID, change: MetadataChange, *, announce: int | None
) -> None:
    """Of a locked document. At once, since who may see it must not wait; tells of it as of the version `announce`,
    where something has changed."""
    status = await connection.execute(
        SQL.apply_metadata,
        org_id,
        document_id,
        change.title,
        change.subject_id,
        change.entity_id,
        change.taxonomy,
        dict(change.metadata) if change.metadata is not None else None,
        list(change.audience) if change.audience is not None else None,
        sorted(change.cleared),
    )
    before = await courses_of(connection, org_id, document_id)
    if change.courses is not None:
        await _link_courses(connection, org_id, document_id, change.courses)
    after = await courses_of(connection, org_id, document_id)
    if announce is not None and (status == "UPDATE 1" or before != after):
        await _record_change(connection, org_id, document_id, announce, after)


async def _link_courses(connection: Connection, org_id: UUID, document_id: UUID, courses: Sequence[str]) -> None:
    await connection.execute(SQL.unlink_other_courses, org_id, document_id, list(courses))
    for course in sorted(set(courses)):
        await _hold_course(connection, org_id, course)
        await connection.execute(SQL.link_course, org_id, course, document_id)


async def _hold_course(connection: Connection, org_id: UUID, course: str) -> None:
    """The course is there, and stays till the end of the transaction. One that is deleted meanwhile is added anew."""
    held = None
    while held is None:
        await connection.execute(SQL.add_course, org_id, course)
        held = await connection.fetchval(SQL.hold_course, org_id, course)


async def _record_change(
    connection: Connection, org_id: UUID, document_id: UUID, live_version: int, courses: list[str]
) -> None:
    document = await lock_known_document(connection, org_id, document_id)
    version = await fetch_one(connection, SQL.lock_version, org_id, document_id, live_version)
    event = DocumentUpdated(
        event_id=new_event_id(),
        org_id=org_id,
        document_id=document_id,
        source=document["source"],
        external_key=document["external_key"],
        title=document["title"],
        occurred_at=now(),
        change=ChangeKind.METADATA,
        version=live_version,
        previous_version=live_version,
        chunk_count=version["expected_chunks"],
        page_count=document["page_count"],
        embedding_model=document["embedding_model"],
        courses=courses,
    )
    await record_event(connection, event, live_version)
