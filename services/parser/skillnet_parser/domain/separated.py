"""Values separated by a delimiter: which one, and whether a text is a table of them."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator

DELIMITERS = (";", "\t", ",", "|")
_SAMPLE_ROWS = 100
_SAMPLE_CHARS = 8192
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_MIN_SHARE = 0.5  # of the rows
_MIN_SHARE_OF_LINES = 0.25
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
    """The delimiter that gives most rows the same number of fields, two at least; of equals, more fields. Lines
    without any delimiter, such as titles, do not count, nor do decimal commas beside another delimiter. None where
    no delimiter gives that to more than half of the rows and a quarter of all lines."""
    found: list[tuple[float, int, str]] = []
    for delimiter in DELIMITERS:
        widths, bare = _widths(text, delimiter)
        if not widths:
            continue
        width, count = widths.most_common(1)[0]
        share = count / widths.total()
        if width > 1 and share > _MIN_SHARE and count >= _MIN_SHARE_OF_LINES * (widths.total() + bare):
            found.append((share, width, delimiter))
    if len(found) > 1 and _has_decimal_commas(text):
        found = [one for one in found if one[2] != ","]
    return max(found, key=lambda one: one[:2])[2] if found else None


def _has_decimal_commas(text: str) -> bool:
    """Whether most commas stand in numbers."""
    sample = text[:_SAMPLE_CHARS]
    return len(_DECIMAL_COMMA.findall(sample)) > sample.count(",") / 2


def read_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """The rows of a table; a field in quotes may hold delimiters and line breaks."""
    # A field is as long as the text where a quote is never closed. The limit is the whole process's: never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    return csv.reader(io.StringIO(text.replace("\x00", ""), newline=None), delimiter=delimiter)


def _widths(text: str, delimiter: str) -> tuple[Counter[int], int]:
    """How many of the first rows have how many fields, and how many lines hold no delimiter of any kind."""
    widths: Counter[int] = Counter()
    bare = 0
    for row in read_rows(text, delimiter):
        if len(row) == 1 and not any(other in row[0] for other in DELIMITERS):
            bare += bool(row[0])
        elif any(row):
            widths[len(row)] += 1
        if widths.total() + bare >= _SAMPLE_ROWS:
            break
    return widths, bare
