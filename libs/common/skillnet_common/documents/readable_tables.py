"""Rows of Markdown tables as a reader says them: "Pan. Precio: 1,20; Peso: 250 g".

For the embedding model alone, which knows sentences better than columns; what is shown stays Markdown. The first cell
is what a row is about: with the name of its column too, less was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

_RULE = re.compile(r"\|(?:\s*:?-{3,}:?\s*\|)+\s*")
_EDGE = re.compile(r"(?<!\\)\|")


def with_readable_rows(text: str) -> str:
    """The text with each table's rows readable; header row and rule are gone where every row names its columns.

    A row that has not as many cells as the header stays as it is, below the header: where a row was cut, nobody can
    say which column a cell is of.
    """
    lines = text.split("\n")
    return "\n".join(_readable(lines)) if any(map(_RULE.fullmatch, lines)) else text


def readable_row(head: str, row: str) -> str | None:
    """The row as `with_readable_rows` gives it below this header row; None where it stays as it is."""
    return _said(_cells(head), row)


def _readable(lines: Sequence[str]) -> Iterator[str]:
    position = 0
    while position < len(lines):
        columns = _columns(lines, position)
        if not columns:
            yield lines[position]
            position += 1
            continue
        end = position + 2
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        rows = lines[position + 2 : end]
        said = [_said(columns, row) for row in rows]
        if not rows or None in said:
            yield from lines[position : position + 2]
        yield from (readable or row for readable, row in zip(said, rows, strict=True))
        position = end


def _columns(lines: Sequence[str], position: int) -> list[str]:
    """The header's cells where a table begins here; else none."""
    if position + 1 == len(lines) or not _RULE.fullmatch(lines[position + 1]):
        return []
    columns = _cells(lines[position])
    return columns if len(columns) == len(_cells(lines[position + 1])) else []


def _said(columns: Sequence[str], row: str) -> str | None:
    values = _cells(row)
    if not columns or len(values) != len(columns):
        return None
    about, *others = zip(columns, values, strict=True)
    rest = "; ".join(f"{column}: {value}" if column else value for column, value in others if value)
    return ". ".join(filter(None, (about[1], rest))) or None


def _cells(row: str) -> list[str]:
    """Its cells without their escapes; none where the line is no whole row."""
    edges = [match.start() for match in _EDGE.finditer(row)]
    if len(edges) < 2 or row[: edges[0]].strip() or row[edges[-1] + 1 :].strip():
        return []
    return [row[start + 1 : end].strip().replace("\\|", "|") for start, end in pairwise(edges)]
