"""The header of a chunk: document title and section path, capped, for the model's input only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_chunker.domain.meter import Meter

SEPARATOR = " › "
ELLIPSIS = "…"
_LEAST_TITLE = 4  # tokens: a title cut shorter says nothing
_BRACKETS = str.maketrans("[]{}⟦⟧【】〔〕［］›", "()()()()()()>")
_UNSEEN = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


def neutralise(text: str) -> str:
    """One line without the brackets that mark sources and without invisible controls."""
    return _UNSEEN.sub(" ", text).strip().translate(_BRACKETS)


@dataclass(frozen=True, slots=True)
class Header:
    """`tokens` counts prefix, header and special tokens: what a body has to share the window with."""

    text: str
    tokens: int
    shown: frozenset[str]

    def shows(self, heading: str) -> bool:
        """Whether the header holds this heading whole, so that the body need not repeat it."""
        return neutralise(heading).casefold() in self.shown


class Headers:
    """Makes the header of each section path once. The title is cut first, then the path from the left."""

    def __init__(self, title: str, meter: Meter, limit: int) -> None:
        self._title = neutralise(title)
        self._meter = meter
        self._limit = limit
        self._made: dict[tuple[str, ...], Header] = {}

    def of(self, path: Sequence[str]) -> Header:
        """The header of a section path, at most `limit` tokens."""
        key = tuple(path)
        if key not in self._made:
            self._made[key] = self._make([entry for entry in map(neutralise, key) if entry])
        return self._made[key]

    def _make(self, entries: list[str]) -> Header:
        named_by_path = bool(entries) and entries[0].casefold() == self._title.casefold()
        title, below = self._title, entries[1:] if named_by_path else entries
        whole = [title, *below] if title else below
        parts = whole if self._fits(whole) else self._shortened(title, below)
        text = SEPARATOR.join(parts)
        shown = {part.casefold() for part in parts} & {part.casefold() for part in whole}
        return Header(text, self._meter.overhead + self._meter.header(text), frozenset(shown))

    def _shortened(self, title: str, below: list[str]) -> list[str]:
        path = [self._cut(entry, self._limit // 2) for entry in below]
        while len(path) > 1 and not self._fits(path):
            path = path[1:]
        if not self._fits(path):
            return []
        if len(path) < len(below):
            return path
        room = self._limit - self._meter.header(SEPARATOR.join(["", *path]))
        shorter = self._cut(title, room) if title and room >= _LEAST_TITLE else ""
        return [shorter, *path] if shorter and self._fits([shorter, *path]) else path

    def _fits(self, parts: list[str]) -> bool:
        return self._meter.header(SEPARATOR.join(parts)) <= self._limit

    def _cut(self, text: str, limit: int) -> str:
        """The longest start of the text, by words or else by characters, that fits with an ellipsis."""
        if self._meter.header(text) <= limit:
            return text
        ends = [match.end() for match in re.finditer(r"\S+", text)][:-1]
        return self._longest(text, ends, limit) or self._longest(text, range(1, len(text)), limit)

    def _longest(self, text: str, ends: Sequence[int], limit: int) -> str:
        low, high = 0, len(ends)
        while low < high:
            middle = (low + high + 1) // 2
            if self._meter.header(text[: ends[middle - 1]] + ELLIPSIS) <= limit:
                low = middle
            else:
                high = middle - 1
        return text[: ends[low - 1]] + ELLIPSIS if low else ""
