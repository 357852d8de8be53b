"""Footnotes: small print at the foot of a page or column, which must neither break a sentence nor be lost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.layout import BodyStyle, Item, Rect, Row

_MARK = re.compile(r"\(?\s*(?:\d{1,3}|[*†‡]{1,3}|[a-z])\s*\)?[.\s]?\s*\S")
_SMALL = 0.92  # times the body size
_LOWER_PART = 0.5  # of the page's height


def find_notes(items: Sequence[Item], body: BodyStyle, page_heights: dict[int, float]) -> set[int]:
    """Indices of the rows that are footnotes: at the end of a page, or of a column with nothing below it, from the
    first small row with a mark to the last row, all of them small, in the lower half."""
    notes: set[int] = set()
    for page, run in _runs_of_pages(items).items():
        height = page_heights[page]
        notes |= _notes_at_end(run, items, body, height)
        for column in _columns_of(run, items):
            ended = _notes_at_end(column, items, body, height)
            if ended and not _has_text_below(ended, column, run, items):
                notes |= ended
    return notes


def _notes_at_end(run: Sequence[int], items: Sequence[Item], body: BodyStyle, page_height: float) -> set[int]:
    tail: list[int] = []
    for index in reversed(run):
        row = items[index]
        if not isinstance(row, Row) or row.style.size > _SMALL * body.size:
            break
        if row.rect.y0 < _LOWER_PART * page_height:
            break
        tail.append(index)
    while tail and not _is_marked(items[tail[-1]]):
        tail.pop()
    return set(tail)


def _is_marked(item: Item) -> bool:
    return isinstance(item, Row) and _MARK.match(item.text) is not None


def _has_text_below(notes: set[int], column: Sequence[int], run: Sequence[int], items: Sequence[Item]) -> bool:
    """Whether the column's text may go on in a band of the page below its notes."""
    last = items[max(notes)]
    others = [items[index] for index in run if index not in column]
    return any(_rect(other).y0 >= _rect(last).middle and _is_over(last, other) for other in others)


def _is_over(item: Item, other: Item) -> bool:
    return item.column.left < other.column.right and other.column.left < item.column.right


def _rect(item: Item) -> Rect:
    return item.rect if isinstance(item, Row) else item.table.rect


def _runs_of_pages(items: Sequence[Item]) -> dict[int, list[int]]:
    pages: dict[int, list[int]] = {}
    for index, item in enumerate(items):
        pages.setdefault(item.page, []).append(index)
    return pages


def _columns_of(run: Sequence[int], items: Sequence[Item]) -> list[list[int]]:
    columns: dict[int, list[int]] = {}
    for index in run:
        columns.setdefault(items[index].column.region, []).append(index)
    return list(columns.values())
