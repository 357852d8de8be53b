"""The smallest pieces a chunk is made of: sentences, list items, table rows, lines of code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from skillnet_chunker.domain.fragments import Boundary, fragments
from skillnet_chunker.domain.meter import Meter
from skillnet_common.documents import Block, BlockKind
from skillnet_common.documents.readable_tables import readable_row
from skillnet_common.text.sentences import sentence_spans

Span = tuple[int, int]

_SHORT_PARAGRAPH = 100  # characters
_FRAGMENTS_A_CHUNK = 4  # pieces of an overlong sentence are this many times shorter than a chunk, to pack well
_ITEM = re.compile(
    r"[ \t]*(?:[-–—*+•·▪◦‣●○■□✓➢]|\(?\d{1,3}(?:\.\d{1,3})*[.)ºª°-]{1,2}|\(?[^\W\d_][.)]|\(?[ivxlcIVXLC]{1,6}[.)])\s"
)
_TABLE_RULE = re.compile(r"[|:\-\s]*-{2,}[|:\-\s]*")
_LONGEST_TABLE_HEAD = 4  # lines
_CELLS = re.compile(r"[|\t]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A span that is not cut, what lies before it, and what to repeat when a chunk begins with it."""

    start: int
    end: int
    boundary: Boundary
    kind: BlockKind
    tokens: int = 0
    repeats: Span | None = None
    readable: bool = False
    """A row that the model reads with the names of its columns, whether or not they are repeated above it."""


def units_of(
    text: str, blocks: Sequence[Block], *, start: int, language: str, meter: Meter, limit: int, row_limit: int
) -> list[Unit]:
    """Units of the blocks from `start` on, in order, none of more than `limit` tokens; of a table, none that takes
    more than `row_limit` with the header it repeats.

    Tokens of a unit include the white space before it, so that sums come close to the whole.
    """
    whole = _glued(list(_of_blocks(text, blocks, start, language)), text)
    measured: list[Unit] = []
    before = start
    for bare in whole:
        unit = _measured(bare, text, before, meter)
        head = meter.piece(text[slice(*unit.repeats)]) if unit.repeats else 0
        if unit.tokens <= (max(limit, row_limit - head) if unit.kind is BlockKind.TABLE else limit):
            measured.append(unit)
        else:
            measured.extend(_cut(unit, text, language, meter, limit))
        before = unit.end
    return measured


def _measured(unit: Unit, text: str, before: int, meter: Meter) -> Unit:
    if unit.kind is BlockKind.TABLE and unit.repeats:
        head = text[slice(*unit.repeats)].partition("\n")[0]
        readable = readable_row(head, text[unit.start : unit.end])
        if readable is not None:
            return replace(unit, tokens=meter.piece(readable), readable=True)
    return replace(unit, tokens=meter.piece(text[before : unit.end]))


def _of_blocks(text: str, blocks: Sequence[Block], start: int, language: str) -> Iterator[Unit]:
    lead: Span | None = None
    for block in blocks:
        begin = max(block.start, start)
        match block.kind:
            case BlockKind.TABLE:
                units = _table(text, begin, block.end)
            case BlockKind.LIST:
                units = _list(text, begin, block.end, lead)
            case BlockKind.CODE:
                units = _code(text, begin, block.end)
            case BlockKind.HEADING:
                units = _heading(text, begin, block.end)
            case _:
                units = _prose(text, begin, block.end, language, block.kind)
        last: Unit | None = None
        for unit in units:
            yield unit if last else replace(unit, boundary=Boundary.BLOCK)
            last = unit
        if last:
            lead = (last.start, last.end) if _introduces(text, last) else None


def _introduces(text: str, unit: Unit) -> bool:
    return unit.kind not in (BlockKind.TABLE, BlockKind.CODE) and text[unit.start : unit.end].endswith(":")


def _glued(units: list[Unit], text: str) -> list[Unit]:
    """Units with every heading and lead-in tied to what follows it, and short paragraphs loosely so."""
    for index in range(1, len(units)):
        before, unit = units[index - 1], units[index]
        if before.kind is BlockKind.HEADING or _introduces(text, before):
            units[index] = replace(unit, boundary=Boundary.GLUE)
        elif unit.boundary is Boundary.BLOCK and _announces(before):
            units[index] = replace(unit, boundary=Boundary.SENTENCE)
    return units


def _announces(unit: Unit) -> bool:
    """Whether a unit is a short paragraph: a label, a date, a heading that was not recognised as one."""
    is_paragraph = unit.kind is BlockKind.PARAGRAPH and unit.boundary is Boundary.BLOCK
    return is_paragraph and unit.end - unit.start <= _SHORT_PARAGRAPH


def _heading(text: str, start: int, end: int) -> Iterator[Unit]:
    for begin, stop in _trimmed(text, start, end):
        yield Unit(begin, stop, Boundary.BLOCK, BlockKind.HEADING)


def _prose(text: str, start: int, end: int, language: str, kind: BlockKind) -> Iterator[Unit]:
    for begin, stop in sentence_spans(text, start, end, language):
        yield Unit(begin, stop, Boundary.SENTENCE, kind)


def _list(text: str, start: int, end: int, lead: Span | None) -> Iterator[Unit]:
    lines = list(_lines(text, start, end))
    marked = [bool(_ITEM.match(text, begin)) for begin, _ in lines]
    items: list[Span] = []
    for (begin, stop), is_item in zip(lines, marked, strict=True):
        if items and not is_item and any(marked):
            items[-1] = (items[-1][0], stop)
        else:
            items.append((begin, stop))
    if lead is None and len(items) > 1 and not marked[0] and text[items[0][0] : items[0][1]].endswith(":"):
        lead = _stripped(text, *items[0])
    outermost = min((_indent(text, begin) for begin, _ in items), default=0)
    for begin, stop in items:
        nested = _indent(text, begin) > outermost
        yield Unit(
            *_stripped(text, begin, stop),
            boundary=Boundary.SENTENCE if nested else Boundary.ITEM,
            kind=BlockKind.LIST,
            repeats=lead if lead and lead[1] <= begin else None,
        )


def _table(text: str, start: int, end: int) -> Iterator[Unit]:
    rows = [_stripped(text, *line) for line in _lines(text, start, end)]
    head = _head_rows(text, rows)
    repeated = (rows[0][0], rows[head - 1][1]) if head else None
    for index, (begin, stop) in enumerate(rows):
        tied = 0 < index <= head
        yield Unit(
            begin,
            stop,
            boundary=Boundary.GLUE if tied else Boundary.ROW,
            kind=BlockKind.TABLE,
            repeats=repeated if index > head else None,
        )


def _head_rows(text: str, rows: Sequence[Span]) -> int:
    """How many first rows name the columns: those above a Markdown rule with it, else a row without figures."""
    for index, (begin, stop) in enumerate(rows[:_LONGEST_TABLE_HEAD]):
        if index and _TABLE_RULE.fullmatch(text, begin, stop):
            return index + 1
    if len(rows) < 3:
        return 0
    first = text[slice(*rows[0])]
    return int(bool(_CELLS.search(first)) and not any(character.isdigit() for character in first))


def _code(text: str, start: int, end: int) -> Iterator[Unit]:
    previous = start
    for begin, stop in _lines(text, start, end):
        after_blank = text.count("\n", previous, begin) > 1
        nested = text[begin].isspace()
        after_gap = Boundary.SENTENCE if nested else Boundary.ITEM
        yield Unit(
            begin,  # with its indentation
            begin + len(text[begin:stop].rstrip()),
            boundary=after_gap if after_blank else Boundary.LINE,
            kind=BlockKind.CODE,
        )
        previous = stop


def _cut(unit: Unit, text: str, language: str, meter: Meter, limit: int) -> Iterator[Unit]:
    """The unit in pieces of at most `limit` tokens: its sentences, and fragments of those too long."""
    boundary = unit.boundary
    cells_or_lines = unit.kind in (BlockKind.TABLE, BlockKind.CODE)
    spans = [(unit.start, unit.end)] if cells_or_lines else list(sentence_spans(text, unit.start, unit.end, language))
    for start, end in spans:
        tokens = meter.piece(text[start:end])
        if tokens <= limit:
            yield replace(unit, start=start, end=end, boundary=boundary, tokens=tokens, readable=False)
            boundary = Boundary.SENTENCE
            continue
        short = max(1, limit // _FRAGMENTS_A_CHUNK)
        for begin, stop, after in fragments(text, start, end, limit=short, count=meter.piece):
            for piece in _trimmed(text, begin, stop):
                yield replace(
                    unit,
                    readable=False,
                    start=piece[0],
                    end=piece[1],
                    boundary=boundary,
                    tokens=meter.piece(text[slice(*piece)]),
                )
            boundary = after


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    """Lines that are not blank, without their line break."""
    begin = start
    while begin < end:
        stop = text.find("\n", begin, end)
        stop = end if stop < 0 else stop
        if text[begin:stop].strip():
            yield begin, stop
        begin = stop + 1


def _indent(text: str, start: int) -> int:
    line_start = text.rfind("\n", 0, start) + 1
    indented = text[line_start : start + 80]
    return len(indented) - len(indented.lstrip())


def _stripped(text: str, start: int, end: int) -> Span:
    """The span without white space at its ends; the text must hold more than that."""
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    return begin, begin + len(piece.strip())


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    if text[start:end].strip():
        yield _stripped(text, start, end)
