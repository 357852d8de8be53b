"""A course whose source changed asks for a review; nobody rewrites it silently (specification 3.6.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from skillnet_common.contracts import subjects
from skillnet_common.contracts.events import ChangeKind, CourseReviewRequested, DocumentDeleted, DocumentUpdated

# For each change that touches a course's content: why the course is stale, and what its administrator reads.
_REASONS = {
    ChangeKind.REPLACED: "fuente actualizada — revisar",
    ChangeKind.DELETED: "fuente eliminada — revisar",
    ChangeKind.RESTORED: "fuente publicada de nuevo — revisar",
}
_TEXTS = {
    ChangeKind.REPLACED: "«{document}» se actualizó. El curso «{course}» podría necesitar revisión.",
    ChangeKind.DELETED: "«{document}» se eliminó. El curso «{course}» podría necesitar revisión.",
    ChangeKind.RESTORED: "«{document}» se publicó de nuevo. El curso «{course}» podría necesitar revisión.",
}


@dataclass(frozen=True, slots=True)
class SourceChange:
    """What the notifier needs of `document.updated` and `document.deleted`."""

    event_id: UUID
    org_id: UUID
    document_id: UUID
    title: str
    change: ChangeKind
    occurred_at: datetime
    courses: tuple[str, ...]
    content_changed: bool = True

    @classmethod
    def of(cls, event: DocumentUpdated | DocumentDeleted) -> SourceChange:
        """The change that the event tells of."""
        return cls(
            event_id=event.event_id,
            org_id=event.org_id,
            document_id=event.document_id,
            title=event.title,
            change=event.change if isinstance(event, DocumentUpdated) else ChangeKind.DELETED,
            occurred_at=event.occurred_at,
            courses=tuple(sorted(set(event.courses))),
            content_changed=event.content_changed if isinstance(event, DocumentUpdated) else True,
        )

    @property
    def calls_for_review(self) -> bool:
        """A new document or other metadata makes no course stale, nor do the same words read or cut anew."""
        return self.change in _REASONS and (self.content_changed or self.change is not ChangeKind.REPLACED)


@dataclass(frozen=True, slots=True)
class CourseReview:
    """What is written for one course: the notification, the course's mark and the event that other teams see."""

    course_id: str
    text: str
    reason: str
    event: CourseReviewRequested
    subject: str


def reviews_for(change: SourceChange, titles: Mapping[str, str]) -> list[CourseReview]:
    """One review for each course of the change that still exists; `titles` maps course ids to titles.

    Everything in it is derived from the change, so that a redelivery writes the same.
    """
    if not change.calls_for_review:
        return []
    return [_review(change, course, titles[course]) for course in change.courses if course in titles]


def _review(change: SourceChange, course_id: str, course_title: str) -> CourseReview:
    event = CourseReviewRequested(
        event_id=uuid5(change.event_id, f"course.review_requested:{course_id}"),
        org_id=change.org_id,
        course_id=course_id,
        document_id=change.document_id,
        document_title=change.title,
        change=change.change,
        occurred_at=change.occurred_at,
    )
    return CourseReview(
        course_id=course_id,
        text=_TEXTS[change.change].format(document=change.title, course=course_title),
        reason=_REASONS[change.change],
        event=event,
        subject=subjects.course_review(change.org_id, course_token(course_id)),
    )


def course_token(course_id: str) -> str:
    """The course's token in subjects: 32 hex digits of SHA-256, since its id may hold any character."""
    return hashlib.sha256(course_id.encode()).hexdigest()[:32]
