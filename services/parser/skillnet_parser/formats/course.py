"""A course to drafts of blocks: modules and lessons are its headings, lessons' Markdown lies below them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from skillnet_common.courses.words import Part, read_words
from skillnet_common.documents import BlockKind
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, text_block
from skillnet_parser.formats.markdown import markdown_blocks
from skillnet_parser.formats.sniff import FileType

_LESSON_LEVEL = 2


def read_course(path: Path) -> DraftDocument:
    """The blocks of a course (`skillnet_common.courses.words`)."""
    try:
        course = read_words(path.read_bytes())
    except ValueError as error:
        raise PermanentFault(ErrorCode.CORRUPT_FILE, "The file begins as a course, but is none.") from error
    blocks = [*_paragraphs(course.description)]
    for module in course.modules:
        blocks += _blocks_of(module, level=1)
    return DraftDocument(tuple(blocks), FileType.COURSE, title=course.title)


def _blocks_of(part: Part, level: int) -> Iterator[DraftBlock]:
    yield text_block(BlockKind.HEADING, part.heading, level)
    yield from _paragraphs(part.summary)
    for block in markdown_blocks(part.content):
        yield replace(block, level=block.level + _LESSON_LEVEL) if block.kind is BlockKind.HEADING else block
    for below in part.parts:
        yield from _blocks_of(below, level + 1)
    if not (part.summary or part.content.strip() or part.parts):
        # Headings alone are not searched: what has no other words is found by its title.
        yield text_block(BlockKind.PARAGRAPH, part.heading)


def _paragraphs(text: str) -> Iterator[DraftBlock]:
    for paragraph in text.replace("\r\n", "\n").split("\n\n"):
        if paragraph.strip():
            yield text_block(BlockKind.PARAGRAPH, " ".join(paragraph.split()))
