"""A file's own outline, matched to the rows it points at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from skillnet_parser.domain.layout import Item, Row
from skillnet_parser.domain.numbering import read_label

_MAX_ROWS = 6
_MAX_WORDS = 60  # some files mark whole paragraphs
_MIN_MATCHED = 0.8  # of the bookmarks
_MIN_TRUSTED = 4
_MAX_PAGES_EACH = 3.0
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
    taken: set[int] = set()
    for bookmark in bookmarks:
        title = _fold(bookmark.title)
        if len(title) < 3 or len(bookmark.title.split()) > _MAX_WORDS:
            continue
        for step in _NEAR_PAGES:
            found = _find_title(items, pages.get(bookmark.page + step, []), title, taken)
            if found is not None:
                matched[found[0]] = (found[1], bookmark.level)
                taken |= set(range(found[0], found[1] + 1))
                break
    return matched


def is_whole_outline(matched: int, bookmarks: Sequence[Bookmark], page_count: int) -> bool:
    """Whether the bookmarks can be taken for the outline itself: most of them stand in the text, and they are
    as many as the pages call for. A few that mark only the chapters say nothing about the sections."""
    if matched < _MIN_TRUSTED or matched < _MIN_MATCHED * len(bookmarks):
        return False
    return page_count <= _MAX_PAGES_EACH * matched


def _find_title(items: Sequence[Item], indices: Sequence[int], title: str, taken: set[int]) -> tuple[int, int] | None:
    """First and last index of the rows that say the title best, with or without its number."""
    best: tuple[float, int, int] | None = None
    for start in indices:
        found = _last_row_of(items, start, title) if start not in taken else None
        if found is not None and (best is None or found[0] > best[0]):
            best = (found[0], start, found[1])
        if best is not None and best[0] == 1.0:
            break
    return best[1:] if best is not None else None


def _last_row_of(items: Sequence[Item], start: int, title: str) -> tuple[float, int] | None:
    """The row at which the rows from `start` say the title best, and how well, where it is well enough."""
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
    return best


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
