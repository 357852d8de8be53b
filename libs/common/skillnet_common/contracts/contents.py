"""What a version of a document was read into, over HTTP: its outline and its chunks."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message
from skillnet_common.contracts.retrieval import BoxOut


class OutlineSection(Message):
    """A node of the outline. Its span and pages are those of its own heading and text, without its children's.

    `section_id` stays the same across versions as long as the path does. Pages count from 1 and are null where the
    format has none; labels are the printed page numbers, where the document has its own numbering. Characters count
    in the document's canonical text, end excluded.
    """

    section_id: str
    parent_id: str | None
    """Null for the root alone: level 0, no heading, the text before the first heading."""
    level: int
    heading: str
    path: list[str]
    """The headings from the top down to and including this one."""
    page_start: int | None
    page_end: int | None
    page_label_start: str | None = None
    page_label_end: str | None = None
    char_start: int
    char_end: int


class RemovedText(Message):
    """What the file holds and the text does not: a running header, footer or page number (`running_line`), the header
    of a table repeated on a later page (`repeated_header`), what a reader cannot see (`hidden`), pages whose fonts do
    not tell their letters (`unreadable`)."""

    reason: str
    text: str
    pages: list[int] = Field(default_factory=list)
    """Empty where the format has none; the same text is listed once, with its pages."""


class UnindexedSpan(Message):
    """A part of the canonical text that no chunk holds: a table of contents (`contents`), or a heading that the
    header of the next chunk shows (`heading`). The end is excluded."""

    reason: str
    char_start: int
    char_end: int


class Outline(Message):
    """The tree of a version's sections, in reading order: each comes after the one it belongs to; and what of the
    file cannot be found, with the reason."""

    document_id: UUID
    version: int
    title: str
    page_count: int | None
    page_count_estimated: bool
    sections: list[OutlineSection]
    removed: list[RemovedText] = Field(default_factory=list)
    unindexed: list[UnindexedSpan] | None = None
    """Null until the version has been cut."""


class Chunk(Message):
    """A chunk as it is indexed."""

    chunk_id: UUID
    document_id: UUID
    version: int
    chunk_index: int
    kind: str
    """paragraph, list, table, code or note."""
    section_id: str
    section_path: list[str]
    text: str
    """The whole body; its first `overlap_chars` characters repeat the end of the chunk before."""
    overlap_chars: int
    header: str
    """What stands before the text in the model's input only: title and section."""
    page_start: int | None
    page_end: int | None
    page_label_start: str | None = None
    page_label_end: str | None = None
    char_start: int
    """Of the text without what it repeats, in the document's canonical text; the end is excluded."""
    char_end: int
    boxes: list[BoxOut]
    token_count: int
    """Of the model's whole input, header included."""
    language: str
    ocr: bool = False
    """Whether a part of the text came by character recognition (OCR) of a scanned page: it may hold errors."""


class ChunkPage(Message):
    """A page of a version's chunks in reading order. The cursor keeps to the version, whatever becomes live
    meanwhile; null: there is no further page."""

    document_id: UUID
    version: int
    chunk_count: int
    chunks: list[Chunk]
    next_cursor: str | None = None
