"""`retrieval.v1.outline`: the parts of a course or of documents, to choose from what is read."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.retrieval import MAX_TURNS, Asked, Filters


class OutlineRequest(Request):
    """`retrieval.v1.outline`: the modules of a course, or the sections of documents, to choose from.

    With a `query`, and the conversation's questions before it in `earlier`, the parts are ranked by its words: of a
    large outline the best are told."""

    query: Asked | None = None
    earlier: list[Asked] = Field(default_factory=list, max_length=MAX_TURNS)
    filters: Filters = Filters()


class OutlinePart(Message):
    """A module or section with all that lies below it: `headings` are the lessons or sections right below, `opening`
    is how its text begins. `rank`: its place by the words of the question, from 1; null where it holds none."""

    part_id: str
    document_id: UUID
    document_title: str
    path: list[str]
    headings: list[str]
    opening: str
    rank: int | None = None


class OutlineReply(Message):
    """In reading order. `is_course`: the parts are a course's. None: the scope has no outline, or is too large.
    `omitted`: parts of a large outline that are not told."""

    is_course: bool
    parts: list[OutlinePart]
    omitted: int = 0
