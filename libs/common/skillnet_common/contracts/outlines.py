"""`retrieval.v1.outline`: the parts of a course or of documents, to choose from what is read."""

from __future__ import annotations

from uuid import UUID

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.retrieval import Filters


class OutlineRequest(Request):
    """`retrieval.v1.outline`: the modules of a course, or the sections of documents, to choose from."""

    filters: Filters = Filters()


class OutlinePart(Message):
    """A module or section with all that lies below it: `headings` are the lessons or sections right below, `opening`
    is how its text begins."""

    part_id: str
    document_id: UUID
    document_title: str
    path: list[str]
    headings: list[str]
    opening: str


class OutlineReply(Message):
    """In reading order. `is_course`: the parts are a course's. None: the scope has no outline, or is too large.
    `omitted`: parts of a large outline after those told."""

    is_course: bool
    parts: list[OutlinePart]
    omitted: int = 0
