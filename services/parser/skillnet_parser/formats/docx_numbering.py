"""The labels of numbered paragraphs, which DOCX does not store but counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from skillnet_parser.formats.docx_package import W
from skillnet_parser.formats.docx_styles import ListPlace

_PLACEHOLDER = re.compile(r"%(\d)")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_ROMAN_ONES = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
BULLET = "•"


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int


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
        if level is None or level.form == "none":
            return ""
        if level.form == "bullet":
            return BULLET
        counters = self._counters.setdefault(self._abstract[place.num_id], {})
        counters[place.depth] = counters.get(place.depth, level.start - 1) + 1
        for deeper in [depth for depth in counters if depth > place.depth]:
            del counters[deeper]

        def fill(match: re.Match[str]) -> str:
            depth = int(match[1]) - 1
            shown = levels.get(depth, level)
            form = "decimal" if shown.form in ("bullet", "none") else shown.form
            return _format(counters.get(depth, shown.start), form)

        return _PLACEHOLDER.sub(fill, level.text).strip()

    def _read(self, root: etree._Element) -> None:
        abstract = {
            definition.get(f"{W}abstractNumId", ""): _read_levels(definition)
            for definition in root.iterchildren(f"{W}abstractNum")
        }
        for number in root.iterchildren(f"{W}num"):
            identifier = number.get(f"{W}numId", "")
            reference = number.find(f"{W}abstractNumId")
            source = reference.get(f"{W}val", "") if reference is not None else ""
            levels = dict(abstract.get(source, {}))
            counter = source
            for override in number.iterchildren(f"{W}lvlOverride"):
                counter = f"{source}/{identifier}"  # a list that counts for itself
                depth = int(override.get(f"{W}ilvl", "0"))
                own = override.find(f"{W}lvl")
                if own is not None:
                    levels[depth] = _read_level(own)
                start = override.find(f"{W}startOverride")
                if start is not None and depth in levels:
                    levels[depth] = _Level(levels[depth].form, levels[depth].text, _number(start, 1))
            self._levels[identifier] = levels
            self._abstract[identifier] = counter


def _read_levels(definition: etree._Element) -> dict[int, _Level]:
    return {_depth(level): _read_level(level) for level in definition.iterchildren(f"{W}lvl")}


def _depth(level: etree._Element) -> int:
    value = level.get(f"{W}ilvl", "0")
    return int(value) if value.isdigit() else 0


def _read_level(level: etree._Element) -> _Level:
    form, text = level.find(f"{W}numFmt"), level.find(f"{W}lvlText")
    return _Level(
        form.get(f"{W}val", "decimal") if form is not None else "decimal",
        text.get(f"{W}val", "") if text is not None else "",
        _number(level.find(f"{W}start"), 1),
    )


def _number(element: etree._Element | None, default: int) -> int:
    value = element.get(f"{W}val", "") if element is not None else ""
    return int(value) if value.isdigit() else default


def _format(number: int, form: str) -> str:
    if form in ("lowerLetter", "upperLetter") and number >= 1:
        # After z comes aa, after zz aaa.
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
