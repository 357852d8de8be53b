"""Every subject the system uses, spelled in one place."""

from __future__ import annotations

from uuid import UUID

from skillnet_common.contracts.events import EVENT_TYPES
from skillnet_common.contracts.work import Stage

WORK_STREAM = "DOCUMENT_WORK"
EVENT_STREAM = "DOCUMENT_EVENTS"
QUARANTINE_STREAM = "QUARANTINE"

SEARCH = "retrieval.v1.search"
CONTEXT = "retrieval.v1.context"
GROUND = "retrieval.v1.ground"
OUTLINE = "retrieval.v1.outline"
RETRIEVAL_QUEUE = "retriever"

COURSE_UPSERT = "courses.v1.upsert"
COURSE_DELETE = "courses.v1.delete"
COURSES_QUEUE = "gateway"

_WORK_PREFIX = {
    Stage.PARSE: "document.uploaded",
    Stage.CHUNK: "document.parsed",
    Stage.EMBED: "document.chunked",
}

WORK_SUBJECTS = ("document.uploaded.*", "document.parsed.*", "document.chunked.*.*")
EVENT_SUBJECTS = tuple(f"{event.name}.*.*" for event in EVENT_TYPES)


def work(stage: Stage, org_id: UUID, model_slug: str | None = None) -> str:
    """`document.uploaded.<org>`, `document.parsed.<org>` or `document.chunked.<model>.<org>`."""
    prefix = _WORK_PREFIX[stage]
    return f"{prefix}.{model_slug}.{org_id}" if stage is Stage.EMBED else f"{prefix}.{org_id}"


def work_filter(stage: Stage, model_slug: str | None = None) -> str:
    """What the durable consumer of a stage listens to."""
    prefix = _WORK_PREFIX[stage]
    return f"{prefix}.{model_slug}.*" if stage is Stage.EMBED else f"{prefix}.*"


def work_durable(stage: Stage, model_slug: str | None = None) -> str:
    """The durable consumer of a stage: `parser`, `chunker`, `embedder-<model>`."""
    return {Stage.PARSE: "parser", Stage.CHUNK: "chunker", Stage.EMBED: f"embedder-{model_slug}"}[stage]


def document_event(kind: str, org_id: UUID, document_id: UUID) -> str:
    """`document.updated.<org>.<document>` and its kin."""
    return f"{kind}.{org_id}.{document_id}"


def course_review(org_id: UUID, course_token: str) -> str:
    """`course.review_requested.<org>.<course>`; a course id is free text, so its token is a hash of it."""
    return f"course.review_requested.{org_id}.{course_token}"


def quarantine(stream: str) -> str:
    """Where the messages of a stream go that nobody can read."""
    return f"quarantine.{stream}"
