"""Chooses where a sequence of units is cut: the cheapest partition by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from skillnet_chunker.domain.fragments import Boundary

_CUT_COST = {
    Boundary.BLOCK: 0.0,
    Boundary.ITEM: 0.03,
    Boundary.ROW: 0.03,
    Boundary.LINE: 0.2,
    Boundary.SENTENCE: 0.1,
    Boundary.CLAUSE: 0.5,
    Boundary.WORD: 1.0,
    Boundary.GLUE: 1.5,
    Boundary.CHARACTER: 2.0,
}
_OVER_TARGET = 3.0  # a chunk over the target costs this many times one as far below it


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens a chunk's text may take, what is repeated included, but without prefix and header."""

    target: int
    hard: int


def partition(
    tokens: Sequence[int], boundaries: Sequence[Boundary], repeated: Sequence[int], sizes: Sizes
) -> list[int]:
    """Indices of the units that begin a chunk; the first is 0.

    `tokens[i]` is the size of unit i, `boundaries[i]` what lies before it, `repeated[i]` the tokens a chunk
    that begins with it repeats. No chunk is larger than `sizes.hard` unless it is one unit. The cost is the
    squared relative distance from the target plus that of each cut; ties go to the longest last chunk.
    """
    best = [0.0] + [inf] * len(tokens)
    begins = [0] * (len(tokens) + 1)
    for end in range(1, len(tokens) + 1):
        size = 0
        for begin in range(end - 1, -1, -1):
            size += tokens[begin]
            alone = begin == end - 1
            if size > sizes.hard and not alone:
                break
            whole = size + (repeated[begin] if begin else 0)
            if whole > sizes.hard and not alone:
                continue
            cut = _CUT_COST[boundaries[begin]] if begin else 0.0
            cost = best[begin] + cut + _size_cost(whole, sizes)
            if cost <= best[end]:
                best[end], begins[end] = cost, begin
    return _walk_back(begins)


def _size_cost(size: int, sizes: Sizes) -> float:
    distance = (size - sizes.target) / sizes.target
    if distance > 0:
        return _OVER_TARGET * distance * distance
    return distance * distance


def _walk_back(begins: Sequence[int]) -> list[int]:
    cuts: list[int] = []
    position = len(begins) - 1
    while position > 0:
        position = begins[position]
        cuts.append(position)
    return cuts[::-1]
