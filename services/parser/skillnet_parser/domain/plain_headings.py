"""Headings of plain text, which has no print: labels, numbers that count on, capitals, underlines.

A heading may stand right above its text, or begin the line that goes on with it (`Artículo 4. Los turnos …`). It
never takes in its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.numbering import Label, read_label

UNDERLINE = re.compile(r"(=|-|~|\*|_)\1{2,}\s*$")
_MAX_WORDS = 14
_MAX_LABELLED_WORDS = 30
_MAX_TITLE_WORDS = 6  # of one that ends in a full stop: more is a sentence
_MAX_OVER_TEXT = 60  # characters of a numbered line above its text
_MIN_PROSE = 40  # characters below a line in capitals: less is a signature or a row
_CAPS_LEVEL = 1
_DECIMAL_LEVEL = 2
_SENTENCE_ENDS = (".", ":", ";", "!", "?", "…", ")", "»", '"', "”")
_GOES_ON = re.compile(r"\s[a-záéíóúñ]{1,3}$")  # on a word that joins others
_TITLE_ENDS = re.compile(r"[.:](?:\s*[-–—]+)?\s+(?=[A-ZÁÉÍÓÚÑÜ¿¡«\"“])")


@dataclass(frozen=True, slots=True)
class Part:
    """Lines that are a heading (`level` from 1), or text (0)."""

    lines: tuple[str, ...]
    level: int = 0


def counting_lines(lines: Sequence[str]) -> frozenset[str]:
    """The lines over text that count on through a file (`1 Alcance`, `2 Medios`): alone one may be a quantity."""
    found = [line for line in lines if (label := _number(line)) is not None and label.rank == 0]
    first = {int(match[0]) for line in found if (match := re.match(r"\d+", line.strip()))}
    return frozenset(found) if {1, 2} <= first else frozenset()


def part_group(lines: Sequence[str], counting: frozenset[str]) -> Iterator[Part]:
    """The lines between two blank ones, parted into headings and text."""
    text: list[str] = []
    at = 0
    while at < len(lines):
        taken, parts = (
            _heading_at(lines, at, counting) if not text or _may_open(lines, at, text, counting) else (0, [])
        )
        if not taken:
            text.append(lines[at])
            at += 1
            continue
        if text:
            yield Part(tuple(text))
        *before, last = parts
        yield from before
        text = list(last.lines) if last.level == 0 else []
        if last.level:
            yield last
        at += taken
    if text:
        yield Part(tuple(text))


def _may_open(lines: Sequence[str], at: int, above: Sequence[str], counting: frozenset[str]) -> bool:
    """Whether a line within a group can be a heading: the text above has ended, and a label or capitals over more
    text say so."""
    is_title = len(above) == 1 and len(above[0].split()) <= _MAX_WORDS and lines[at] in counting
    if not (is_title or above[-1].rstrip().endswith(_SENTENCE_ENDS)):
        return False
    label = _own_label(lines[at])
    if label is not None:
        return _divides(label) or lines[at] in counting
    return at + 1 < len(lines) and _is_caps(lines[at])


def _heading_at(lines: Sequence[str], at: int, counting: frozenset[str]) -> tuple[int, list[Part]]:
    """How many lines a heading takes, and what they come to; (0, []) where there is none."""
    line, rest = lines[at], lines[at + 1 :]
    if rest and UNDERLINE.match(rest[0].strip()) and 0 < len(line.split()) <= _MAX_WORDS:
        return 2, [Part((line,), 1 if rest[0].strip()[0] == "=" else 2)]
    label = _own_label(line)
    if label is not None and label.family == "division":
        return _division(line, rest, label)
    if label is not None and _is_numbered(line, rest, label, counting):
        return _wrapped(line, rest, label.rank + _DECIMAL_LEVEL)
    if _is_caps(line) and _stands_over_text(rest):
        return 1, [Part((line,), _CAPS_LEVEL)]
    if len(rest) == 1 and _is_caps(f"{line} {rest[0]}"):
        return 2, [Part((line, rest[0]), _CAPS_LEVEL)]
    return 0, []


def _division(line: str, rest: Sequence[str], label: Label) -> tuple[int, list[Part]]:
    level = label.rank + _CAPS_LEVEL
    if line.rstrip().endswith((",", ";")) or (len(line.split()) > _MAX_LABELLED_WORDS and not label.rest):
        return 0, []
    stripped = line.strip()
    title = _TITLE_ENDS.search(label.rest)
    begins = len(stripped) - len(label.rest) if stripped.endswith(label.rest) else stripped.find(label.rest)
    if title is not None and not any(map(str.isalpha, label.rest[: title.start()])):
        return 1, [Part((stripped[:begins],), level), Part((stripped[begins:],))]  # `1. ` numbers the first paragraph
    if title is not None and len(label.rest[: title.start()].split()) <= _MAX_WORDS:
        cut = begins + title.end()
        return 1, [Part((stripped[:cut],), level), Part((stripped[cut:],))]
    if label.rest and _is_sentence(label.rest + stripped[begins + len(label.rest) :], rest):
        return 1, [Part((stripped[:begins],), level), Part((stripped[begins:],))]
    if not label.rest and rest and _is_name(rest[0]):
        return 2, [Part((line, rest[0]), level)]
    return _wrapped(line, rest, level)


def _wrapped(line: str, rest: Sequence[str], level: int) -> tuple[int, list[Part]]:
    """A heading of one line, or of two where the second goes on in lower case and ends what is between two blanks."""
    if len(rest) == 1 and rest[0].lstrip()[:1].islower() and not rest[0].rstrip().endswith("."):
        return 2, [Part((line, rest[0]), level)]
    return 1, [Part((line,), level)]


def _is_sentence(words: str, below: Sequence[str]) -> bool:
    """Whether what follows a label is text and no title."""
    count = len(words.split())
    if words.endswith("."):
        return count > _MAX_TITLE_WORDS
    goes_on = bool(below) and below[0].lstrip()[:1].islower() and len(below) > 1
    return goes_on or count > _MAX_LABELLED_WORDS


def _is_name(line: str) -> bool:
    """Whether a line below a label that stands alone is its title."""
    words = line.split()
    return len(words) <= _MAX_WORDS and not line.rstrip().endswith((".", ",", ";", ":")) and read_label(line) is None


def _is_numbered(line: str, rest: Sequence[str], label: Label, counting: frozenset[str]) -> bool:
    text = line.strip()
    if not label.rest[:1].isupper() or text.endswith((".", ",", ";", ":")) or len(text.split()) > _MAX_LABELLED_WORDS:
        return False
    if not rest:
        return True
    goes_on = rest[0].lstrip()[:1].islower() and not starts_item(rest[0])
    if len(text) > _MAX_OVER_TEXT or goes_on or _GOES_ON.search(text):
        return False  # the line is the first of a sentence
    if starts_item(rest[0]) and rest[0].lstrip(" (")[:1].isdigit():
        return False  # items of a list
    return label.rank >= 1 or (line in counting and _is_prose(rest[:1]))


def _number(line: str) -> Label | None:
    label = read_label(line)
    return label if label is not None and label.family == "decimal" and label.rest[:1].isupper() else None


def _own_label(line: str) -> Label | None:
    """The label that opens a line in the way headings are written, in capitals or with one."""
    label = read_label(line)
    if label is None or line.strip()[:1].islower():
        return None
    return label


def _divides(label: Label) -> bool:
    return label.family == "division" or label.rank >= 1


def _is_caps(line: str) -> bool:
    text = line.strip()
    letters = [char for char in text if char.isalpha()]
    fits = len(letters) >= 4 and len(text.split()) <= _MAX_WORDS
    return fits and text.isupper() and not text.endswith((".", ",", ";", ":"))


def _stands_over_text(rest: Sequence[str]) -> bool:
    """Whether nothing follows until a blank line, or prose or a labelled heading does."""
    if not rest or ((label := _own_label(rest[0])) is not None and label.family == "division"):
        return True
    return _is_prose(list(takewhile(lambda line: not _is_caps(line), rest)))


def _is_prose(lines: Sequence[str]) -> bool:
    text = " ".join(lines).rstrip()
    return len(text) >= _MIN_PROSE or text.endswith(".")
