"""Tables with drawn grid lines: column widths, cell lines and row heights."""

from __future__ import annotations

from dataclasses import dataclass

from typesetting.blocks import Runs, Table
from typesetting.canvas import Canvas, put_wrapped
from typesetting.lines import Line, Typeface, break_lines, longest_word, natural_width

PADDING = 4.0
LINE_HEIGHT = 1.25


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[list[Line], ...]
    height: float
    is_header: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A table ready to be drawn: `widths` are the columns' in points, the header is the first row."""

    widths: tuple[float, ...]
    alignments: tuple[str, ...]
    rows: tuple[Row, ...]
    face: Typeface
    header_face: Typeface

    def draw_row(self, canvas: Canvas, row: Row, x: float, top: float) -> None:
        face = self.header_face if row.is_header else self.face
        bottom = top + row.height
        if row.is_header:
            canvas.put_shade(x, top, x + sum(self.widths), bottom)
        left = x
        for lines, width, alignment in zip(row.cells, self.widths, self.alignments, strict=True):
            put_wrapped(
                canvas,
                lines,
                face,
                x=left + PADDING,
                top=top + PADDING - 1,
                width=width - 2 * PADDING,
                leading=face.size * LINE_HEIGHT,
                alignment=alignment,
            )
            canvas.put_rule(left, top, left, bottom)
            left += width
        canvas.put_rule(left, top, left, bottom)
        canvas.put_rule(x, top, left, top)
        canvas.put_rule(x, bottom, left, bottom)


def make_grid(table: Table, face: Typeface, header_face: Typeface, width: float) -> Grid:
    """Lays a table out over the whole `width`."""
    widths = _column_widths(table, face, header_face, width)
    rows = [_make_row(table.header, widths, header_face, is_header=True)]
    rows += [_make_row(row, widths, face, is_header=False) for row in table.rows]
    return Grid(widths, table.alignments, tuple(rows), face, header_face)


def _make_row(cells: tuple[Runs, ...], widths: tuple[float, ...], face: Typeface, *, is_header: bool) -> Row:
    lines = tuple(break_lines(cell, face, width - 2 * PADDING) for cell, width in zip(cells, widths, strict=True))
    tallest = max(len(cell) for cell in lines)
    return Row(lines, tallest * face.size * LINE_HEIGHT + 2 * PADDING, is_header)


def _column_widths(table: Table, face: Typeface, header_face: Typeface, width: float) -> tuple[float, ...]:
    """Every column gets its longest word; what is left is shared by how much more each would like."""
    least: list[float] = []
    wished: list[float] = []
    for column, title in enumerate(table.header):
        cells = [row[column] for row in table.rows]
        words = [longest_word(title, header_face), *(longest_word(cell, face) for cell in cells)]
        texts = [natural_width(title, header_face), *(natural_width(cell, face) for cell in cells)]
        least.append(max(words) + 2 * PADDING + 0.5)
        wished.append(max(texts) + 2 * PADDING + 0.5)
    spare = width - sum(least)
    if spare < 0:
        raise ValueError(f"a table is {-spare:.0f} points too wide")
    wishes = [wish - need for wish, need in zip(wished, least, strict=True)]
    total = sum(wishes)
    if total <= spare:
        return tuple(wish + (spare - total) / len(wished) for wish in wished)
    return tuple(need + spare * wish / total for need, wish in zip(least, wishes, strict=True))
