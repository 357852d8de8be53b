"""Work on the bus: ids only, never content."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from skillnet_common.contracts.base import Message


class Stage(StrEnum):
    """A step of a document's way, done by the service of the same name."""

    PARSE = "parse"
    CHUNK = "chunk"
    EMBED = "embed"


class WorkMessage(Message):
    """A hint that a row of the `work` table waits. The row is the truth; the message may come twice or never."""

    org_id: UUID
    work_id: UUID
    stage: Stage
    release: int
    """How many times the row has been released: part of the message id, so that a release anew is no duplicate."""
