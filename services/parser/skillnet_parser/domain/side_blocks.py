"""Addresses and signatures side by side: each is read to its end, though their lines share baselines.

They are no prose that fills a column and no table: what tells them is what they say, on both sides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

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
    told = sum(bool(_kinds(fragment)) or _SIGNATURE.search(fragment.text) is not None for fragment in region)
    if told < 2:
        return [list(region)]
    for seed in sorted(region, key=lambda fragment: (fragment.rect.middle, fragment.rect.x0)):
        blocks = _blocks_from(seed, region)
        if blocks is not None:
            left, right = blocks
            top = min(fragment.rect.middle for fragment in [*left, *right])
            rest = [fragment for fragment in region if fragment not in left and fragment not in right]
            above = [fragment for fragment in rest if fragment.rect.middle < top]
            below = [fragment for fragment in rest if fragment.rect.middle >= top]
            parts = [above, left, right, *(part_side_blocks(below) if below else [])]
            return [part for part in parts if part]
    return [list(region)]


def _blocks_from(seed: Fragment, region: Sequence[Fragment]) -> tuple[Lines, Lines] | None:
    """The two blocks whose first lines are the seed and what stands on its baseline."""
    beside = [one for one in region if one is not seed and _on_a_line(seed, one)]
    if len(beside) != 1 or beside[0].rect.x0 - seed.rect.x1 < _GUTTER * seed.style.size:
        return None
    left, right = _down_from(seed, region), _down_from(beside[0], region)
    gutter = beside[0].rect.x0 - _SAME_EDGE
    if any(line.rect.x1 > gutter for line in left) or _are_crossed(left, right, region):
        return None
    return (left, right) if _say_alike(left, right) else None


def _down_from(first: Fragment, region: Sequence[Fragment]) -> Lines:
    """The line and those below it at the same edge, without a wider gap."""
    lines = [first]
    for fragment in sorted(region, key=lambda fragment: fragment.rect.middle):
        distance = fragment.rect.middle - lines[-1].rect.middle
        if distance <= 0 or abs(fragment.rect.x0 - first.rect.x0) > _SAME_EDGE:
            continue
        if distance > _NEAR * lines[-1].style.size:
            break
        lines.append(fragment)
    return lines


def _are_crossed(left: Lines, right: Lines, region: Sequence[Fragment]) -> bool:
    """Whether anything else stands at their height: a third column, as in a table."""
    lines = [*left, *right]
    top, bottom = min(line.rect.y0 for line in lines), max(line.rect.y1 for line in lines)
    return any(one not in lines and top < one.rect.middle < bottom for one in region)


def _say_alike(left: Lines, right: Lines) -> bool:
    if sum(line.text.rstrip().endswith(":") for line in left) * 2 > len(left):
        return False  # labels before their values
    if all(any(_SIGNATURE.search(line.text) for line in side) for side in (left, right)):
        return True
    return all(len(side) >= _MIN_LINES and _holds_address(side) for side in (left, right))


def _holds_address(lines: Lines) -> bool:
    """Whether most lines are of an address, each another part of it: a column of streets is one of a table."""
    kinds = [_kinds(line) for line in lines]
    counts = Counter(kind for line in kinds for kind in line)
    return sum(map(bool, kinds)) >= _MIN_LINES - 1 and 2 * max(counts.values(), default=0) <= len(lines)


def _kinds(line: Fragment) -> list[int]:
    return [number for number, kind in enumerate(_ADDRESS) if kind.search(line.text)]


def _on_a_line(one: Fragment, other: Fragment) -> bool:
    shared = min(one.rect.y1, other.rect.y1) - max(one.rect.y0, other.rect.y0)
    return shared > 0.5 * min(one.rect.height, other.rect.height)
