"""What a reader hands to the canonical builder: blocks of pieces, before any offset exists."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_common.documents import BlockKind, Box, Removal


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text within a block: a printed line where `box` is given.

    `joint` is what stands between the piece before and this one: a space inside a paragraph, a newline
    between list items or table rows, nothing where a word was hyphenated.
    """

    text: str
    box: Box | None = None
    joint: str = " "


@dataclass(frozen=True, slots=True)
class DraftBlock:
    """A block to be. `level` counts from 1 (top) for headings and is 0 otherwise."""

    kind: BlockKind
    pieces: tuple[Piece, ...]
    level: int = 0


@dataclass(frozen=True, slots=True)
class DraftDocument:
    """All a reader knows about a file. `page_count` is None where the format has no pages."""

    blocks: tuple[DraftBlock, ...]
    file_type: str
    page_count: int | None = None
    title: str | None = None
    page_labels: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    removed: tuple[Removal, ...] = ()
    ocr_pages: tuple[int, ...] = ()


def text_block(kind: BlockKind, text: str, level: int = 0) -> DraftBlock:
    """A block of a format without pages."""
    return DraftBlock(kind, (Piece(text),), level)
