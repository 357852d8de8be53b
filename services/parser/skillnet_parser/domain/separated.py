"""Values separated by a delimiter: which one, and whether a text is a table of them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator

DELIMITERS = (";", "\t", ",", "|")
_SAMPLE_ROWS = 100
_MIN_SHARE = 0.9
_MIN_ROWS = 4  # of a table that no name says to be one
_MIN_COLUMNS = 3
_MAX_FIELD_CHARS = 60.0  # on average
_MAX_SPACED_SHARE = 0.5  # of the delimiters: in prose a space follows each comma


def is_separated(text: str) -> bool:
    """Whether the beginning of a text is a table: each row has the same three fields or more, none of them long.
    The last row may be cut."""
    delimiter = find_delimiter(text)
    if delimiter is None or text.count(f"{delimiter} ") > _MAX_SPACED_SHARE * text.count(delimiter):
        return False
    rows = [row for row in read_rows(text, delimiter) if any(row)][:-1]
    widths = {len(row) for row in rows}
    fields = sum(len(row) for row in rows)
    return (
        len(rows) >= _MIN_ROWS
        and len(widths) == 1
        and max(widths) >= _MIN_COLUMNS
        and sum(len(field) for row in rows for field in row) <= _MAX_FIELD_CHARS * fields
    )


def find_delimiter(text: str) -> str | None:
    """The delimiter that gives most rows the same number of fields, two at least; of equals, more fields. None
    where no delimiter gives that to nine rows in ten."""
    best: tuple[float, int, str] | None = None
    for delimiter in DELIMITERS:
        widths = _widths(text, delimiter)
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        share = count / widths.total()
        if width > 1 and share >= _MIN_SHARE and (best is None or (share, width) > best[:2]):
            best = (share, width, delimiter)
    return best[2] if best else None


def read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows of a table; a field in quotes may hold delimiters and line breaks."""
    # A field is as long as the text where a quote is never closed. The limit is the whole process's: never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return csv.reader(io.StringIO(text.replace("\x00", ""), newline=None), delimiter=delimiter)


def _widths(text: str, delimiter: str) -> Counter[int]:
    """How many of the first rows have how many fields."""
    widths: Counter[int] = Counter()
    for row in read_rows(text, delimiter):
        if any(row):
            widths[len(row)] += 1
        if widths.total() >= _SAMPLE_ROWS:
            break
    return widths
