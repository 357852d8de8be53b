"""A file's own outline, matched to the rows it points at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from skillnet_parser.domain.layout import Item, Row
from skillnet_parser.domain.numbering import read_label

_MAX_ROWS = 5
_SIMILAR = 0.85
_NEAR_PAGES = (0, 1, -1)  # where bookmarks point when they are off


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An entry of the outline: level from 1 (top), page from 1."""

    level: int
    title: str
    page: int


def match_bookmarks(
    items: Sequence[Item], bookmarks: Sequence[Bookmark], excluded: set[int]
) -> dict[int, tuple[int, int]]:
    """For the first row of each title found: the index of its last row, and its level."""
    pages: dict[int, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if index not in excluded:
            pages[item.page].append(index)
    matched: dict[int, tuple[int, int]] = {}
    for bookmark in bookmarks:
        title = _fold(bookmark.title)
        if len(title) < 3:
            continue
        for step in _NEAR_PAGES:
            found = _find_title(items, pages.get(bookmark.page + step, []), title, matched)
            if found is not None:
                matched[found[0]] = (found[1], bookmark.level)
                break
    return matched


def _find_title(
    items: Sequence[Item], indices: Sequence[int], title: str, taken: dict[int, tuple[int, int]]
) -> tuple[int, int] | None:
    """First and last index of the rows that say the title, with or without its number."""
    for start in indices:
        if start in taken:
            continue
        last = _last_row_of(items, start, title)
        if last is not None:
            return start, last
    return None


def _last_row_of(items: Sequence[Item], start: int, title: str) -> int | None:
    """The row at which the rows from `start` say the title best, where they say it well enough."""
    said = ""
    best: tuple[float, int] | None = None
    for index in range(start, min(start + _MAX_ROWS, len(items))):
        item = items[index]
        if not isinstance(item, Row) or item.page != items[start].page:
            break
        said += _fold(item.text)
        likeness = _likeness(said, title, item.text if index == start else "")
        if likeness >= _SIMILAR and (best is None or likeness > best[0]):
            best = (likeness, index)
        if not title.startswith(said[: max(4, len(said) // 2)]) or len(said) > 1.3 * len(title):
            break
    return best[1] if best else None


def _likeness(said: str, title: str, first_row: str) -> float:
    """From 0 to 1; 1 too where a label stands before the title."""
    label = read_label(first_row) if first_row else None
    if said == title or (label is not None and label.rest and _fold(label.rest) == title):
        return 1.0
    if abs(len(said) - len(title)) > 0.3 * len(title):
        return 0.0
    return SequenceMatcher(None, said, title, autojunk=False).ratio()


def _fold(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
