"""Tables of HTML: their rows and cells, and which of them only lay out a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lxml import html

_MAX_COLUMNS_SPANNED = 100
_MAX_COLUMNS = 500  # of a grid: beyond it spans count no more, cells do
_MAX_ROWS_SPANNED = 1000
_LAYOUT_MARKS = ["h1", "h2", "h3", "h4", "h5", "h6", "table", "pre"]


def is_data_table(table: html.HtmlElement) -> bool:
    """Whether a table has two rows and two columns, or header cells, and no blocks of text in its cells."""
    if table.get("role") in ("presentation", "none") or next(_inner(table, _LAYOUT_MARKS), None) is not None:
        return False
    rows = list(_rows(table))
    return next(_inner(table, ["th"]), None) is not None or (
        len(rows) > 1 and max(len(_cells(row)) for row in rows) > 1
    )


def table_rows(table: html.HtmlElement, read_cell: Callable[[html.HtmlElement], str]) -> list[list[str]]:
    """The grid of a table: a merged cell's text stands in its first place only, the others are empty."""
    grid: list[list[str]] = []
    covered: dict[int, int] = {}  # rows that a cell above still covers, by column
    for row in _rows(table):
        line: list[str] = []
        for cell in _cells(row):
            _skip_covered(line, covered)
            width = _span(cell, "colspan", max(1, min(_MAX_COLUMNS_SPANNED, _MAX_COLUMNS - len(line))))
            height = _span(cell, "rowspan", _MAX_ROWS_SPANNED)
            start = len(line)
            line += [read_cell(cell)] + [""] * (width - 1)
            if height > 1 and start < _MAX_COLUMNS:
                covered |= dict.fromkeys(range(start, start + width), height)
        _skip_covered(line, covered)
        covered = {column: left - 1 for column, left in covered.items() if left > 1}
        grid.append(line)
    return _without_empty_columns(grid)


def _skip_covered(line: list[str], covered: dict[int, int]) -> None:
    while covered.get(len(line), 0) > 0:
        line.append("")


def _without_empty_columns(grid: list[list[str]]) -> list[list[str]]:
    """A span of many columns is no reason for as many empty cells a row."""
    used = sorted({column for row in grid for column, cell in enumerate(row) if cell})
    return [[row[column] if column < len(row) else "" for column in used] for row in grid]


def _rows(table: html.HtmlElement) -> Iterator[html.HtmlElement]:
    """Those of the table itself, the head first and the foot last, wherever they stand in the file."""
    parts = {"thead": 0, "tfoot": 2}
    for part in sorted(table.iterchildren(tag=html.etree.Element), key=lambda child: parts.get(child.tag, 1)):
        if part.tag == "tr":
            yield part
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from part.iterchildren("tr")


def _cells(row: html.HtmlElement) -> list[html.HtmlElement]:
    return list(row.iterchildren("td", "th"))


def _inner(table: html.HtmlElement, tags: list[str]) -> Iterator[html.HtmlElement]:
    return (element for element in table.iter(*tags) if element is not table)


def _span(cell: html.HtmlElement, name: str, most: int) -> int:
    value = cell.get(name, "").strip()
    return min(max(int(value), 1), most) if value.isdecimal() and len(value) < 6 else 1
