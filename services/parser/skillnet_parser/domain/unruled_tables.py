"""Tables without rules: rows of cells that stand under each other, with white space between the columns.

From a row with several cells the table grows down and up as long as every cell of the next row stands under one
column (or a title over several). Columns never touch each other: the white space between them runs through all
rows, which prose, lists and formulas do not keep up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from skillnet_common.documents import Box
from skillnet_parser.domain.heading_rows import SLIGHTLY_LARGER
from skillnet_parser.domain.heading_signals import LARGER
from skillnet_parser.domain.layout import (
    Fragment,
    Item,
    PlacedTable,
    Row,
    TableRegion,
    are_neighbours,
    merge_boxes,
    union,
)
from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.numbering import numbers_heading, read_label
from skillnet_parser.domain.table_columns import Columns, is_measure, is_value, merge_head, part_cells

_MIN_COLUMNS = 3  # two where one of them holds values
_MIN_ROWS = 3
_MIN_ROWS_OF_TWO = 4
_MAX_GAP = 3.5  # times the size: from one row to the next
_MAX_HEAD_ROWS = 4
_MAX_TITLES = 3  # of the first rows, one below the other
_MOSTLY = 0.8
_YEAR = re.compile(r"(?:19|20)\d\d\b")
_MAX_TITLE_WORDS = 8  # of a row that heads those below it
_MAX_LONG_SHARE = 0.25
_LONG_WORDS = 8
_FILLED = 0.75  # of the column's width
_MAX_FILLED_SHARE = 0.6
_TIGHT = 0.9  # times the usual distance of two rows: the second line of a cell
_TIGHTER = 0.8  # where it has a cell in each column


def set_unruled_tables(items: Sequence[Item], contents: set[int]) -> tuple[list[Item], set[int]]:
    """The items with a table in place of the rows that form one, and the indices of the contents among them
    (`contents` are those among the items as given, whose rows stay)."""
    found: list[Item] = []
    kept: set[int] = set()
    at = 0
    while at < len(items):
        rows = _rows_from(items, at, contents)
        if not rows:
            if at in contents:
                kept.add(len(found))
            found.append(items[at])
            at += 1
            continue
        found += _tables_and_rows(rows)
        at += len(rows)
    return found, kept


def _rows_from(items: Sequence[Item], at: int, contents: set[int]) -> list[Row]:
    """The neighbouring rows from `at` on that are none of the contents."""
    rows: list[Row] = []
    for index in range(at, len(items)):
        item = items[index]
        if not isinstance(item, Row) or index in contents or (rows and not are_neighbours(rows[-1], item)):
            break
        rows.append(item)
    return rows


def _tables_and_rows(rows: Sequence[Row]) -> Iterator[Item]:
    at = 0
    for start, end, table in _find([replace(row, cells=part_cells(row.cells)) for row in rows]):
        yield from rows[at:start]
        yield table
        at = end
    yield from rows[at:]


def _find(rows: Sequence[Row]) -> Iterator[tuple[int, int, PlacedTable]]:
    """First row, end and table of each, top-down."""
    at = free = 0
    while at < len(rows):
        grown = _grow(rows, at, free) if len(rows[at].cells) > 1 else None
        if grown is None:
            at += 1
        else:
            yield grown
            at = free = grown[1]


def _grow(rows: Sequence[Row], seed: int, free: int) -> tuple[int, int, PlacedTable] | None:
    """The table around the row `seed`, which has a cell in each column; rows before `free` are taken."""
    if not _may_hold_cells(rows[seed]):
        return None
    columns = Columns(rows[seed].cells)
    end = _grow_down(rows, seed, columns)
    if not _is_table(rows[seed:end], columns):
        return None
    start = _grow_up(rows, seed, free, columns)
    return start, end, _place(rows[start:end], columns)


def _grow_down(rows: Sequence[Row], seed: int, columns: Columns) -> int:
    """Where the table ends; a short row across several columns may stand between rows of cells."""
    end = at = seed + 1
    while at < len(rows) and _is_close(rows[at - 1], rows[at]):
        row = rows[at]
        if len(row.cells) > 1:
            if not (_may_hold_cells(row) and columns.take(row.cells)):
                break
            end = at + 1
        elif columns.stands_in_one(row.cells[0]) and not columns.is_first(row.cells[0]):
            columns.take(row.cells)
            end = at + 1
        elif not _may_head_rows(row, rows[seed]):
            break
        at += 1
    return end


def _grow_up(rows: Sequence[Row], seed: int, free: int, columns: Columns) -> int:
    """Where the table begins: its head may name several columns at once, and stand above a short row that heads
    the first rows."""
    start = seed
    for at in range(seed - 1, max(free, seed - _MAX_HEAD_ROWS - _MAX_TITLES) - 1, -1):
        row = rows[at]
        if not _is_close(row, rows[at + 1]):
            break
        if len(row.cells) > 1:
            if not _may_hold_cells(row) or columns.spans(row.cells) is None:
                break
            start = at
        elif start < seed or seed - at > _MAX_TITLES or not _may_head_rows(row, rows[seed]):
            break
    return start


def _may_head_rows(row: Row, whole: Row) -> bool:
    """`Previsto` between rows of cells; not the larger or numbered heading of the next table."""
    label = read_label(row.text)
    bold = row.style.bold
    numbered = label is not None and bool(label.rest) and bold
    larger = row.style.size > (SLIGHTLY_LARGER if bold else LARGER) * whole.style.size
    return not larger and not numbered and len(row.text.split()) <= _MAX_TITLE_WORDS


def _is_close(above: Row, row: Row) -> bool:
    return row.rect.y1 - above.rect.y1 <= _MAX_GAP * max(row.style.size, above.style.size)


def _may_hold_cells(row: Row) -> bool:
    """Not a listing's, an item's with its marker set apart, or a heading's with its number."""
    if row.style.monospaced or (len(row.cells) == 2 and starts_item(row.text)):
        return False
    label = read_label(row.text)
    return label is None or not (numbers_heading(label) and len(row.cells) == 2)


def _is_table(rows: Sequence[Row], columns: Columns) -> bool:
    """Whether there are rows enough, and what stands in them is no prose."""
    whole = [row for row in rows if len(row.cells) == len(columns)]
    cells = [cell for row in whole for cell in row.cells]
    has_values = any(
        2 * sum(is_value(row.cells[at].text) for row in whole) >= len(whole) for at in range(1, len(columns))
    )
    if len(columns) < _MIN_COLUMNS:
        return has_values and (len(whole) >= _MIN_ROWS_OF_TWO or _is_short_list(whole, columns))
    if len(whole) < _MIN_ROWS and not _is_sparse_grid(rows, whole, columns):
        return False
    long = sum(len(cell.text.split()) > _LONG_WORDS for cell in cells)
    return has_values or (long <= _MAX_LONG_SHARE * len(cells) and not _is_prose(cells, columns))


def _is_short_list(rows: Sequence[Row], columns: Columns) -> bool:
    """Three rows of a name and an amount under each other, the first of which may name the columns; not labels
    before their values."""
    measured = [is_measure(row.cells[1].text) for row in rows]
    labels = any(row.cells[0].text.rstrip().endswith(":") for row in rows)
    return (
        len(rows) >= _MIN_ROWS
        and all(measured[1:])
        and not labels
        and columns.are_aligned([row.cells for row in rows])
    )


def _is_sparse_grid(rows: Sequence[Row], whole: Sequence[Row], columns: Columns) -> bool:
    """A timetable has few rows without an empty cell: then each cell must begin, end or have its middle where the
    others of its column do, and two rows be whole, or the first column hold the hours, or the others values."""
    several = [row for row in rows if len(row.cells) > 1]
    regular = all(is_value(row.cells[0].text) for row in several[1:])
    regular = regular or all(is_value(cell.text) for row in several[1:] for cell in row.cells[1:])
    return (
        len(several) >= _MIN_ROWS_OF_TWO
        and bool(whole)
        and (len(whole) > 1 or regular)
        and columns.are_aligned([row.cells for row in several])
    )


def _is_prose(cells: Sequence[Fragment], columns: Columns) -> bool:
    """Whether most cells fill their columns with several words, as lines of text do."""
    filled = sum(cell.rect.width >= _FILLED * columns.width_at(cell) and len(cell.text.split()) > 2 for cell in cells)
    return filled > _MAX_FILLED_SHARE * len(cells)


def _place(rows: Sequence[Row], columns: Columns) -> PlacedTable:
    usual = _usual_gap(rows, columns)
    named = _head_rows(rows, usual)
    head = max(1, named)
    texts = [merge_head([row.cells for row in rows[:head]], columns)]
    boxes = [merge_boxes([row.box for row in rows[:head]])]
    for above, row in pairwise(rows[head - 1 :]):
        goes_on = len(texts) > 1 and _goes_on(above, row, columns, usual)
        cells = columns.texts(row.cells) if goes_on or not _heads_rows(row) else _lead(row, columns)
        if goes_on:
            texts[-1] = [f"{one}\n{other}".strip() for one, other in zip(texts[-1], cells, strict=True)]
            boxes[-1] = merge_boxes([boxes[-1], row.box])
        else:
            texts.append(cells)
            boxes.append(row.box)
    return _make_table(rows, texts, boxes, headed=named > 0)


def _heads_rows(row: Row) -> bool:
    """`Previsto` across the table says what the rows below it are."""
    return len(row.cells) == 1 and not is_value(row.text)


def _lead(row: Row, columns: Columns) -> list[str]:
    return [row.text, *[""] * (len(columns) - 1)]


def _make_table(
    rows: Sequence[Row], texts: Sequence[Sequence[str]], boxes: Sequence[Box], *, headed: bool
) -> PlacedTable:
    rect = union([row.rect for row in rows])
    region = TableRegion(tuple(tuple(cells) for cells in texts), rect, tuple(boxes), headed)
    return PlacedTable(rows[0].page, region, rows[0].column)


def _goes_on(above: Row, row: Row, columns: Columns, usual: float) -> bool:
    """Whether the row holds the second lines of the cells above."""
    if len(row.cells) < len(columns):
        return _is_tight(above, row, _TIGHT * usual)
    return _is_tight(above, row, _TIGHTER * usual) and not _count_values(row)


def _is_tight(above: Row, row: Row, limit: float) -> bool:
    return row.rect.y1 - above.rect.y1 < limit


def _head_rows(rows: Sequence[Row], usual: float) -> int:
    """How many rows name the columns: the bold ones at the top where plain ones follow, else those above the
    first value where nearly all rows from there on hold one, else the first, if that is of words or years; none
    where it is a row of values like the others."""
    bold = _count_leading(rows, lambda row: row.style.bold, usual)
    if 0 < bold < len(rows):
        return bold
    plain = _count_leading(
        rows, lambda row: 2 * _count_values(row) < len(row.cells) - 1 or not _count_values(row), usual
    )
    rest = [row for row in rows[plain:] if len(row.cells) > 1]
    valued = sum(_count_values(row) > 0 for row in rest)
    return (
        plain
        if 0 < plain <= _MAX_HEAD_ROWS and valued > _MOSTLY * len(rest)
        else int(plain > 0 or _names_years(rows[0]))
    )


def _names_years(row: Row) -> bool:
    values = [cell.text.strip() for cell in row.cells if is_value(cell.text)]
    return sum(_YEAR.match(value) is not None for value in values) > _MOSTLY * len(values)


def _count_values(row: Row) -> int:
    return sum(is_value(cell.text) for cell in row.cells[1:])


def _count_leading(rows: Sequence[Row], names: Callable[[Row], bool], usual: float) -> int:
    """How many rows from the top are such; one with a single cell only where it goes on with the row above."""
    for at, row in enumerate(rows):
        alone = len(row.cells) == 1 and not (at and _is_tight(rows[at - 1], row, _TIGHT * usual))
        if alone or not names(row):
            return at
    return len(rows)


def _usual_gap(rows: Sequence[Row], columns: Columns) -> float:
    """The distance at which rows with a cell in each column follow the row above, 0 where there are none."""
    gaps = [row.rect.y1 - above.rect.y1 for above, row in pairwise(rows) if len(row.cells) == len(columns)]
    return median(gaps) if gaps else 0.0
