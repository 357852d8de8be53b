"""The pieces of a source that can stand alone in an answer: whole sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from skillnet_common.text.sentences import sentence_spans
from skillnet_common.text.words import content_roots

_TABLE_ROW = re.compile(r"^\s*\|.*\|\s*$")
_TABLE_RULE = re.compile(r"^[\s|:-]*-[\s|:-]*$")
_LIST_ITEM = re.compile(r"^\s*(?:[-–—*+•·▪◦‣●○■□✓➢]|\(?(?:\d{1,3}|[^\W\d_])(?:\.\d{1,3})*[.)])\s")
_BLANK_LINES = re.compile(r"\n\s*\n")
_FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """One piece, as it stands in the source `number`; `place` is its character offset there.

    `asked`: the roots of the question that stands right before it, as in lists of frequent questions.
    """

    number: int
    place: int
    text: str
    roots: frozenset[str]
    is_row: bool
    asked: frozenset[str] = frozenset()

    @property
    def is_question(self) -> bool:
        """Whether it asks, and so answers nothing."""
        return self.text.endswith("?")


def units_of(number: int, text: str, language: str) -> list[Unit]:
    """The pieces of a source's text in order. Headings of a word or two, table headers and what only leads in a
    list are none."""
    units: list[Unit] = []
    for start, end, is_row in _spans(text, language):
        piece = text[start:end].strip()
        if is_row or (len(piece.split()) >= _FEWEST_WORDS and not piece.endswith(":")):
            asked = units[-1].roots if units and units[-1].is_question else frozenset()
            units.append(Unit(number, start, piece, frozenset(content_roots(piece)), is_row, asked))
    return units


def _spans(text: str, language: str) -> Iterator[tuple[int, int, bool]]:
    for start, end in _paragraphs(text):
        lines = list(_lines(text, start, end))
        if all(_TABLE_ROW.match(text[a:b]) for a, b in lines):
            yield from ((a, b, True) for a, b in _table_rows(text, lines))
        elif any(_LIST_ITEM.match(text[a:b]) for a, b in lines):
            for a, b in _items(text, lines):
                yield from ((x, y, False) for x, y in sentence_spans(text, a, b, language))
        else:
            yield from ((a, b, False) for a, b in sentence_spans(text, start, end, language))


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for gap in _BLANK_LINES.finditer(text):
        if text[begin : gap.start()].strip():
            yield begin, gap.start()
        begin = gap.end()
    if text[begin:].strip():
        yield begin, len(text)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    position = start
    for line in text[start:end].splitlines(keepends=True):
        if line.strip():
            yield position, position + len(line)
        position += len(line)


def _items(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Lines joined into items: a line without a marker goes on with the item before it."""
    begin, end = lines[0]
    for a, b in lines[1:]:
        if _LIST_ITEM.match(text[a:b]):
            yield begin, end
            begin = a
        end = b
    yield begin, end


def _table_rows(text: str, lines: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Rows of a Markdown table, without its rule and the header above it."""
    rules = [index for index, (a, b) in enumerate(lines) if _TABLE_RULE.match(text[a:b].strip())]
    skipped = {index for rule in rules for index in (rule - 1, rule)}
    yield from (span for index, span in enumerate(lines) if index not in skipped)
