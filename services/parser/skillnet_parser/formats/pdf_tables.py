"""Ruled tables of a PDF page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf
from pymupdf import table as finder

from skillnet_common.documents import Box
from skillnet_parser.domain.layout import Rect, TableRegion
from skillnet_parser.domain.tables import is_plausible
from skillnet_parser.formats.pdf_hidden import HiddenText

_Log = Sequence[tuple[str, tuple[float, ...]]]

_PATHS = ("stroke-path", "fill-path")
_RULE = 3.0  # points: what is thinner is a line
_MIN_RULE = 20.0
_MIN_CELL = 8.0
_GRID_LINES = 3
_MARGIN = 4.0
_SAME_EDGE = 2.0
_MAX_PATHS = 5000  # a drawing, not a table: finding cells in it would take minutes
_BOX_DIGITS = 4


class _Headless(finder.Table):
    """A table whose header is not looked for: the first row is taken for it, and the search costs a third of
    the finder's time."""

    def _get_header(self, *_arguments: object, **_options: object) -> None:
        return None


finder.Table = _Headless  # type: ignore[misc]  # the finder makes its tables of this class


def find_tables(page: Any, log: _Log, hidden: HiddenText, above: TableRegion | None = None) -> list[TableRegion]:
    """The page's ruled tables, top-down. `above` is the last one of the page before: of it a single row may be left.

    PyMuPDF's finder costs tens of milliseconds a page, so that it is called only where lines and boxes on the
    page could be a grid of two rows and two columns, and on the area around them.
    """
    area = _area_to_search(page, log, _GRID_LINES if above is None else _GRID_LINES - 1)
    if area is None:
        return []
    found = page.find_tables(clip=area & page.rect)
    tables = sorted(found.tables, key=lambda table: table.bbox[1])
    regions = [_read_table(page, table, hidden, None if number else above) for number, table in enumerate(tables)]
    return [region for region in regions if region is not None]


def may_hold_table(page: Any) -> bool:
    """Whether a `pymupdf.Page` passes the gate: the finder is asked about it."""
    return _area_to_search(page, page.get_bboxlog(), _GRID_LINES) is not None


def _area_to_search(page: Any, log: _Log, lines_across: int) -> pymupdf.Rect | None:
    paths = sum(kind in _PATHS for kind, _ in log)
    return _ruled_area(page, lines_across) if 0 < paths <= _MAX_PATHS else None


def _ruled_area(page: Any, lines_across: int) -> pymupdf.Rect | None:
    """The area of the page's lines and boxes, or None where they cannot form a grid."""
    edges = [edge for drawing in page.get_cdrawings() for item in drawing["items"] for edge in _edges(item)]
    across = [edge for edge in edges if edge[3] - edge[1] <= _RULE and edge[2] - edge[0] >= _MIN_RULE]
    down = [edge for edge in edges if edge[2] - edge[0] <= _RULE and edge[3] - edge[1] >= _MIN_CELL]
    if (
        _count_apart([edge[1] for edge in across]) < lines_across
        or _count_apart([edge[0] for edge in down]) < _GRID_LINES
    ):
        return None
    ruled = [*across, *down]
    return pymupdf.Rect(
        min(edge[0] for edge in ruled) - _MARGIN,
        min(edge[1] for edge in ruled) - _MARGIN,
        max(edge[2] for edge in ruled) + _MARGIN,
        max(edge[3] for edge in ruled) + _MARGIN,
    )


_Edge = tuple[float, float, float, float]  # x0 <= x1, y0 <= y1


def _edges(item: Sequence[Any]) -> list[_Edge]:
    """The straight edges of a path's item: a line is one, a rectangle has four or, where thin, is one."""
    if item[0] == "l":
        (x0, y0), (x1, y1) = item[1], item[2]
        return [(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))]
    if item[0] == "re":
        x0, y0, x1, y1 = item[1]
        if x1 - x0 <= _RULE or y1 - y0 <= _RULE:
            return [(x0, y0, x1, y1)]
        return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]
    return []


def _count_apart(positions: Sequence[float]) -> int:
    """How many of the positions are further apart than a rule is thick."""
    count, last = 0, float("-inf")
    for position in sorted(positions):
        if position - last > _RULE:
            count, last = count + 1, position
    return count


def _read_table(page: Any, table: Any, hidden: HiddenText, above: TableRegion | None) -> TableRegion | None:
    letters = list(_visible_letters(page, pymupdf.Rect(table.bbox), hidden))
    rows = tuple(_row_texts(letters, row) for row in table.rows)
    if not is_plausible(rows) and not (above is not None and _is_last_row(rows, table.bbox, above)):
        return None
    width, height = page.rect.width, page.rect.height
    boxes = tuple(_row_box(row.bbox, width, height) for row in table.rows)
    return TableRegion(rows, Rect(*table.bbox), boxes)


def _is_last_row(rows: Sequence[Sequence[str]], bbox: Sequence[float], above: TableRegion) -> bool:
    """Whether a row alone has the columns and the edges of the table before it."""
    alike = len(rows) == 1 and len(rows[0]) == len(above.rows[0]) and any(rows[0])
    return alike and abs(bbox[0] - above.rect.x0) <= _SAME_EDGE and abs(bbox[2] - above.rect.x1) <= _SAME_EDGE


_Letter = tuple[str, float, float, int]  # character, x and y of its middle, its line


def _visible_letters(page: Any, area: pymupdf.Rect, hidden: HiddenText) -> Iterator[_Letter]:
    content = page.get_text("rawdict", clip=area, flags=pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP)
    line_number = 0
    for block in content["blocks"]:
        for line in block.get("lines", ()):
            line_number += 1
            for span in line["spans"]:
                text = "".join(char["c"] for char in span["chars"])
                if hidden.hides({**span, "text": text}):
                    continue
                for char in span["chars"]:
                    x0, y0, x1, y1 = char["bbox"]
                    yield char["c"], (x0 + x1) / 2, (y0 + y1) / 2, line_number


def _row_texts(letters: Sequence[_Letter], row: Any) -> tuple[str, ...]:
    """The texts of a row's cells; a cell that another covers is empty."""
    beside = [letter for letter in letters if row.bbox[1] <= letter[2] <= row.bbox[3]]
    return tuple(_cell_text(beside, cell) if cell is not None else "" for cell in row.cells)


def _cell_text(letters: Sequence[_Letter], cell: Sequence[float]) -> str:
    parts: list[str] = []
    last_line = None
    for char, x, y, line in letters:
        if cell[0] <= x <= cell[2] and cell[1] <= y <= cell[3]:
            if last_line is not None and line != last_line:
                parts.append("\n")
            parts.append(char)
            last_line = line
    return "".join(parts).strip()


def _row_box(bbox: Sequence[float], width: float, height: float) -> Box:
    """On page 1 until the page's number is known."""
    x0, y0, x1, y1 = (
        round(min(max(value / whole, 0.0), 1.0), _BOX_DIGITS)
        for value, whole in zip(bbox, (width, height, width, height), strict=True)
    )
    return Box(1, x0, y0, x1, y1)
