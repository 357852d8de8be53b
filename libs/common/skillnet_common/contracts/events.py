"""Public events, CloudEvents 1.0 in binary mode: attributes in `ce-` headers, this as JSON body."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message


class ChangeKind(StrEnum):
    """What happened to a document."""

    CREATED = "created"
    REPLACED = "replaced"
    METADATA = "metadata"
    DELETED = "deleted"
    RESTORED = "restored"


class SectionChanges(Message):
    """Section paths that differ from the version before, each a list of headings from the top down."""

    added: list[list[str]] = Field(default_factory=list)
    changed: list[list[str]] = Field(default_factory=list)
    removed: list[list[str]] = Field(default_factory=list)
    truncated: bool = False
    """More has changed than an event may hold: the lists end early."""


class DocumentEvent(Message):
    """What every document event says."""

    event_id: UUID
    org_id: UUID
    document_id: UUID
    source: str
    external_key: str
    title: str
    occurred_at: datetime


class DocumentUpdated(DocumentEvent):
    """`document.updated.<org>.<document>`: readers see the change from now on."""

    change: ChangeKind
    version: int
    previous_version: int | None
    sections: SectionChanges = SectionChanges()
    content_changed: bool = True
    """False where the version holds the words of the one before, read or cut by another pipeline."""
    chunk_count: int
    page_count: int | None
    embedding_model: str | None
    courses: list[str] = Field(default_factory=list)


class DocumentFailed(DocumentEvent):
    """`document.failed.<org>.<document>`: a version could not be taken in; a live one keeps serving."""

    version: int
    stage: str
    code: str
    message: str
    live_version: int | None


class DocumentDeleted(DocumentEvent):
    """`document.deleted.<org>.<document>`: no reader sees the document any more."""

    last_version: int | None
    courses: list[str] = Field(default_factory=list)


class CourseReviewRequested(Message):
    """`course.review_requested.<org>.<course>`: a source of the course has changed."""

    event_id: UUID
    org_id: UUID
    course_id: str
    document_id: UUID
    document_title: str
    change: ChangeKind
    occurred_at: datetime


@dataclass(frozen=True, slots=True)
class EventType:
    """A kind of event. Its subject is `<name>.<org>.<about>`, where `about` is a document or a course."""

    name: str
    about: str
    model: type[Message]


EVENT_TYPES = (
    EventType("document.updated", "document", DocumentUpdated),
    EventType("document.failed", "document", DocumentFailed),
    EventType("document.deleted", "document", DocumentDeleted),
    EventType("course.review_requested", "course", CourseReviewRequested),
)
"""Every event there is: streams, permissions, the outbox and the AsyncAPI document follow this table."""
