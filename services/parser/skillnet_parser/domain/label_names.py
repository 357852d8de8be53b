"""The name that stands on the lines below a label: `TÍTULO I` over `Disposiciones generales`, set as the text is."""

from __future__ import annotations

from collections.abc import Sequence

from skillnet_parser.domain.heading_rows import is_centred, is_short_of_column, runs_on
from skillnet_parser.domain.layout import BodyStyle, Item, Row, are_neighbours, is_tabular
from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.numbering import read_label

_MAX_NAME_WORDS = 16
_MAX_NAME_ROWS = 3
_NEAR = 2.2  # times the usual distance of two lines


def name_below(items: Sequence[Item], at: int, excluded: set[int], body: BodyStyle) -> list[Row]:
    """The rows from `at` that name the label right above, or none where they read like its text.

    A name is short, ends without a stop and has the label's place: below a centred label it is centred; below one at
    the left a single row that stops short of the column's edge, before a row that begins something else.
    """
    label = items[at - 1]
    if not isinstance(label, Row):
        return []
    rows: list[Row] = []
    for index in range(at, min(at + _MAX_NAME_ROWS, len(items))):
        row = items[index]
        if index in excluded or not isinstance(row, Row) or not _may_name(row, rows[-1] if rows else label, body):
            break
        if not (is_centred(row) and is_centred(label)):
            return [row] if not rows and _stands_alone(items, index, row, body) else rows
        rows.append(row)
    return rows if sum(len(row.text.split()) for row in rows) <= _MAX_NAME_WORDS else []


def _may_name(row: Row, above: Row, body: BodyStyle) -> bool:
    text = row.text.strip()
    return (
        are_neighbours(above, row)
        and row.rect.y1 - above.rect.y1 <= _NEAR * max(body.pitch, row.style.size)
        and text[:1].isalpha()
        and not text.endswith((".", ":", ";", ","))
        and len(text.split()) <= _MAX_NAME_WORDS
        and read_label(text) is None
        and not starts_item(text)
        and not is_tabular(row)
    )


def _stands_alone(items: Sequence[Item], at: int, row: Row, body: BodyStyle) -> bool:
    """Whether a row at the left is no first line of a paragraph."""
    below = items[at + 1] if at + 1 < len(items) else None
    if not row.text[:1].isupper() or not is_short_of_column(row) or runs_on(items, at, body):
        return False
    return not isinstance(below, Row) or not are_neighbours(row, below) or not below.text[:1].islower()
