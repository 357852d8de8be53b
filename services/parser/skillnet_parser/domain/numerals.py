"""Headings numbered `I.`, `II.`, `III.` with `A.`, `B.` below them, as articles of journals have them, or
`1 Alcance`, `2 Definiciones`, as standards have them.

A numeral alone says little, for lists have them too. It counts where the numerals go on from the first without a gap,
each on a short row of its own with text between one and the next.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase

from skillnet_parser.domain.heading_rows import is_isolated, runs_on
from skillnet_parser.domain.layout import BodyStyle, Item, Row, is_tabular
from skillnet_parser.domain.numbering import Label

_ROMAN = re.compile(r"(?P<numeral>[IVX]{1,5})\.\s+(?P<rest>\S.*)")
_LETTER = re.compile(r"(?P<numeral>[A-Z])\.\s+(?P<rest>\S.*)")
_DIGITS = re.compile(r"(?P<numeral>\d{1,2})\.?\s+(?P<rest>[^\W\d_].*)")
_NUMERALS = (
    *("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV"),
    *("XVI", "XVII", "XVIII", "XIX", "XX"),
)
_MIN_RUN = 3
_MAX_WORDS = 12
_MIN_ROWS_BETWEEN = 3


def find_numerals(items: Sequence[Item], excluded: set[int], body: BodyStyle) -> dict[int, Label]:
    """For each row that such a numeral opens as a heading: its label, of the family "numeral" (rank 0 for Roman
    ones, 1 for letters) or "decimal"."""
    digits = _run(
        items, _candidates(items, excluded, body, _DIGITS), _DIGITS, [str(count) for count in range(1, 100)]
    )
    labels = {index: _label(items[index], _DIGITS, "decimal", 0) for index in digits}
    return labels | _romans(items, excluded, body)


def _romans(items: Sequence[Item], excluded: set[int], body: BodyStyle) -> dict[int, Label]:
    romans = _run(items, _candidates(items, excluded, body, _ROMAN), _ROMAN, _NUMERALS)
    if not romans:
        return {}
    labels = {index: _label(items[index], _ROMAN, "numeral", 0) for index in romans}
    sections = [*romans, len(items)]
    letters = _candidates(items, excluded | set(romans), body, _LETTER)
    for start, end in pairwise(sections):
        inside = [index for index in letters if start < index < end and _is_emphasised(items[index])]
        counted = _count_on(items, inside, _LETTER, ascii_uppercase)
        if len(counted) > 1:
            labels |= {index: _label(items[index], _LETTER, "numeral", 1) for index in counted}
    return labels


def _candidates(items: Sequence[Item], excluded: set[int], body: BodyStyle, pattern: re.Pattern[str]) -> list[int]:
    return [
        index
        for index, item in enumerate(items)
        if index not in excluded and isinstance(item, Row) and _may_head(items, index, item, body, pattern)
    ]


def _may_head(items: Sequence[Item], index: int, row: Row, body: BodyStyle, pattern: re.Pattern[str]) -> bool:
    match = pattern.fullmatch(row.text.strip())
    if match is None or match["rest"][0] in ascii_lowercase or match["rest"][-1] in ".,;:":
        return False
    if is_tabular(row) or len(row.text.split()) > _MAX_WORDS:
        return False
    return is_isolated(items, index, row, body) and not runs_on(items, index, body)


def _run(
    items: Sequence[Item], candidates: Sequence[int], pattern: re.Pattern[str], numerals: Sequence[str]
) -> list[int]:
    """The rows that count on, none where they are few or too close together for text between."""
    counted = _count_on(items, candidates, pattern, numerals)
    close = any(below - above <= _MIN_ROWS_BETWEEN for above, below in pairwise(counted))
    return [] if close or len(counted) < _MIN_RUN else counted


def _count_on(
    items: Sequence[Item], candidates: Sequence[int], pattern: re.Pattern[str], numerals: Sequence[str]
) -> list[int]:
    """The rows that count on from the first numeral, one each."""
    counted: list[int] = []
    for index in candidates:
        if len(counted) < len(numerals) and _numeral(items[index], pattern) == numerals[len(counted)]:
            counted.append(index)
    return counted


def _numeral(item: Item, pattern: re.Pattern[str]) -> str:
    match = pattern.fullmatch(item.text.strip()) if isinstance(item, Row) else None
    return match["numeral"] if match else ""


def _is_emphasised(item: Item) -> bool:
    return isinstance(item, Row) and item.style.emphasised


def _label(item: Item, pattern: re.Pattern[str], family: str, rank: int) -> Label:
    match = pattern.fullmatch(item.text.strip()) if isinstance(item, Row) else None
    return Label(family, rank, match["rest"] if match else "")
