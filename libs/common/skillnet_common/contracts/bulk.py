"""An archive of files becomes documents (`POST /v1/documents/bulk`): one line of JSON a file, then a summary."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, TypeAdapter

from skillnet_common.contracts.base import Message

NDJSON = "application/x-ndjson"


class BulkOutcome(StrEnum):
    """What became of a file. `ignored`: hidden files, and what systems add to archives by themselves."""

    CREATED = "created"
    NEW_VERSION = "new_version"
    UNCHANGED = "unchanged"
    REFUSED = "refused"
    IGNORED = "ignored"


class BulkFile(Message):
    """One file of the archive. `code` and `detail` say why it was refused."""

    kind: Literal["file"] = "file"
    path: str
    """In the archive; the external key of the document."""
    outcome: BulkOutcome
    document_id: UUID | None = None
    version: int | None = None
    code: str | None = None
    detail: str | None = None


class BulkSummary(Message):
    """The last line. Without it the reply was cut short; sending the archive again changes nothing that was done."""

    kind: Literal["summary"] = "summary"
    counts: dict[BulkOutcome, int]
    not_tried: int = 0
    """Files left when the system itself failed; the last file's `code` says how."""


BulkLine = Annotated[BulkFile | BulkSummary, Field(discriminator="kind")]

BULK_LINE: TypeAdapter[BulkFile | BulkSummary] = TypeAdapter(BulkLine)
"""Reads a line."""
