"""Figures and dates as values, however they are written: `1.250,00` is 1250, `15/03/26` is 15 de marzo de 2026."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillnet_common.text.words import fold

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?![\w])|(?<![\w])\d+(?:[.,]\d+)*")
_SPANISH_THOUSANDS = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_ENGLISH_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("enero", "january"), ("febrero", "february"), ("marzo", "march"), ("abril", "april"), ("mayo", "may"),
            ("junio", "june"), ("julio", "july"), ("agosto", "august"), ("septiembre", "setiembre", "september"),
            ("octubre", "october"), ("noviembre", "november"), ("diciembre", "december"),
        ),
        start=1,
    )
    for name in names
}  # fmt: skip
_MONTH = "|".join(_MONTHS)
_DAY_MONTH = re.compile(rf"\b(\d{{1,2}})(?:\.?º)?\s+(?:de\s+)?({_MONTH})(?:\s+(?:de\s+|del\s+)?(\d{{4}}))?\b")
_MONTH_DAY = re.compile(rf"\b({_MONTH})\s+(\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(\d{{4}}))?\b")
_SLASHED = re.compile(r"\b(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\b")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_IN_WORDS = {
    word: str(value)
    for value, row in enumerate(
        (
            "cero zero", "", "dos two", "tres three", "cuatro four", "cinco five", "seis six", "siete seven",
            "ocho eight", "nueve nine", "diez ten", "once eleven", "doce twelve", "trece thirteen",
            "catorce fourteen", "quince fifteen", "dieciseis sixteen", "diecisiete seventeen",
            "dieciocho eighteen", "diecinueve nineteen", "veinte twenty",
        )
    )
    for word in row.split()
} | {
    "treinta": "30", "thirty": "30", "cuarenta": "40", "forty": "40", "cincuenta": "50", "fifty": "50",
    "sesenta": "60", "sixty": "60", "setenta": "70", "seventy": "70", "ochenta": "80", "eighty": "80",
    "noventa": "90", "ninety": "90", "cien": "100", "hundred": "100", "mil": "1000", "thousand": "1000",
    "veintiuno": "21", "veintidos": "22", "veintitres": "23", "veinticuatro": "24", "veinticinco": "25",
    "veintiseis": "26", "veintisiete": "27", "veintiocho": "28", "veintinueve": "29",
}  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A day; `year` is 0 where the text names none."""

    year: int
    month: int
    day: int

    def agrees_with(self, other: Date) -> bool:
        """Same day and month, and no two different years."""
        same_day = (self.month, self.day) == (other.month, other.day)
        return same_day and (self.year == other.year or 0 in {self.year, other.year})


def dates(text: str) -> list[tuple[str, Date]]:
    """The dates as they are written (folded) and what they mean. Day before month, as in Spain."""
    folded = fold(text)
    found: list[tuple[str, Date]] = []
    for match in _ISO.finditer(folded):
        found.append((match[0], Date(int(match[1]), int(match[2]), int(match[3]))))
    for match in _SLASHED.finditer(folded):
        year = int(match[3]) if len(match[3]) == 4 else 2000 + int(match[3])
        found.append((match[0], Date(year, int(match[2]), int(match[1]))))
    for match in _DAY_MONTH.finditer(folded):
        found.append((match[0], Date(int(match[3] or 0), _MONTHS[match[2]], int(match[1]))))
    for match in _MONTH_DAY.finditer(folded):
        found.append((match[0], Date(int(match[3] or 0), _MONTHS[match[1]], int(match[2]))))
    return [(written, date) for written, date in found if 1 <= date.month <= 12 and 1 <= date.day <= 31]


def figures(text: str) -> list[tuple[str, str]]:
    """The numbers as they are written and in one spelling: no thousands separator, a decimal point, no end zeros."""
    return [(match[0], _canonical(match[0])) for match in _NUMBER.finditer(text)]


def figure_values(text: str) -> set[str]:
    """Every figure the text states, in one spelling, those in words (`treinta`) among them."""
    in_words = {_IN_WORDS[word] for word in re.findall(r"[a-z]+", fold(text)) if word in _IN_WORDS}
    return {value for _, value in figures(text)} | in_words


def _canonical(written: str) -> str:
    if _SPANISH_THOUSANDS.fullmatch(written):
        plain = written.replace(".", "").replace(",", ".")
    elif _ENGLISH_THOUSANDS.fullmatch(written):
        plain = written.replace(",", "")
    elif written.count(",") == 1 and "." not in written:
        plain = written.replace(",", ".")
    else:
        plain = written
    if plain.count(".") == 1:
        plain = plain.rstrip("0").rstrip(".")
    return plain.lstrip("0") or "0"
