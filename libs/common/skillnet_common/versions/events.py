"""Events into the outbox, in the transaction of what they tell of."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from skillnet_common.contracts import subjects
from skillnet_common.contracts.base import Message
from skillnet_common.contracts.events import EVENT_TYPES, DocumentDeleted, DocumentFailed, DocumentUpdated
from skillnet_common.database.pool import Connection
from skillnet_common.versions.locks import SQL

DocumentMessage = DocumentUpdated | DocumentFailed | DocumentDeleted

_TYPES: dict[type[Message], str] = {event.model: event.name for event in EVENT_TYPES}


def new_event_id() -> UUID:
    """A fresh event id; it is stored with the row, so that every delivery carries the same."""
    return uuid4()


def now() -> datetime:
    """The time of an event, in UTC."""
    return datetime.now(UTC)


async def record_event(connection: Connection, event: DocumentMessage, version: int | None) -> None:
    """Writes the event's outbox row; the dispatcher's relay publishes it."""
    kind = _TYPES[type(event)]
    await connection.execute(
        SQL.insert_event,
        event.org_id,
        event.event_id,
        kind,
        subjects.document_event(kind, event.org_id, event.document_id),
        event.document_id,
        version,
        event.model_dump(mode="json"),
    )


async def courses_of(connection: Connection, org_id: UUID, document_id: UUID) -> list[str]:
    """Ids of the courses that use the document."""
    return [row["course_id"] for row in await connection.fetch(SQL.courses_of, org_id, document_id)]
