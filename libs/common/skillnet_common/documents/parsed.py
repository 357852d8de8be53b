"""A document as read: one canonical text, and how it is built up of lines, blocks and sections."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class BlockKind(StrEnum):
    """What a run of the canonical text is. `CONTENTS` and `HEADING` are not chunked as body text."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST = "list"
    TABLE = "table"
    CODE = "code"
    NOTE = "note"
    CONTENTS = "contents"  # a table of contents: kept in the text, never indexed


@dataclass(frozen=True, slots=True)
class Box:
    """Where a line stands on its page. `page` counts from 1; the corners are fractions (0 to 1) of the
    visible page, origin at the top left, rotation and crop box already applied."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line: the half-open span [start, end) of the canonical text, in characters, and its place."""

    start: int
    end: int
    box: Box


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table, heading ...: the span [start, end) of the canonical text.

    Blocks are in reading order, do not overlap, and cover every character but the white space between them.
    `section` is the index of the section the block belongs to (a heading belongs to the section it opens).
    """

    kind: BlockKind
    start: int
    end: int
    section: int


@dataclass(frozen=True, slots=True)
class Section:
    """A node of the outline, in reading order.

    Section 0 is the root: level 0, heading "", path (). `parent` is the index of the section above
    (None for the root). `path` holds the headings from the top down to and including this one.
    `section_id` is stable across versions as long as the path is: a hash of the path and, for equal
    paths, their ordinal. [start, end) spans the section's own heading and blocks, not its children's.
    `page_start`/`page_end` count from 1 and are None where the format has no pages.
    """

    index: int
    section_id: str
    parent: int | None
    level: int
    heading: str
    path: tuple[str, ...]
    start: int
    end: int
    page_start: int | None
    page_end: int | None


class RemovalReason(StrEnum):
    """Why text that stands in a file is not in its canonical text."""

    RUNNING_LINE = "running_line"  # a header, footer or page number
    REPEATED_HEADER = "repeated_header"  # of a table, on a later page of it
    HIDDEN = "hidden"  # a reader of the page cannot see it
    UNREADABLE = "unreadable"  # the page's fonts do not say which letters they show


@dataclass(frozen=True, slots=True)
class Removal:
    """Text that was left out. `page` counts from 1 and is None where the format has no pages."""

    reason: RemovalReason
    page: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """What the parser hands on.

    `text` is NFC, has no NUL or lone surrogates, separates blocks by a blank line, and is what every offset
    in the system counts in. `lines` is empty for formats without pages. `page_count` is the real number of
    pages, or an estimate where `page_count_estimated`. `page_labels` are the printed page numbers, one a
    page, or empty. `language` is ISO 639-1. `warnings` are sentences a person understands. `removed` is what
    the file holds and `text` does not, with the reason.
    """

    text: str
    lines: tuple[Line, ...]
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    file_type: str
    page_count: int
    page_count_estimated: bool
    language: str
    title: str | None = None
    page_labels: tuple[str, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    removed: tuple[Removal, ...] = field(default=())
    ocr_pages: tuple[int, ...] = ()
