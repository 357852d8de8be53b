"""Documents over HTTP (`/v1/documents`): what the gateway replies and its clients read."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from pydantic import Field, field_validator

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.fields import MAX_METADATA_BYTES, Group, Id, Title
from skillnet_common.contracts.organizations import Consents


class DocumentStatus(StrEnum):
    """A document as a whole. One with a live version stays `ready` while or after a newer version is tried."""

    PENDING = "pending"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"


class VersionState(StrEnum):
    """A version's place on its way; from `ready` on it is final."""

    UPLOADED = "uploaded"
    PARSED = "parsed"
    EMBEDDING = "embedding"
    READY = "ready"
    SUPERSEDED = "superseded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing more happens to the version by itself."""
        return self not in {VersionState.UPLOADED, VersionState.PARSED, VersionState.EMBEDDING}


class UploadReply(Message):
    """What an upload did. `outcome`: created, new_version or unchanged; `replayed`: by an earlier, equal request."""

    document_id: UUID
    version: int
    outcome: str
    replayed: bool = False
    links: dict[str, str] = Field(default_factory=dict)


class VersionFailure(Message):
    """Why a version could not be taken in: the stage, a stable code, and a sentence for a person."""

    version: int
    stage: str
    code: str
    message: str


class VersionProgress(Message):
    """How far the newest version is. `stage`: parse, chunk or embed; batches are 0 of 0 before `embed`."""

    stage: str
    batches_done: int = 0
    batches_total: int = 0
    waiting_ahead: int | None = None
    """About how many pieces of work, of every organisation together, are handed out before this document's next one.
    0: one of its pieces is out or the next in line; null: nothing of it is due, as before a retry."""


class DocumentSummary(Message):
    """A document in a list."""

    document_id: UUID
    source: str
    external_key: str
    title: str
    status: DocumentStatus
    file_type: str | None
    page_count: int | None
    page_count_estimated: bool
    language: str | None
    subject_id: str | None = None
    entity_id: str | None = None
    taxonomy: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    audience: list[str] | None = None
    courses: list[str] = Field(default_factory=list)
    live_version: int | None
    newest_version: int
    newest_state: VersionState
    progress: VersionProgress | None = None
    """Of the newest version, until it is final."""
    failure: VersionFailure | None = None
    """Of the newest version, if it failed; a live version keeps serving beside it."""
    warnings: list[str] = Field(default_factory=list)
    """What a person should know of how the newest version was read."""
    created_at: datetime
    updated_at: datetime

    @property
    def is_settled(self) -> bool:
        """Whether the newest version has ended, well or badly."""
        return self.newest_state.is_final


class VersionDetail(Message):
    """One version of a document."""

    version: int
    state: VersionState
    file_name: str
    file_type: str | None
    size_bytes: int
    sha256: str
    """Of the original file, in hexadecimal."""
    title: str
    language: str | None
    page_count: int | None
    page_count_estimated: bool
    chunk_count: int | None
    warnings: list[str] = Field(default_factory=list)
    failure: VersionFailure | None = None
    created_at: datetime
    ready_at: datetime | None


class DocumentDetail(DocumentSummary):
    """A document with its versions, newest first (at most the last 50)."""

    versions: list[VersionDetail]
    links: dict[str, str] = Field(default_factory=dict)


class DocumentPage(Message):
    """A page of documents, last created first. `next_cursor` asks for the next page; null: there is none."""

    documents: list[DocumentSummary]
    next_cursor: str | None = None


class DocumentChange(Request):
    """What is to be said of a document from now on. A field that is left out stays as it is; null empties it (all but
    the title). `courses`, `audience` and `metadata` are replaced whole; without an audience the whole organisation
    sees the document. The language belongs to a version: it is given with a file."""

    title: Title | None = None
    subject_id: Id | None = None
    entity_id: Id | None = None
    taxonomy: Title | None = None
    metadata: dict[str, Any] | None = None
    courses: list[Id] | None = Field(default=None, max_length=100)
    audience: list[Group] | None = Field(default=None, max_length=100)

    @field_validator("title")
    @classmethod
    def _keeps_a_title(cls, title: str | None) -> str:
        if title is None:
            raise ValueError("a document always has a title")
        return title

    @field_validator("metadata")
    @classmethod
    def _is_small(cls, metadata: dict[str, Any] | None) -> dict[str, Any] | None:
        if len(json.dumps(metadata, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
            raise ValueError(f"must not be larger than {MAX_METADATA_BYTES} bytes")
        return metadata

    @property
    def groups(self) -> list[str] | None:
        """The audience to be, empty for everybody; None: it stays."""
        return (self.audience or []) if "audience" in self.model_fields_set else None


class Me(Message):
    """Whose key this is and what it may do. `audience`: the groups whose documents it sees; null: all."""

    org_id: UUID
    organization: str
    key_id: UUID
    scopes: list[str]
    audience: list[str] | None = None
    llm_consent: bool = False
    """Whether the organisation lets its text go to a configured LLM: the same as `consents.llm`."""
    consents: Consents = Consents()
