"""Grids of cells (a sheet, a file of separated values) to blocks: tables, and the lines that stand around them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, Piece, text_block
from skillnet_parser.domain.tables import render_rows

_VALUE = re.compile(r"[-+(]?[€$£]?\s?\d[\d.,:/ -]*\s?[%€$£)]?")
_LONE_GAP = 2  # empty columns between a table and a column apart from it

Grid = list[list[str]]


def read_grid(rows: Iterable[Sequence[str]], covered: Collection[int] = ()) -> Iterator[DraftBlock]:
    """The blocks of a grid. Empty rows part tables from each other, and so do empty columns, but not those that
    merged cells have `covered`; a row with one cell above a table is a line of its own. What follows an empty row
    goes on with the table above where it has the same columns and no header. The first row of a table is its
    header.
    """
    tables: list[tuple[frozenset[int], Grid]] = []
    for region in _split_rows(rows):
        columns = _used_columns(region)
        if tables and _goes_on(tables[-1], columns, region):
            tables[-1][1].extend(region)
        else:
            tables.append((columns, region))
    for columns, region in tables:
        yield from _read_region(region, columns, covered)


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
        and not has_value(_body_of(rows)[0])
        and has_value(region[0])
    )


def _body_of(rows: Grid) -> Grid:
    """The rows from the first on that has two cells."""
    first = next((at for at, row in enumerate(rows) if count_cells(row) > 1), 0)
    return rows[first:]


def has_value(row: Sequence[str]) -> bool:
    """Whether a cell of the row holds a number, an amount or a date in digits."""
    return any(_VALUE.fullmatch(cell) for cell in row)


def count_cells(row: Sequence[str]) -> int:
    """How many cells hold something."""
    return sum(1 for cell in row if cell)


def _read_region(region: Grid, columns: frozenset[int], covered: Collection[int]) -> Iterator[DraftBlock]:
    if len(columns) > 1:
        while region and count_cells(region[0]) == 1:
            yield text_block(BlockKind.PARAGRAPH, "".join(region.pop(0)))
        for span in _split_columns(region, _used_columns(region), covered):
            rows = [[row[column] if column < len(row) else "" for column in span] for row in region]
            yield from _table(rows) if len(span) > 1 else _lines(rows)
    else:
        yield from _lines(region)


def _split_columns(region: Grid, columns: frozenset[int], covered: Collection[int]) -> list[list[int]]:
    """The columns of each table: those side by side with an empty column between are apart where each has two
    columns at least; else the empty ones are just left out."""
    tables: list[list[int]] = []
    for spans in _split_lone(region, _spans(columns, covered)):
        if len(region) > 1 and all(len(span) > 1 for span in spans):
            tables += spans
        else:
            tables.append([column for span in spans for column in span])
    return tables


def _spans(columns: frozenset[int], covered: Collection[int]) -> list[list[int]]:
    """Runs of columns without an empty one between."""
    spans: list[list[int]] = []
    last = -1
    for column in sorted(columns.union(covered) if columns else ()):
        if spans and last == column - 1:
            spans[-1].append(column)
        else:
            spans.append([column])
        last = column
    used = [[column for column in span if column in columns] for span in spans]
    return [span for span in used if span]


def _split_lone(region: Grid, spans: list[list[int]]) -> list[list[list[int]]]:
    """Spans in groups: a column of words with several empty ones between it and a table is apart from that. One of
    values is a column of the table, whose words run over the empty ones."""
    groups: list[list[list[int]]] = []
    for before, span in zip([None, *spans], spans, strict=False):
        if before is not None and not _is_apart(region, before, span):
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


def _is_apart(region: Grid, before: list[int], span: list[int]) -> bool:
    lone = [one[0] for one in (before, span) if len(one) == 1]
    return (
        len(region) > 1
        and len(lone) == 1
        and span[0] - before[-1] > _LONE_GAP
        and not has_value([row[lone[0]] for row in region if lone[0] < len(row)])
    )


def _lines(rows: Grid) -> Iterator[DraftBlock]:
    lines = ["".join(row) for row in rows]
    yield DraftBlock(BlockKind.PARAGRAPH, tuple(Piece(line, joint="\n") for line in lines if line))


def _table(rows: Grid) -> Iterator[DraftBlock]:
    lines = render_rows(rows)
    if lines:
        yield DraftBlock(BlockKind.TABLE, tuple(Piece(line, joint="\n") for line in lines))
