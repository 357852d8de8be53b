"""The rows and columns of a sheet that its reader does not see, which openpyxl does not tell as it streams."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from skillnet_parser.formats.ooxml import read_number
from skillnet_parser.limits import MEBIBYTE

_CHUNK = MEBIBYTE
_PLACE = re.compile(rb"<(?:[\w.-]+:)?(row|col)(\s[^>]*)?>")
_ATTRIBUTE = re.compile(rb"(?<![\w:.-])(r|hidden|min|max)\s*=\s*[\"']([^\"']*)[\"']")
MAX_ROWS, _MAX_COLUMNS = 1_048_576, 16_384  # of the format


@dataclass(slots=True)
class HiddenPlaces:
    """Numbers from 1. Hidden rows are those hidden by hand, by a filter and in a folded group alike."""

    rows: set[int] = field(default_factory=set)
    columns: set[int] = field(default_factory=set)


def read_hidden(sheet: BinaryIO) -> HiddenPlaces:
    """What the XML of a sheet says of its rows and columns."""
    hidden = HiddenPlaces()
    row = 0
    for kind, attributes in _places(sheet):
        is_hidden = attributes.get("hidden") in ("1", "true")
        if kind == b"row":
            row = read_number(attributes.get("r"), row + 1)
            if is_hidden and row <= MAX_ROWS:
                hidden.rows.add(row)
        elif is_hidden:
            first = read_number(attributes.get("min"), 1)
            last = min(read_number(attributes.get("max"), first), _MAX_COLUMNS)
            hidden.columns.update(range(first, last + 1))
    return hidden


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
