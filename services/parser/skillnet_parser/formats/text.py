"""Plain text to drafts of blocks: paragraphs by blank lines, headings by label, capitals or underline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, Piece, text_block
from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.numbering import Label, read_label
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.text_encoding import decode_text

_UNDERLINE = re.compile(r"(=|-|~|\*|_)\1{2,}\s*$")
_MAX_HEADING_WORDS = 14
_MAX_LABELLED_WORDS = 30
_WRAP_SPREAD = 0.7
_MAX_WRAP_WIDTH = 100
_CAPS_LEVEL = 1
_DECIMAL_LEVEL = 2


def read_text(path: Path) -> DraftDocument:
    """The blocks of a text file."""
    decoded = decode_text(path.read_bytes())
    source = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    blocks = tuple(_read_blocks(source.split("\n")))
    first = blocks[0] if blocks else None
    title = first.pieces[0].text if first is not None and first.kind is BlockKind.HEADING else None
    return DraftDocument(blocks, FileType.TEXT, title=title, warnings=decoded.warnings)


def _read_blocks(lines: Sequence[str]) -> Iterator[DraftBlock]:
    wrapped_at = _wrap_width(lines)
    for is_blank, group in groupby(lines, key=lambda line: not line.strip()):
        if not is_blank:
            yield from _read_group(list(group), wrapped_at)


def _read_group(lines: list[str], wrapped_at: int | None) -> Iterator[DraftBlock]:
    """The lines between two blank ones."""
    if len(lines) >= 2 and _UNDERLINE.match(lines[1].strip()) and _is_short(lines[0]):
        yield text_block(BlockKind.HEADING, lines[0], 1 if lines[1].strip()[0] == "=" else 2)
        lines = lines[2:]
    elif level := _heading_level(lines):
        yield text_block(BlockKind.HEADING, " ".join(line.strip() for line in lines), level)
        return
    lines = [line for line in lines if not _UNDERLINE.match(line.strip())]
    if not lines:
        return
    if sum(starts_item(line) for line in lines) >= 2 or starts_item(lines[0]):
        yield DraftBlock(BlockKind.LIST, tuple(_join_items(lines)))
    else:
        joint = " " if wrapped_at is not None and _is_wrapped(lines, wrapped_at) else "\n"
        yield DraftBlock(BlockKind.PARAGRAPH, tuple(Piece(line, joint=joint) for line in lines))


def _heading_level(lines: Sequence[str]) -> int:
    """0 where the lines between two blank ones are not a heading."""
    text = " ".join(line.strip() for line in lines)
    if len(lines) > 2 or text.endswith((",", ";", ":")):
        return 0
    words = len(text.split())
    label = read_label(text)
    if label is not None and words <= _MAX_LABELLED_WORDS and _is_heading(label, text):
        return _label_level(label)
    letters = [char for char in text if char.isalpha()]
    if len(letters) >= 4 and words <= _MAX_HEADING_WORDS and text.isupper() and not text.endswith("."):
        return _CAPS_LEVEL
    return 0


def _is_heading(label: Label, text: str) -> bool:
    """A number may begin a sentence or a date too: `3 de mayo`."""
    return label.family == "division" or not (text.endswith(".") or label.rest[:1].islower())


def _label_level(label: Label) -> int:
    return label.rank + (_CAPS_LEVEL if label.family == "division" else _DECIMAL_LEVEL)


def _is_short(line: str) -> bool:
    return 0 < len(line.split()) <= _MAX_HEADING_WORDS


def _wrap_width(lines: Iterable[str]) -> int | None:
    """The width at which the file's lines are wrapped, or None where a line is a paragraph."""
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    if not lengths:
        return None
    widest = lengths[int(len(lengths) * 0.98)]
    return widest if widest <= _MAX_WRAP_WIDTH else None


def _is_wrapped(lines: Sequence[str], width: int) -> bool:
    """Whether all lines but the last run near the wrap width, so that their breaks mean nothing."""
    return all(len(line.rstrip()) >= width * _WRAP_SPREAD for line in lines[:-1])


def _join_items(lines: Iterable[str]) -> Iterator[Piece]:
    """List items, one a line; a line without a marker continues the item before."""
    for line in lines:
        if starts_item(line):
            yield Piece(line.replace("\t", "    "), joint="\n")
        else:
            yield Piece(line.strip())
