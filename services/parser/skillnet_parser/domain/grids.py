"""Grids of cells (a sheet, a file of separated values) to blocks: tables, and the lines that stand around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, Piece, text_block
from skillnet_parser.domain.tables import render_rows

_VALUE = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,:/ -]*\s?[%€$£)]?")

Grid = list[list[str]]


def read_grid(rows: Iterable[Sequence[str]]) -> Iterator[DraftBlock]:
    """The blocks of a grid. Empty rows part tables from each other, and so do empty columns; a row with one cell
    above a table is a line of its own. What follows an empty row goes on with the table above where it has the
    same columns and no header. The first row of a table is its header.
    """
    tables: list[tuple[frozenset[int], Grid]] = []
    for region in _split_rows(rows):
        columns = _used_columns(region)
        if tables and _goes_on(tables[-1], columns, region):
            tables[-1][1].extend(region)
        else:
            tables.append((columns, region))
    for columns, region in tables:
        yield from _read_region(region, columns)


def _split_rows(rows: Iterable[Sequence[str]]) -> Iterator[Grid]:
    """Runs of rows that hold something; the cells without white space around them."""
    region: Grid = []
    for row in rows:
        cells = [cell.strip() for cell in row]
        if any(cells):
            region.append(cells)
        elif region:
            yield region
            region = []
    if region:
        yield region


def _used_columns(region: Grid) -> frozenset[int]:
    return frozenset(column for row in region for column, cell in enumerate(row) if cell)


def _goes_on(table: tuple[frozenset[int], Grid], columns: frozenset[int], region: Grid) -> bool:
    """Whether a region carries on the table above an empty row: within its columns, and its first row, unlike
    the table's, holds values."""
    above, rows = table
    return (
        len(above) > 1
        and len(columns) > 1
        and columns <= above
        and not _has_value(_body_of(rows)[0])
        and _has_value(region[0])
    )


def _body_of(rows: Grid) -> Grid:
    """The rows from the first on that has two cells."""
    first = next((at for at, row in enumerate(rows) if _count(row) > 1), 0)
    return rows[first:]


def _has_value(row: Sequence[str]) -> bool:
    return any(_VALUE.fullmatch(cell) for cell in row)


def _count(row: Sequence[str]) -> int:
    return sum(1 for cell in row if cell)


def _read_region(region: Grid, columns: frozenset[int]) -> Iterator[DraftBlock]:
    if len(columns) > 1:
        while region and _count(region[0]) == 1:
            yield text_block(BlockKind.PARAGRAPH, "".join(region.pop(0)))
        for span in _split_columns(region, _used_columns(region)):
            yield from _table([[row[column] if column < len(row) else "" for column in span] for row in region])
    else:
        yield DraftBlock(BlockKind.PARAGRAPH, tuple(Piece("".join(row), joint="\n") for row in region))


def _split_columns(region: Grid, columns: frozenset[int]) -> list[list[int]]:
    """The columns of each table: those side by side with an empty column between are apart where each has two
    columns at least; else the empty ones are just left out."""
    spans: list[list[int]] = []
    for column in sorted(columns):
        if spans and spans[-1][-1] == column - 1:
            spans[-1].append(column)
        else:
            spans.append([column])
    if len(region) > 1 and all(len(span) > 1 for span in spans):
        return spans
    return [sorted(columns)]


def _table(rows: Grid) -> Iterator[DraftBlock]:
    lines = render_rows(rows)
    if lines:
        yield DraftBlock(BlockKind.TABLE, tuple(Piece(line, joint="\n") for line in lines))
