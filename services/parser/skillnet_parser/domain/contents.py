"""Tables of contents: rows that lead to page numbers, which do not fall. Kept in the text, marked so that they are
not indexed. Dots that lead to no number are places to write in, as forms have them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from skillnet_parser.domain.layout import Item, Row

_LED_TO_PAGE = re.compile(r"(?:[.·…_]\s?){3,}\s*(?P<page>\d{1,4}|[ivxlc]{1,6})\s*$", re.IGNORECASE)
_ENDS_IN_PAGE = re.compile(r"\S\s+(\d{1,4})\s*$")
_HEADING = re.compile(
    r"\s*(?:\d[.\s]*)?(?:í?ndice|indice|índice general|contenidos?|tabla de contenidos?|sumario|contents|"
    r"table of contents|índex|sumário|inhalt|inhaltsverzeichnis|sommaire)\s*[.:]?\s*",
    re.IGNORECASE,
)
_MIN_RUN = 3
_MIN_RUN_WITHOUT_LEADERS = 4
_MAX_GAP = 2  # rows of a wrapped entry between two that end in a number
_RIGHT_EDGE = 0.9
_MAX_FALLS = 0.25  # of the steps from entry to entry: a list of tables may follow with pages of its own


def find_contents(items: Sequence[Item], page_count: int) -> set[int]:
    """Indices of the items that belong to a table of contents, its heading among them."""
    rows = [(index, item) for index, item in enumerate(items) if isinstance(item, Row)]
    leading = {index: _led_to(match["page"]) for index, row in rows if (match := _LED_TO_PAGE.search(row.text))}
    numbered = [index for index, row in rows if _ends_in_page_number(row, page_count)]
    found = _runs_of_leaders(leading)
    under_heading = {index + 1 for index, row in rows if is_contents_heading(row.text)}
    for run in _split_runs(numbered):
        pages = [_page_of(items[index]) for index in run]
        starts_under_heading = any(run[0] - step in under_heading for step in range(_MAX_GAP + 1))
        needed = _MIN_RUN if starts_under_heading else _MIN_RUN_WITHOUT_LEADERS
        if len(run) >= needed and pages == sorted(pages) and pages[0] < pages[-1]:
            found |= set(range(run[0], run[-1] + 1))
    return found | {index for index, row in rows if is_contents_heading(row.text) and {index + 1, index + 2} & found}


def is_contents_heading(text: str) -> bool:
    """Whether the text is the heading of a table of contents."""
    return _HEADING.fullmatch(text) is not None


def _runs_of_leaders(pages: Mapping[int, int]) -> set[int]:
    """The runs of rows (index: the page it leads to) whose pages go on."""
    found: set[int] = set()
    for run in _split_runs(list(pages)):
        falls = sum(pages[below] < pages[above] for above, below in pairwise(run))
        if len(run) >= _MIN_RUN and falls <= _MAX_FALLS * (len(run) - 1):
            found |= set(range(run[0], run[-1] + 1))
    return found


def _led_to(page: str) -> int:
    """Roman numbers stand before all others."""
    return int(page) if page.isdecimal() else 0


def _split_runs(indices: Sequence[int]) -> list[list[int]]:
    runs: list[list[int]] = []
    for index in indices:
        if runs and index - runs[-1][-1] <= _MAX_GAP + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _ends_in_page_number(row: Row, page_count: int) -> bool:
    """Whether a number set apart at the right edge ends the row, as in a contents without dots."""
    if len(row.cells) < 2 or row.cells[-1].rect.x1 < row.column.left + _RIGHT_EDGE * row.column.width:
        return False
    last = row.cells[-1].text.strip()
    return (
        last.isascii() and last.isdigit() and 0 < int(last) <= page_count + 20 and row.cells[0].text.strip() != last
    )


def _page_of(item: Item) -> int:
    match = _ENDS_IN_PAGE.search(item.text) if isinstance(item, Row) else None
    return int(match[1]) if match else 0
