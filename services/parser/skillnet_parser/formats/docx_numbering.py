"""The labels of numbered paragraphs, which DOCX does not store but counts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from lxml import etree

from skillnet_parser.formats.docx_package import W
from skillnet_parser.formats.docx_styles import ListPlace, is_on
from skillnet_parser.formats.ooxml import read_number

_PLACEHOLDER = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_ONES = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_MAX_LETTERS = 20  # of a label that counts in letters: after z comes aa, after zz aaa
BULLET = "•"


@dataclass(frozen=True, slots=True)
class _Level:
    """`legal` shows the numbers of all levels in decimals. The count begins anew after one of the first
    `restart` levels; after any higher level where it is None."""

    form: str
    text: str
    start: int
    legal: bool = False
    restart: int | None = None


class Numbering:
    """Counts as a reader's word processor would. Formats it does not know are counted in decimals."""

    def __init__(self, root: etree._Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._abstract: dict[str, str] = {}
        self._counters: dict[str, dict[int, int]] = {}
        if root is not None:
            self._read(root)

    def label(self, place: ListPlace) -> str:
        """The paragraph's label, and one more counted; "" where its format shows none."""
        levels = self._levels.get(place.num_id, {})
        level = levels.get(place.depth)
        if level is None:
            return ""
        if level.form == "bullet":
            return BULLET
        counters = self._counters.setdefault(self._abstract[place.num_id], {})
        _count(counters, levels, place.depth)

        def fill(match: re.Match[str]) -> str:
            depth = int(match[1]) - 1
            shown = levels.get(depth, level)
            form = "decimal" if shown.form == "bullet" or (level.legal and shown.form != "none") else shown.form
            return _format(counters.get(depth, shown.start), form)

        label = _PLACEHOLDER.sub(fill, level.text).strip()
        return label if any(map(str.isalnum, label)) else ""

    def _read(self, root: etree._Element) -> None:
        abstract = _read_definitions(root)
        for number in root.iterchildren(f"{W}num"):
            identifier = number.get(f"{W}numId", "")
            reference = number.find(f"{W}abstractNumId")
            source = reference.get(f"{W}val", "") if reference is not None else ""
            levels = dict(abstract.get(source, {}))
            counter = source
            for override in number.iterchildren(f"{W}lvlOverride"):
                counter = f"{source}/{identifier}"  # a list that counts for itself
                depth = read_number(override.get(f"{W}ilvl"), 0)
                own = override.find(f"{W}lvl")
                if own is not None:
                    levels[depth] = _read_level(own)
                start = override.find(f"{W}startOverride")
                if start is not None and depth in levels:
                    levels[depth] = replace(levels[depth], start=_number(start, 1))
            self._levels[identifier] = levels
            self._abstract[identifier] = counter


def _count(counters: dict[int, int], levels: Mapping[int, _Level], at: int) -> None:
    """One more of the level `at`; deeper ones begin anew."""
    counters[at] = counters.get(at, levels[at].start - 1) + 1
    for deeper in [depth for depth in counters if depth > at]:
        restart = levels[deeper].restart if deeper in levels else None
        if restart is None or at < restart:
            del counters[deeper]


def _read_definitions(root: etree._Element) -> dict[str, dict[int, _Level]]:
    """The levels of each abstract definition; one that only names a list style has those of the one that is it."""
    definitions = {
        definition.get(f"{W}abstractNumId", ""): definition for definition in root.iterchildren(f"{W}abstractNum")
    }
    styles = {
        style.get(f"{W}val", ""): definition
        for definition in definitions.values()
        if (style := definition.find(f"{W}styleLink")) is not None
    }
    levels: dict[str, dict[int, _Level]] = {}
    for identifier, definition in definitions.items():
        link = definition.find(f"{W}numStyleLink")
        source = styles.get(link.get(f"{W}val", ""), definition) if link is not None else definition
        levels[identifier] = _read_levels(source)
    return levels


def _read_levels(definition: etree._Element) -> dict[int, _Level]:
    return {read_number(level.get(f"{W}ilvl"), 0): _read_level(level) for level in definition.iterchildren(f"{W}lvl")}


def _read_level(level: etree._Element) -> _Level:
    form, text, restart = (level.find(f"{W}{name}") for name in ("numFmt", "lvlText", "lvlRestart"))
    return _Level(
        form.get(f"{W}val", "decimal") if form is not None else "decimal",
        text.get(f"{W}val", "") if text is not None else "",
        _number(level.find(f"{W}start"), 1),
        is_on(level.find(f"{W}isLgl")),
        _number(restart, 0) if restart is not None else None,
    )


def _number(element: etree._Element | None, default: int) -> int:
    return read_number(element.get(f"{W}val"), default) if element is not None else default


def _format(number: int, form: str) -> str:
    if form == "none":
        return ""
    if form in ("lowerLetter", "upperLetter") and 1 <= number <= 26 * _MAX_LETTERS:
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if form == "upperLetter" else letter
    if form in ("lowerRoman", "upperRoman") and 1 <= number < 4000:
        roman = _roman(number)
        return roman.upper() if form == "upperRoman" else roman
    return f"{number:02d}" if form == "decimalZero" else str(number)


def _roman(number: int) -> str:
    parts: list[str] = []
    for value, letters in (*_ROMAN, *_ROMAN_ONES):
        count, number = divmod(number, value)
        parts.append(letters * count)
    return "".join(parts)
