"""One canonical text per document, and the offsets of its lines, blocks and sections."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from skillnet_common.documents import Block, BlockKind, Line, ParsedDocument, Section
from skillnet_parser.domain.characters import clean_characters, collapse_spaces
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, Piece
from skillnet_parser.domain.language import DEFAULT_LANGUAGE
from skillnet_parser.domain.outline import OutlineBuilder, OutlineNode

BLOCK_SEPARATOR = "\n\n"
WORDS_PER_PAGE = 350
MAX_TITLE_CHARS = 300
_AS_SET = frozenset({BlockKind.CODE, BlockKind.TABLE})


def build_document(draft: DraftDocument) -> ParsedDocument:
    """The canonical document of a draft. Blocks without text are dropped.

    Where the format has no pages, `page_count` is estimated at 350 words a page. The language is the default
    until `with_language` tells it.
    """
    assembly = _Assembly()
    for block in draft.blocks:
        assembly.add(block)
    text = "".join(assembly.parts)
    paged = draft.page_count is not None
    estimate = max(1, -(-len(text.split()) // WORDS_PER_PAGE))
    return ParsedDocument(
        text=text,
        lines=tuple(assembly.lines),
        blocks=tuple(assembly.blocks),
        sections=_place_sections(assembly, paged=paged),
        file_type=draft.file_type,
        page_count=draft.page_count if draft.page_count is not None else estimate,
        page_count_estimated=not paged,
        language=DEFAULT_LANGUAGE,
        title=_clean_title(draft.title),
        page_labels=tuple(clean_characters(label) for label in draft.page_labels),
        warnings=draft.warnings,
        removed=draft.removed,
        ocr_pages=draft.ocr_pages,
    )


@dataclass(slots=True)
class _Assembly:
    """The text so far and the offsets that count in it."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    lines: list[Line] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    outline: OutlineBuilder = field(default_factory=OutlineBuilder)
    section: int = 0

    def add(self, draft: DraftBlock) -> None:
        pieces = _clean_pieces(draft)
        if not pieces:
            return
        if self.blocks:
            self._append(BLOCK_SEPARATOR)
        start = self.length
        for piece in pieces:
            self._append(piece.joint)
            line_start = self.length
            self._append(piece.text)
            if piece.box is not None:
                self.lines.append(Line(line_start, self.length, piece.box))
        if draft.kind is BlockKind.HEADING:
            heading = collapse_spaces("".join(piece.joint + piece.text for piece in pieces).replace("\n", " "))
            self.section = self.outline.add(heading, draft.level)
        self.blocks.append(Block(draft.kind, start, self.length, self.section))

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)


def _clean_pieces(draft: DraftBlock) -> list[Piece]:
    """The block's pieces with clean text; the first has no joint."""
    cleaned: list[Piece] = []
    for piece in draft.pieces:
        text = _clean_text(piece.text, draft.kind)
        if not text:
            continue
        joint = piece.joint if cleaned else ""
        if cleaned and not joint and _would_compose(cleaned[-1].text, text):
            joint = " "
        cleaned.append(Piece(text, piece.box, joint))
    return cleaned


def _clean_text(text: str, kind: BlockKind) -> str:
    cleaned = clean_characters(text)
    if kind in _AS_SET:
        return "\n".join(line.rstrip() for line in cleaned.split("\n")).strip("\n")
    clean_line = _clean_item if kind is BlockKind.LIST else collapse_spaces
    return "\n".join(line for line in map(clean_line, cleaned.split("\n")) if line)


def _clean_item(line: str) -> str:
    """A list's line keeps its indentation, which shows how deep the item is."""
    text = collapse_spaces(line)
    return " " * (len(line) - len(line.lstrip(" "))) + text if text else ""


def _would_compose(left: str, right: str) -> bool:
    return not unicodedata.is_normalized("NFC", left[-1] + right[0])


def _place_sections(assembly: _Assembly, *, paged: bool) -> tuple[Section, ...]:
    spans = _spans_of_sections(assembly.blocks, len(assembly.outline.nodes))
    pages = _pages_of_spans(spans, assembly.lines)
    return tuple(
        _section(index, node, spans[index], pages[index] if paged else None)
        for index, node in enumerate(assembly.outline.nodes)
    )


def _section(index: int, node: OutlineNode, span: tuple[int, int], pages: tuple[int, int] | None) -> Section:
    first, last = pages if pages is not None else (None, None)
    return Section(
        index, node.section_id, node.parent, node.level, node.heading, node.path, span[0], span[1], first, last
    )


def _spans_of_sections(blocks: Sequence[Block], count: int) -> list[tuple[int, int]]:
    """A section's blocks are consecutive: its children's come after all of its own."""
    spans = [(0, 0)] * count
    for block in blocks:
        start, end = spans[block.section]
        spans[block.section] = (block.start if start == end else start, block.end)
    return spans


def _pages_of_spans(spans: Sequence[tuple[int, int]], lines: Iterable[Line]) -> list[tuple[int, int]]:
    """First and last page of each span; page 1 for an empty one."""
    ordered = sorted(lines, key=lambda line: line.start)
    pages: list[tuple[int, int]] = []
    at = 0
    for start, end in spans:
        found: list[int] = []
        while at < len(ordered) and ordered[at].start < end:
            if ordered[at].start >= start:
                found.append(ordered[at].box.page)
            at += 1
        pages.append((min(found), max(found)) if found else (1, 1))
    return pages


def _clean_title(title: str | None) -> str | None:
    if title is None:
        return None
    return collapse_spaces(clean_characters(title).replace("\n", " "))[:MAX_TITLE_CHARS].strip() or None
