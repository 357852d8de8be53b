"""From an event of the stream to rows: what the courses' administrators see, and the event for other teams."""

from __future__ import annotations

import asyncpg
from nats.aio.msg import Msg
from pydantic import ValidationError

from skillnet_common.contracts.events import DocumentDeleted, DocumentUpdated
from skillnet_common.database import Database, Queries
from skillnet_common.database.pool import Connection
from skillnet_common.messaging.quarantine import Unreadable
from skillnet_notifier.domain import CourseReview, SourceChange, reviews_for

_SQL = Queries(__package__, "notifier.sql")

_EVENTS: dict[str, type[DocumentUpdated] | type[DocumentDeleted]] = {
    "document.updated": DocumentUpdated,
    "document.deleted": DocumentDeleted,
}


class EventHandler:
    """Handles each event once: a redelivery finds its notification and adds nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def __call__(self, message: Msg) -> None:
        """Raises Unreadable for what is no such event; any other error means that the message comes again."""
        change = read_event(message.subject, message.data)
        if not change.calls_for_review or not change.courses:
            return
        try:
            await self._write_reviews(change)
        except asyncpg.DataError as error:  # such as NUL in a course's id: it would come back for ever
            raise Unreadable(f"the database cannot hold it: {error}") from error

    async def _write_reviews(self, change: SourceChange) -> None:
        async with self._database.tenant(change.org_id) as connection:
            rows = await connection.fetch(_SQL.titles, change.org_id, list(change.courses), change.document_id)
            for review in reviews_for(change, {row["course_id"]: row["title"] for row in rows}):
                await _write(connection, change, review)


def read_event(subject: str, body: bytes) -> SourceChange:
    """The change that the message tells of; Unreadable where subject and body do not belong together."""
    tokens = subject.split(".")
    kind, place = ".".join(tokens[:2]), ".".join(tokens[2:])
    try:
        event = _EVENTS[kind].model_validate_json(body)
    except KeyError as error:
        raise Unreadable(f"unexpected subject {subject}") from error
    except ValidationError as error:
        raise Unreadable(str(error)) from error
    if place != f"{event.org_id}.{event.document_id}":
        raise Unreadable("the subject names another organisation or document than the event")
    return SourceChange.of(event)


async def _write(connection: Connection, change: SourceChange, review: CourseReview) -> None:
    status = await connection.execute(
        _SQL.notify, change.org_id, change.event_id, review.course_id, change.document_id, review.text
    )
    if status == "INSERT 0 0":
        return  # an earlier delivery wrote it, and its reader may have acted on it since
    await connection.execute(_SQL.mark_stale, change.org_id, review.course_id, change.occurred_at, review.reason)
    await connection.execute(
        _SQL.record_event,
        change.org_id,
        review.event.event_id,
        review.subject,
        change.document_id,
        review.event.model_dump(mode="json"),
    )
