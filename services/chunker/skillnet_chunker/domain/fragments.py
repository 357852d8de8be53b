"""Cuts text that is longer than a chunk: at clauses, else between words, else between characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from enum import IntEnum

_CHARACTERS_PER_TOKEN = 4
_STRONG_CLAUSE = re.compile(r"(?:[.!?…;:][\"'»”)\]]*(?=\s)|\n)")
_WEAK_CLAUSE = re.compile(r"(?:[,)\]|](?=\s)|\t|\s(?=[—–(|]))")
_SPACE = re.compile(r"\s+")
_JOINERS = frozenset("\u200d\ufe0e\ufe0f")


class Boundary(IntEnum):
    """What lies before a unit of text, from the best place for a cut to the worst."""

    BLOCK = 0
    ITEM = 1
    ROW = 2
    SENTENCE = 3
    LINE = 4  # of code
    CLAUSE = 5
    WORD = 6
    GLUE = 7  # after a heading or a lead-in
    CHARACTER = 8


def fragments(
    text: str, start: int, end: int, *, limit: int, count: Callable[[str], int]
) -> Iterator[tuple[int, int, Boundary]]:
    """Spans of text[start:end], each of at most `limit` tokens, with the boundary *after* each.

    Advances by at least one character a step, whatever the text: a single character is never cut.
    """
    position = start
    while position < end:
        reach = limit * _CHARACTERS_PER_TOKEN
        cut, boundary = best_cut(text, position, min(end, position + reach), end)
        while cut - position > 1 and count(text[position:cut]) > limit:
            cut, boundary = best_cut(text, position, position + (cut - position) // 2, end)
        yield position, cut, boundary
        position = cut


def best_cut(text: str, start: int, reach: int, end: int) -> tuple[int, Boundary]:
    """The best place to cut text[start:end] in the second half of [start, reach], and what is there."""
    if reach >= end:
        return end, Boundary.SENTENCE
    middle = start + max(1, (reach - start) // 2)
    for pattern, boundary in (
        (_STRONG_CLAUSE, Boundary.CLAUSE),
        (_WEAK_CLAUSE, Boundary.CLAUSE),
        (_SPACE, Boundary.WORD),
    ):
        cut = _last_end(pattern, text, middle, reach)
        if cut:
            return cut, boundary
    cut = _last_end(_SPACE, text, start + 1, middle)
    return (cut, Boundary.WORD) if cut else (_between_characters(text, start, reach), Boundary.CHARACTER)


def _last_end(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    last = 0
    for match in pattern.finditer(text, start, end):
        last = match.end()
    return last


def _between_characters(text: str, start: int, reach: int) -> int:
    """The last place up to `reach` that does not part a letter from its accents; `reach` if there is none."""
    for cut in range(reach, start, -1):
        if not (unicodedata.combining(text[cut]) or text[cut] in _JOINERS or text[cut - 1] == "\u200d"):
            return cut
    return reach
