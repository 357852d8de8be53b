"""Addresses and signatures side by side: each is read to its end, though their lines share baselines.

They are no prose that fills a column and no table: what tells them is what they say, on both sides.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from skillnet_parser.domain.layout import Fragment

_SAME_EDGE = 2.0  # points
_GUTTER = 2.0  # times the size
_NEAR = 2.5  # times the size: from one line to the next
_MIN_LINES = 3
_ADDRESS = (
    re.compile(r"\b\d{4,5}(?:-\d{3})?\s+[A-ZÁÉÍÓÚÑ][a-záéíóúñ]"),
    re.compile(r"\b(?:[CN]\.?I\.?F\b|D\.?N\.?I\b|VAT\b)", re.IGNORECASE),
    re.compile(
        r"\b(?:calle\b|c/|avda|avenida|av\.|plaza|pza|paseo|ctra|carretera|pol[íi]gono|rua\b|street\b|road\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:tel[.:éf]|tfno|phone)", re.IGNORECASE),
    re.compile(r"@[\w.-]+\.\w"),
)
"""Postal code and place, number of a company or person, street, telephone, e-mail."""
_SIGNATURE = re.compile(r"\b(?:fdo|firmado|firma|assinatura|signed)\b", re.IGNORECASE)

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
    told = sum(bool(_kinds(fragment.text)) or _SIGNATURE.search(fragment.text) is not None for fragment in region)
    if told < 2:
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
    left, right = _down_from(seed, heights), _down_from(beside[0], heights)
    gutter = beside[0].rect.x0 - _SAME_EDGE
    if any(line.rect.x1 > gutter for line in left):
        return None
    return (left, right) if _say_alike(left, right) and not _are_crossed(left, right, heights) else None


def _down_from(first: Fragment, heights: _Heights) -> Lines:
    """The line and those below it at the same edge, without a wider gap."""
    lines = [first]
    for fragment in heights.below(first):
        distance = fragment.rect.middle - lines[-1].rect.middle
        if distance > _NEAR * lines[-1].style.size:
            break
        if distance > 0 and abs(fragment.rect.x0 - first.rect.x0) <= _SAME_EDGE:
            lines.append(fragment)
    return lines


def _are_crossed(left: Lines, right: Lines, heights: _Heights) -> bool:
    """Whether anything else stands at their height: a third column, as in a table."""
    lines = {*left, *right}
    top, bottom = min(line.rect.y0 for line in lines), max(line.rect.y1 for line in lines)
    return any(one not in lines for one in heights.between(top, bottom))


def _say_alike(left: Lines, right: Lines) -> bool:
    if sum(line.text.rstrip().endswith(":") for line in left) * 2 > len(left):
        return False  # labels before their values
    if all(any(_SIGNATURE.search(line.text) for line in side) for side in (left, right)):
        return True
    return all(len(side) >= _MIN_LINES and _holds_address(side) for side in (left, right))


def _holds_address(lines: Lines) -> bool:
    """Whether most lines are of an address, each another part of it: a column of streets is one of a table."""
    kinds = [_kinds(line.text) for line in lines]
    counts = Counter(kind for line in kinds for kind in line)
    return sum(map(bool, kinds)) >= _MIN_LINES - 1 and 2 * max(counts.values(), default=0) <= len(lines)


@lru_cache(maxsize=4096)  # lines of several blocks that are tried
def _kinds(text: str) -> tuple[int, ...]:
    return tuple(number for number, kind in enumerate(_ADDRESS) if kind.search(text))


def _on_a_line(one: Fragment, other: Fragment) -> bool:
    shared = min(one.rect.y1, other.rect.y1) - max(one.rect.y0, other.rect.y0)
    return shared > 0.5 * min(one.rect.height, other.rect.height)
