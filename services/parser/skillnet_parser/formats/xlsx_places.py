"""What openpyxl does not tell of a sheet as it streams: rows and columns that its reader does not see, and merged
cells."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from skillnet_parser.formats.ooxml import read_number
from skillnet_parser.limits import MEBIBYTE

_CHUNK = MEBIBYTE
_PLACE = re.compile(rb"<(?:[\w.-]+:)?(row|col|mergeCell)(\s[^>]*)?>")
_ATTRIBUTE = re.compile(rb"(?<![\w:.-])(r|hidden|min|max|ref)\s*=\s*[\"']([^\"']*)[\"']")
_RANGE = re.compile(r"([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})[0-9]{1,7}")
MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384  # of the format


@dataclass(slots=True)
class SheetPlaces:
    """Numbers from 1. Hidden rows are those hidden by hand, by a filter and in a folded group alike."""

    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)
    merged: dict[int, list[range]] = field(default_factory=dict)
    """By row, the columns that its merged cells cover; hidden ones too."""

    def visible_spans(self) -> dict[int, list[range]]:
        """Those of the merged cells that cover two visible columns at least, numbered from 0 without the hidden."""
        hidden = sorted(self.columns)
        spans: dict[int, list[range]] = {}
        for row, ranges in self.merged.items():
            for columns in ranges:
                first = columns.start - 1 - bisect_left(hidden, columns.start)
                end = columns.stop - 1 - bisect_left(hidden, columns.stop)
                if end - first > 1:
                    spans.setdefault(row, []).append(range(first, end))
        return spans


def read_places(sheet: BinaryIO) -> SheetPlaces:
    """What the XML of a sheet says of its rows and columns."""
    found = SheetPlaces()
    row = 0
    for kind, attributes in _places(sheet):
        is_hidden = attributes.get("hidden") in ("1", "true")
        if kind == b"row":
            row = read_number(attributes.get("r"), row + 1)
            if is_hidden and row <= MAX_ROWS:
                found.rows.add(row)
        elif kind == b"mergeCell":
            _add_merged(found, attributes.get("ref", ""))
        elif is_hidden:
            first = read_number(attributes.get("min"), 1)
            last = min(read_number(attributes.get("max"), first), _MAX_COLUMNS)
            found.columns.update(range(first, last + 1))
    return found


def _add_merged(places: SheetPlaces, reference: str) -> None:
    match = _RANGE.fullmatch(reference)
    if match is not None:
        columns = range(_column(match[1]), min(_column(match[3]), _MAX_COLUMNS) + 1)
        if len(columns) > 1:
            places.merged.setdefault(int(match[2]), []).append(columns)


def _column(letters: str) -> int:
    """The number, from 1, of a column."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _places(sheet: BinaryIO) -> Iterator[tuple[bytes, dict[str, str]]]:
    """The rows and columns in their order, with the attributes of use."""
    tail = b""
    while chunk := sheet.read(_CHUNK):
        data = tail + chunk
        end = data.rfind(b">") + 1
        for match in _PLACE.finditer(data, 0, end):
            found = _ATTRIBUTE.findall(match[2] or b"")
            yield match[1], {name.decode(): value.decode("ascii", errors="replace") for name, value in found}
        tail = data[end:]
