"""Documents made by another pipeline than the present one, over HTTP (`/v1/documents/reprocess`)."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field, StrictBool

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.work import Stage


class ReprocessRequest(Request):
    """Which documents to redo; those that the present pipeline made are left alone."""

    document_ids: list[UUID] | None = Field(default=None, max_length=500)
    """Null: every document that the key sees."""
    limit: int = Field(default=100, ge=1, le=500)
    dry_run: StrictBool = False
    """Only count them."""


class ReprocessedDocument(Message):
    """A new version under way. `stage`: `parse` where the file is read again, `chunk` where what had been read of it
    is cut anew; texts that the model has embedded before are not embedded again."""

    document_id: UUID
    version: int
    stage: Stage


class ReprocessReply(Message):
    """What was begun, and how many outdated documents are left: 0 once every one is under way or done."""

    started: list[ReprocessedDocument]
    outdated: int
