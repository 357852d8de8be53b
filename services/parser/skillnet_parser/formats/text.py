"""Plain text to drafts of blocks: paragraphs by blank lines, headings by label, capitals or underline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, Piece, text_block
from skillnet_parser.domain.hyphens import HyphenJoiner
from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.plain_headings import UNDERLINE, counting_lines, part_group
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.text_encoding import decode_text

_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S|^\s*\|.*\|\s*$")
_WRAP_SPREAD = 0.7
_MIN_WRAP_WIDTH, _MAX_WRAP_WIDTH = 40, 100  # lines that are all shorter were broken by hand


def read_text(path: Path) -> DraftDocument:
    """The blocks of a text file."""
    decoded = decode_text(path.read_bytes())
    source = decoded.text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    blocks = _with_levels(_read_blocks(source.split("\n")))
    first = blocks[0] if blocks else None
    title = first.pieces[0].text if first is not None and first.kind is BlockKind.HEADING else None
    return DraftDocument(blocks, FileType.TEXT, title=title, warnings=decoded.warnings)


def _with_levels(blocks: Iterable[DraftBlock]) -> tuple[DraftBlock, ...]:
    """The levels that a file uses without gaps, from 1 on, whatever its labels would have among all there are."""
    read = list(blocks)
    order = {level: place for place, level in enumerate(sorted({block.level for block in read} - {0}), start=1)}
    return tuple(replace(block, level=order[block.level]) if block.level else block for block in read)


def _read_blocks(lines: Sequence[str]) -> Iterator[DraftBlock]:
    wrapped_at = _wrap_width(lines)
    joiner = HyphenJoiner(lines)
    groups = [list(group) for is_blank, group in groupby(lines, key=lambda line: not line.strip()) if not is_blank]
    counting = counting_lines(lines)
    for part in (part for group in groups for part in part_group(group, counting)):
        if part.level:
            yield text_block(BlockKind.HEADING, " ".join(line.strip() for line in part.lines), part.level)
        else:
            yield from _read_text(part.lines, wrapped_at, joiner)


def _read_text(part: Sequence[str], wrapped_at: int | None, joiner: HyphenJoiner) -> Iterator[DraftBlock]:
    lines = [line for line in part if not UNDERLINE.match(line.strip())]
    if not lines:
        return
    items = [index for index, line in enumerate(lines) if starts_item(line)]
    if len(items) >= 2 or items[:1] == [0]:
        if items[0]:
            yield from _read_text(lines[: items[0]], wrapped_at, joiner)  # what leads in
        yield DraftBlock(BlockKind.LIST, tuple(_join_items(lines[items[0] :])))
    elif wrapped_at is not None and _is_wrapped(lines, wrapped_at):
        yield DraftBlock(BlockKind.PARAGRAPH, tuple(_join_wrapped(lines, joiner)))
    else:
        yield DraftBlock(BlockKind.PARAGRAPH, tuple(Piece(line, joint="\n") for line in lines))


def _wrap_width(lines: Iterable[str]) -> int | None:
    """The width at which the file's lines are wrapped, or None where a line is a paragraph."""
    lengths = sorted(len(line.rstrip()) for line in lines if line.strip())
    if not lengths:
        return None
    widest = lengths[int(len(lengths) * 0.98)]
    return widest if _MIN_WRAP_WIDTH <= widest <= _MAX_WRAP_WIDTH else None


def _is_wrapped(lines: Sequence[str], width: int) -> bool:
    """Whether all lines but the last run near the wrap width, so that their breaks mean nothing. Words set apart, or
    between bars, are columns, whose rows stay."""
    if any(_COLUMNS.search(line) for line in lines):
        return False
    return all(len(line.rstrip()) >= width * _WRAP_SPREAD for line in lines[:-1])


def _join_wrapped(lines: Sequence[str], joiner: HyphenJoiner) -> Iterator[Piece]:
    """The lines of a paragraph, broken words joined."""
    joint = " "
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        text, next_joint = joiner.join(line, below.lstrip())
        yield Piece(text.strip(), joint=joint)
        joint = next_joint


def _join_items(lines: Iterable[str]) -> Iterator[Piece]:
    """List items, one a line; a line without a marker continues the item before."""
    for line in lines:
        if starts_item(line):
            yield Piece(line.replace("\t", "    "), joint="\n")
        else:
            yield Piece(line.strip())
