"""Ruled tables of a PDF page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf
from skillnet_common.documents import Box

from skillnet_parser.domain.layout import Rect, TableRegion
from skillnet_parser.domain.tables import is_plausible
from skillnet_parser.formats.pdf_hidden import HiddenText

_Log = Sequence[tuple[str, tuple[float, ...]]]

_PATHS = ("stroke-path", "fill-path")
_RULE = 3.0  # points: what is thinner is a line
_MIN_RULE = 20.0
_MIN_CELL = 8.0
_MARGIN = 4.0
_MAX_PATHS = 5000  # a drawing, not a table: finding cells in it would take minutes
_BOX_DIGITS = 4


def find_tables(page: Any, log: _Log, hidden: HiddenText) -> list[TableRegion]:
    """The page's ruled tables, top-down.

    PyMuPDF's finder costs tens of milliseconds a page, so that it is called only where the page holds lines
    or boxes that could be a grid, and on the area around them.
    """
    area = _ruled_area(log)
    if area is None:
        return []
    area &= page.rect
    found = page.find_tables(clip=area, add_lines=None)
    regions = [region for table in found.tables if (region := _read_table(page, table, hidden)) is not None]
    return sorted(regions, key=lambda region: region.rect.y0)


def _ruled_area(log: _Log) -> pymupdf.Rect | None:
    """The area of the page's lines and boxes, or None where they cannot form a grid."""
    rects = [rect for kind, rect in log if kind in _PATHS]
    if len(rects) > _MAX_PATHS:
        return None
    across = [rect for rect in rects if _is_across(rect)]
    down = [rect for rect in rects if _is_down(rect)]
    boxes = [rect for rect in rects if _is_box(rect)]
    if not (boxes or (len(across) >= 2 and len(down) >= 2)):
        return None
    ruled = [*across, *down, *boxes]
    return pymupdf.Rect(
        min(rect[0] for rect in ruled) - _MARGIN,
        min(rect[1] for rect in ruled) - _MARGIN,
        max(rect[2] for rect in ruled) + _MARGIN,
        max(rect[3] for rect in ruled) + _MARGIN,
    )


def _is_across(rect: Sequence[float]) -> bool:
    return rect[3] - rect[1] <= _RULE and rect[2] - rect[0] >= _MIN_RULE


def _is_down(rect: Sequence[float]) -> bool:
    return rect[2] - rect[0] <= _RULE and rect[3] - rect[1] >= _MIN_CELL


def _is_box(rect: Sequence[float]) -> bool:
    return rect[2] - rect[0] >= _MIN_RULE and rect[3] - rect[1] >= _MIN_CELL


def _read_table(page: Any, table: Any, hidden: HiddenText) -> TableRegion | None:
    letters = list(_visible_letters(page, pymupdf.Rect(table.bbox), hidden))
    rows = tuple(
        tuple(_cell_text(letters, cell) if cell is not None else "" for cell in row.cells) for row in table.rows
    )
    if not is_plausible(rows):
        return None
    width, height = page.rect.width, page.rect.height
    boxes = tuple(_row_box(row.bbox, width, height) for row in table.rows)
    return TableRegion(rows, Rect(*table.bbox), boxes)


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
