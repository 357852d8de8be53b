"""Footnotes: small print at the foot of a page, which must neither break a sentence nor be lost."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.layout import BodyStyle, Item, Row

_MARK = re.compile(r"\(?\s*(?:\d{1,3}|[*†‡]{1,3}|[a-z])\s*\)?[.\s]?\s*\S")
_SMALL = 0.92  # times the body size
_LOWER_PART = 0.5  # of the page's height


def find_notes(items: Sequence[Item], body: BodyStyle, page_heights: dict[int, float]) -> set[int]:
    """Indices of the rows that are footnotes: from the first small row with a mark to the page's last row,
    all of them small, in the lower half."""
    notes: set[int] = set()
    for run in _runs_of_pages(items):
        tail: list[int] = []
        for index in reversed(run):
            row = items[index]
            if not isinstance(row, Row) or row.style.size > _SMALL * body.size:
                break
            if row.rect.y0 < _LOWER_PART * page_heights[row.page]:
                break
            tail.append(index)
        while tail and not _is_marked(items[tail[-1]]):
            tail.pop()
        notes |= set(tail)
    return notes


def _is_marked(item: Item) -> bool:
    return isinstance(item, Row) and _MARK.match(item.text) is not None


def _runs_of_pages(items: Sequence[Item]) -> list[list[int]]:
    pages: dict[int, list[int]] = {}
    for index, item in enumerate(items):
        pages.setdefault(item.page, []).append(index)
    return list(pages.values())
