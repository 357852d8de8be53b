"""Addresses and signatures side by side: each is read to its end, though their lines share baselines.

They are no prose that fills a column and no table: what tells them is what they say, on both sides.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

from skillnet_parser.domain.block_words import are_blocks, names_signer, tells_block, without_label_rows
from skillnet_parser.domain.layout import Fragment

_SAME_EDGE = 2.0  # points
_SAME_MIDDLE = 0.5  # times the size
_GUTTER = 2.0  # times the size
_NEAR = 2.5  # times the size: from one line to the next
_TO_SIGN = 8.0  # times the size

Lines = list[Fragment]


def part_side_blocks(region: Sequence[Fragment]) -> list[Lines]:
    """The region in parts, in reading order: what stands above two such blocks, the left one, the right one, and what
    stands below; the whole region where there are none."""
    parts: list[Lines] = []
    rest = list(region)
    while rest and (blocks := _first_blocks(rest)) is not None:
        left, right = blocks
        top = min(fragment.rect.middle for fragment in [*left, *right])
        taken = {*left, *right}
        around = [fragment for fragment in rest if fragment not in taken]
        parts += [[fragment for fragment in around if fragment.rect.middle < top], left, right]
        rest = [fragment for fragment in around if fragment.rect.middle >= top]
    return [part for part in [*parts, rest] if part]


def _first_blocks(region: Sequence[Fragment]) -> tuple[Lines, Lines] | None:
    """The topmost two blocks side by side."""
    if sum(tells_block(fragment) for fragment in region) < 2:
        return None
    heights = _Heights(region)
    return next((blocks for seed in heights.lines if (blocks := _blocks_from(seed, heights)) is not None), None)


class _Heights:
    """The lines of a region from the top down, found by where they stand."""

    def __init__(self, region: Sequence[Fragment]) -> None:
        self.lines = sorted(region, key=lambda line: (line.rect.middle, line.rect.x0))
        self._middles = [line.rect.middle for line in self.lines]
        self._reach = max(line.rect.height for line in self.lines)

    def between(self, top: float, bottom: float) -> Iterator[Fragment]:
        """The lines whose middle stands below one height and above the other."""
        start, end = bisect_right(self._middles, top), bisect_left(self._middles, bottom)
        return islice(self.lines, start, max(start, end))

    def below(self, line: Fragment) -> Iterator[Fragment]:
        """The lines whose middle stands lower."""
        return islice(self.lines, bisect_right(self._middles, line.rect.middle), None)

    def beside(self, line: Fragment) -> Iterator[Fragment]:
        """What else stands on the line's baseline."""
        near = self.between(line.rect.middle - self._reach, line.rect.middle + self._reach)
        return (one for one in near if one is not line and _on_a_line(line, one))


def _blocks_from(seed: Fragment, heights: _Heights) -> tuple[Lines, Lines] | None:
    """The two blocks whose first lines are the seed and what stands on its baseline."""
    beside = list(islice(heights.beside(seed), 2))
    if len(beside) != 1 or beside[0].rect.x0 - seed.rect.x1 < _GUTTER * seed.style.size:
        return None
    down_right = _down_from(beside[0], heights)
    gutter = min(line.rect.x0 for line in down_right) - _SAME_EDGE
    down_left = list(takewhile(lambda line: line.rect.x1 <= gutter, _down_from(seed, heights)))
    left, right = without_label_rows(down_left, down_right)
    if not left or not right or left[0] is not seed:
        return None
    return (left, right) if are_blocks(left, right) and not _are_crossed(left, right, heights) else None


def _down_from(first: Fragment, heights: _Heights) -> Lines:
    """The line and those below it at the same edges or middle, without a wider gap but for the one left
    to sign in."""
    lines = [first]
    for fragment in heights.below(first):
        distance = fragment.rect.middle - lines[-1].rect.middle
        signs = len(lines) == 1 and names_signer(first)
        if distance > (_TO_SIGN if signs else _NEAR) * lines[-1].style.size:
            break
        if distance > 0 and _is_aligned(fragment, first):
            lines.append(fragment)
    return lines


def _is_aligned(line: Fragment, first: Fragment) -> bool:
    one, other = line.rect, first.rect
    from_middle = abs(one.x0 + one.x1 - other.x0 - other.x1) / 2
    is_centred = from_middle <= _SAME_MIDDLE * line.style.size
    return is_centred or min(abs(one.x0 - other.x0), abs(one.x1 - other.x1)) <= _SAME_EDGE


def _are_crossed(left: Lines, right: Lines, heights: _Heights) -> bool:
    """Whether anything else stands at their height: a third column, as in a table."""
    lines = {*left, *right}
    top, bottom = min(line.rect.y0 for line in lines), max(line.rect.y1 for line in lines)
    return any(one not in lines for one in heights.between(top, bottom))


def _on_a_line(one: Fragment, other: Fragment) -> bool:
    shared = min(one.rect.y1, other.rect.y1) - max(one.rect.y0, other.rect.y0)
    return shared > 0.5 * min(one.rect.height, other.rect.height)
