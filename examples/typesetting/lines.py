"""Breaks runs of text into lines of a given width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from typesetting.blocks import Run, Runs
from typesetting.fonts import text_width
from typesetting.hyphenation import break_points

SPACE = re.compile(r" (?!%|€|°C|kg\b|cm\b)")
"""A space at which a line may end: never between a figure and its unit."""

MAX_STRETCH = 0.5
"""A justified gap grows by at most this share of the type size; a line that needs more stays ragged."""


@dataclass(frozen=True, slots=True)
class Typeface:
    """Family, size in points, and whether the whole text is bold whatever its runs say."""

    family: str
    size: float
    bold: bool = False
    language: str = ""

    def width(self, run: Run) -> float:
        return text_width(run.text, self.family, run.bold or self.bold, run.italic, self.size)

    @property
    def space(self) -> float:
        return text_width(" ", self.family, self.bold, False, self.size)


@dataclass(frozen=True, slots=True)
class Word:
    """Text without a space inside, in one style or several (`**bold**,` has two)."""

    runs: Runs
    width: float


@dataclass(frozen=True, slots=True)
class Line:
    words: tuple[Word, ...]
    width: float
    last: bool


def longest_word(runs: Runs, face: Typeface) -> float:
    return max((word.width for word in _words(runs, face)), default=0)


def natural_width(runs: Runs, face: Typeface) -> float:
    return sum(face.width(run) for run in runs)


def break_lines(runs: Runs, face: Typeface, width: float) -> list[Line]:
    """Fills each line as far as it goes, breaking the word that does not fit where its language allows."""
    lines: list[Line] = []
    current: list[Word] = []
    used = 0.0
    pending = list(_words(runs, face))[::-1]
    while pending:
        word = pending.pop()
        gap = face.space if current else 0
        if used + gap + word.width <= width or (not current and not _fitting_parts(word, face, width)):
            current.append(word)
            used += gap + word.width
            continue
        parts = _fitting_parts(word, face, width - used - gap)
        if parts is not None:
            head, tail = parts
            current.append(head)
            used += gap + head.width
            pending.append(tail)
        else:
            pending.append(word)
        lines.append(Line(tuple(current), used, last=False))
        current, used = [], 0.0
    lines.append(Line(tuple(current), used, last=True))
    return lines


def gap_width(line: Line, face: Typeface, width: float, *, justify: bool) -> float:
    """The space between two words of the line, in points."""
    gaps = len(line.words) - 1
    if not justify or line.last or gaps == 0:
        return face.space
    stretch = (width - line.width) / gaps
    return face.space + (stretch if stretch <= MAX_STRETCH * face.size else 0)


def _words(runs: Runs, face: Typeface) -> Iterator[Word]:
    parts: list[Run] = []
    for run in runs:
        pieces = SPACE.split(run.text)
        for number, piece in enumerate(pieces):
            if number > 0 and parts:
                yield _word(parts, face)
                parts = []
            if piece:
                parts.append(replace(run, text=piece))
    if parts:
        yield _word(parts, face)


def _word(parts: list[Run], face: Typeface) -> Word:
    return Word(tuple(parts), sum(face.width(part) for part in parts))


def _fitting_parts(word: Word, face: Typeface, width: float) -> tuple[Word, Word] | None:
    """The word broken with a hyphen so that the first part is as long as `width` allows, or None."""
    run = word.runs[0]
    core = run.text.rstrip(".,;:)»?!")
    opening = len(core) - len(core.lstrip("(«¿¡"))
    if len(word.runs) > 1:
        return None
    for point in reversed(break_points(core[opening:], face.language)):
        head = _word([replace(run, text=run.text[: opening + point] + "-")], face)
        if head.width <= width:
            return head, _word([replace(run, text=run.text[opening + point :])], face)
    return None
