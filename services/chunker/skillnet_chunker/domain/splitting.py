"""Cuts a run of blocks into passages that fit the window."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from skillnet_chunker.domain.fragments import best_cut
from skillnet_chunker.domain.header import Header
from skillnet_chunker.domain.partition import Sizes, partition
from skillnet_chunker.domain.passages import Passage, Span, Workbench
from skillnet_chunker.domain.runs import Run
from skillnet_chunker.domain.units import Unit, units_of
from skillnet_common.documents import BlockKind

_FEW_CHARACTERS_PER_TOKEN = 3  # with fewer, a text is most likely below the target, and counted whole at once
_MANY_CHARACTERS_PER_TOKEN = 8  # with more, it is surely above
_UNREPEATED = (BlockKind.TABLE, BlockKind.CODE)


def split(run: Run, bench: Workbench, header: Header) -> list[Passage]:
    """The run in passages, in order: one if it is not longer than the target, else cut at its best places."""
    start = bench.opening_start(header, run.first, run.last)
    end = bench.blocks[run.last].end
    options = bench.options
    room = options.target - header.tokens
    if _may_be_one(bench, start, end, room):
        tokens = bench.measure(header, start, end)
        if tokens <= options.target:
            return [
                Passage(
                    section=run.section,
                    header=header,
                    first_block=run.first,
                    last_block=run.last,
                    start=start,
                    end=end,
                    opening=run.opening,
                    whole=run.opening,
                    tokens=tokens,
                )
            ]
    blocks = [block for block in bench.blocks[run.first : run.last + 1] if block.end > start]
    units = units_of(
        bench.text,
        blocks,
        start=start,
        language=bench.language,
        meter=bench.meter,
        limit=room - options.overlap,
        row_limit=options.window - header.tokens,
    )
    return list(_passages(run, bench, header, units))


def _may_be_one(bench: Workbench, start: int, end: int, room: int) -> bool:
    characters = end - start
    if characters <= room * _FEW_CHARACTERS_PER_TOKEN:
        return True
    return characters <= room * _MANY_CHARACTERS_PER_TOKEN and bench.meter.piece(bench.text[start:end]) <= room


def _passages(run: Run, bench: Workbench, header: Header, units: list[Unit]) -> Iterator[Passage]:
    options = bench.options
    sizes = Sizes(target=options.target - header.tokens, hard=options.window - header.tokens)
    repeats = [_repeated(units, index, bench, sizes) for index in range(len(units))]
    begins = partition(
        [unit.tokens for unit in units],
        [unit.boundary for unit in units],
        [tokens for _, tokens in repeats],
        sizes,
    )
    previous_start = -1
    for begin, stop in pairwise([*begins, len(units)]):
        repeated, _ = repeats[begin]
        if repeated and repeated != units[begin].repeats and repeated[0] <= previous_start:
            repeated = None  # a chunk never repeats the whole of the one before
        span = (units[begin].start, units[stop - 1].end)
        opening = run.opening and begin == 0
        for passage in _fitting(run, bench, header, span=span, repeated=repeated, opening=opening):
            previous_start = passage.start
            yield passage


def _repeated(units: list[Unit], index: int, bench: Workbench, sizes: Sizes) -> tuple[Span | None, int]:
    """What a chunk that begins with this unit repeats, and how many tokens that takes."""
    unit = units[index]
    if unit.repeats:
        tokens = bench.meter.piece(bench.text[slice(*unit.repeats)])
        most = sizes.hard // 2 if unit.kind is BlockKind.TABLE else bench.options.overlap
        if tokens <= most:
            return unit.repeats, 0 if unit.readable else tokens
    if unit.kind is BlockKind.TABLE:
        return None, 0
    first, tokens = index, 0
    while (
        index - first < bench.options.overlap_sentences
        and first > 1
        and units[first - 1].kind not in _UNREPEATED
        and tokens + units[first - 1].tokens <= bench.options.overlap
    ):
        first -= 1
        tokens += units[first].tokens
    return ((units[first].start, units[index - 1].end), tokens) if first < index else (None, 0)


def _fitting(
    run: Run, bench: Workbench, header: Header, *, span: Span, repeated: Span | None, opening: bool
) -> Iterator[Passage]:
    """The span as one passage if the exact count allows it: else without what it repeats, else in halves."""
    window = bench.options.window
    tokens = bench.measure(header, *span, repeated)
    if tokens > window and repeated:
        repeated = None
        tokens = bench.measure(header, *span)
    if tokens <= window:
        first, last = bench.blocks_within(*span)
        yield Passage(
            section=run.section,
            header=header,
            first_block=run.first if opening else first,
            last_block=last,
            start=span[0],
            end=span[1],
            opening=opening,
            whole=False,
            tokens=tokens,
            repeated=repeated,
        )
        return
    for half in _halves(bench.text, *span):
        yield from _fitting(run, bench, header, span=half, repeated=None, opening=opening and half[0] == span[0])


def _halves(text: str, start: int, end: int) -> list[Span]:
    if end - start < 2:
        raise ValueError("the window leaves no room for a single character beside prefix and header")
    reach = start + max(1, (end - start) * 2 // 3)
    cut, _ = best_cut(text, start, reach, end)
    halves = []
    for begin, stop in ((start, cut), (cut, end)):
        piece = text[begin:stop]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            halves.append((begin + lead, begin + len(piece.rstrip())))
    return halves
