"""How a document comes along, as Server-Sent Events (`GET /v1/documents/{id}/progress`)."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message
from skillnet_common.contracts.documents import VersionFailure, VersionProgress, VersionState
from skillnet_common.contracts.problems import Problem


class ProgressKind(StrEnum):
    """What an event tells. After `ended` nothing more comes; after `error` asking again may help."""

    PROGRESS = "progress"
    ENDED = "ended"
    ERROR = "error"


class Ending(StrEnum):
    """How it ended. `deleted`: or out of the asker's sight."""

    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


class ProgressEvent(Message):
    """One event: how far the newest version is, or how it ended. What belongs to other kinds is left null."""

    kind: ProgressKind
    event_id: str = ""
    """To go on from, as the header `Last-Event-ID`; names the state, so that an equal one is not sent twice."""
    document_id: UUID
    version: int | None = None
    state: VersionState | None = None
    progress: VersionProgress | None = None
    ending: Ending | None = None
    failure: VersionFailure | None = None
    warnings: list[str] = Field(default_factory=list)
    problem: Problem | None = None
