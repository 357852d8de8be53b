"""Work that was given up, over HTTP (`/v1/quarantine`)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from skillnet_common.contracts.base import Message
from skillnet_common.contracts.work import Stage


class QuarantinedWork(Message):
    """A piece of work that was tried too often; the version it belongs to has failed."""

    work_id: UUID
    document_id: UUID
    version: int
    title: str
    source: str
    external_key: str
    stage: Stage
    attempts: int
    last_error: str | None
    """Why the last attempt failed, as the service saw it."""
    created_at: datetime
    quarantined_at: datetime
    outrun: bool
    """A version at least as new has been live: this one cannot be replayed."""


class QuarantinePage(Message):
    """A page of quarantined work, newest first. `next_cursor` asks for the next page; null: there is none."""

    work: list[QuarantinedWork]
    next_cursor: str | None = None


class ReplayReply(Message):
    """What is under way again. `stage`: where it goes on; `parse` where what came later had been cleaned up."""

    document_id: UUID
    version: int
    stage: Stage
