"""How deep the items of a printed list are nested, by their indentation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillnet_parser.domain.layout import Row

_STEP = 1.0  # times the size: numbers set flush right (`9.` over `10.`) shift by less


def depths_of(items: Sequence[Row]) -> Iterator[int]:
    """The depth of each item, from 0; each is given by its first row. An item is nested in the last one before it
    that stands further out, in its column."""
    edges: list[float] = []
    for row in items:
        edge, step = row.rect.x0 - row.column.left, _STEP * row.style.size
        while edges and edge < edges[-1] - step:
            edges.pop()
        if not edges or edge > edges[-1] + step:
            edges.append(edge)
        yield len(edges) - 1
