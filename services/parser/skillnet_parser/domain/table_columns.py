"""The columns of a table without rules: where they stand, and which cells are theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from skillnet_parser.domain.layout import Fragment

_WORD = r"(?-i:[a-záéíóúñç]{1,7})"  # `euros`, `días`, `mes`
_UNIT = rf"(?:(?:%|€|\$|£|‰|º|[A-Za-z]{{1,3}}\.?|{_WORD})(?:\s?/\s?{_WORD}\.?)?)"
_MARK = r"\(?[*\d]\)?"  # of a note
_DIGITS = r"\d[\d.,'’ /:–-]*"
_VALUE = re.compile(
    rf"[-+–−]?\s?[$€£]?\s?{_DIGITS}(?:\s?a\s{_DIGITS})?\s?{_UNIT}?(?:\s?{_MARK})?|[—–-]|n/?[ad]\.?", re.IGNORECASE
)
_COUNT = re.compile(r"\d+\.?")
_SPACED = re.compile(r"\S+(?:\s{1,2}\S+)*")
_SAME_EDGE = 2.0  # points
_SPACE_WIDTH = 0.5  # of another character's


class Columns:
    """Stretches of x, left to right, that grow with the cells they take and never touch each other."""

    def __init__(self, cells: Sequence[Fragment]) -> None:
        self._edges = [(cell.rect.x0, cell.rect.x1) for cell in cells]

    def __len__(self) -> int:
        return len(self._edges)

    def take(self, cells: Sequence[Fragment]) -> bool:
        """Widens the columns by the cells of one more row; False, and nothing changes, where a cell stands in
        none, or two share one."""
        spans = self.spans(cells)
        if spans is None:
            return False
        edges = list(self._edges)
        for cell, span in zip(cells, spans, strict=True):
            if len(span) == 1:
                x0, x1 = edges[span[0]]
                edges[span[0]] = (min(x0, cell.rect.x0), max(x1, cell.rect.x1))
        self._edges = edges
        return True

    def spans(self, cells: Sequence[Fragment]) -> list[list[int]] | None:
        """The columns that each cell stands in; None where it is none, or two cells share one."""
        spans = [self._span(cell) for cell in cells]
        taken = [column for span in spans for column in span]
        return spans if all(spans) and len(taken) == len(set(taken)) else None

    def stands_in_one(self, cell: Fragment) -> bool:
        """Whether a cell lies wholly within one column."""
        return any(x0 - 1 <= cell.rect.x0 and cell.rect.x1 <= x1 + 1 for x0, x1 in self._edges)

    def is_first(self, cell: Fragment) -> bool:
        """Whether a cell stands in the first column."""
        return 0 in self._span(cell)

    def are_aligned(self, rows: Sequence[Sequence[Fragment]]) -> bool:
        """Whether in each column all cells begin, end or have their middle at one x."""
        columns: list[list[Fragment]] = [[] for _ in self._edges]
        for cells in rows:
            for cell in cells:
                columns[self._nearest(cell)].append(cell)
        return all(_share_an_edge(column) for column in columns)

    def width_at(self, cell: Fragment) -> float:
        """The width of the column the cell stands in."""
        x0, x1 = self._edges[self._nearest(cell)]
        return x1 - x0

    def texts(self, cells: Sequence[Fragment]) -> list[str]:
        """A text for each column, "" where it has no cell; a cell over several stands in the first."""
        texts = [""] * len(self._edges)
        for cell in cells:
            span = self._span(cell)
            column = span[0] if span else self._nearest(cell)
            texts[column] = f"{texts[column]} {cell.text.strip()}".strip()
        return texts

    def groups(self, cells: Sequence[Fragment]) -> list[range] | None:
        """The columns but for the first in groups of one size, a group under each cell; None where the cells do
        not stand over such groups."""
        size, rest = divmod(len(self._edges) - 1, len(cells))
        if rest or size < 2 or len(cells) < 2:
            return None
        groups = [range(1 + at * size, 1 + (at + 1) * size) for at in range(len(cells))]
        fits = all(self._lies_over(cell, group) for cell, group in zip(cells, groups, strict=True))
        return groups if fits else None

    def _lies_over(self, cell: Fragment, group: range) -> bool:
        return self._edges[group[0]][0] <= (cell.rect.x0 + cell.rect.x1) / 2 <= self._edges[group[-1]][1]

    def _span(self, cell: Fragment) -> list[int]:
        return [at for at, (x0, x1) in enumerate(self._edges) if min(x1, cell.rect.x1) > max(x0, cell.rect.x0)]

    def _nearest(self, cell: Fragment) -> int:
        middle = (cell.rect.x0 + cell.rect.x1) / 2
        return min(range(len(self._edges)), key=lambda at: abs(sum(self._edges[at]) / 2 - middle))


def _share_an_edge(cells: Sequence[Fragment]) -> bool:
    edges = [(cell.rect.x0, cell.rect.x1, (cell.rect.x0 + cell.rect.x1) / 2) for cell in cells]
    return not edges or any(max(ends) - min(ends) <= _SAME_EDGE for ends in zip(*edges, strict=True))


def part_cells(cells: Sequence[Fragment]) -> tuple[Fragment, ...]:
    """The cells, each with runs of spaces inside parted there: some programs set the columns with them. Where
    exactly on paper is taken from the share of the characters."""
    return tuple(part for cell in cells for part in _part_at_spaces(cell))


def _part_at_spaces(cell: Fragment) -> list[Fragment]:
    words = list(_SPACED.finditer(cell.text))
    if len(words) < 2:
        return [cell]
    reach = [0.0]
    for char in cell.text:
        reach.append(reach[-1] + (_SPACE_WIDTH if char.isspace() else 1.0))
    scale = cell.rect.width / reach[-1]
    return [
        replace(
            cell,
            text=word[0],
            rect=replace(
                cell.rect,
                x0=cell.rect.x0 + scale * reach[word.start()],
                x1=cell.rect.x0 + scale * reach[word.end()],
            ),
            parts=(),
        )
        for word in words
    ]


def merge_head(rows: Sequence[Sequence[Fragment]], columns: Columns) -> list[str]:
    """The rows of a table's head as one: what stands over several columns names each of them."""
    merged = [""] * len(columns)
    for cells in rows:
        groups = columns.groups(cells) if len(cells) < len(columns) else None
        if groups is None:
            texts = columns.texts(cells)
        else:
            texts = [""] * len(columns)
            for cell, group in zip(cells, groups, strict=True):
                for column in group:
                    texts[column] = cell.text.strip()
        merged = [f"{one} {other}".strip() for one, other in zip(merged, texts, strict=True)]
    return merged


def is_value(text: str) -> bool:
    """Whether a cell holds a number, an amount, a date, or the dash that stands for none."""
    return _VALUE.fullmatch(text.strip()) is not None


def is_measure(text: str) -> bool:
    """Whether a value says more than a count, as amounts, dates and hours do; a bare one may be a page's number."""
    return is_value(text) and _COUNT.fullmatch(text.strip()) is None
