"""Heads of two rows and more in a grid of cells: a merged cell names the group of the columns below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from skillnet_parser.domain.grids import count_cells, has_value

Spans = Mapping[int, Sequence[range]]
"""The columns, from 0, that the merged cells of a row cover, by the row's number: two columns at least each."""


def join_heads(rows: Iterable[tuple[int, list[str]]], spans: Spans) -> Iterator[list[str]]:
    """The rows, with numbers before, those of one head joined: `Turnos` over `Mañana` and `Tarde` becomes
    `Turnos Mañana` and `Turnos Tarde`. A head begins a run of rows of two cells and more."""
    is_first = True
    source = iter(rows)
    for number, row in source:
        if is_first and count_cells(row) > 1 and number in spans:
            yield from _read_head(number, row, source, spans)
        else:
            yield row
        is_first = count_cells(row) < 2


def _read_head(
    number: int, row: list[str], source: Iterator[tuple[int, list[str]]], spans: Spans
) -> Iterator[list[str]]:
    """The head, and the row after it, which had to be looked at."""
    head = row
    groups = spans[number]
    for below_number, below in source:
        if not _is_below(head, below, groups):
            yield from (head, below)
            return
        head = _join(head, below, groups)
        groups = spans.get(below_number, ())
    yield head


def _is_below(head: Sequence[str], row: Sequence[str], groups: Sequence[range]) -> bool:
    """Whether a row names columns of the groups, and nothing that the head has named."""
    named = {column for column, cell in enumerate(row) if cell.strip()}
    taken = {column for column in named if column < len(head) and head[column].strip()}
    return (
        any(sum(column in group for column in named) > 1 for group in groups)
        and all(any(column in group for group in groups) for column in taken)
        and not has_value([cell.strip() for cell in row])
    )


def _join(head: Sequence[str], row: Sequence[str], groups: Sequence[range]) -> list[str]:
    width = max(len(head), len(row))
    above = [*head, *[""] * (width - len(head))]
    below = [*row, *[""] * (width - len(row))]
    for group in groups:
        for column in range(group.start, min(group.stop, width)):
            if below[column].strip():
                above[column] = above[group.start]
    return [" ".join(filter(None, (over.strip(), under.strip()))) for over, under in zip(above, below, strict=True)]
