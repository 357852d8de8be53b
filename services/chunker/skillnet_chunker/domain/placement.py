"""Where a span of the text stands on the pages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

from skillnet_common.documents import Box, Line


class Placement:
    """Finds the printed lines of a span."""

    def __init__(self, lines: Sequence[Line], ocr_pages: Iterable[int] = ()) -> None:
        self._ocr_pages = frozenset(ocr_pages)
        self._lines = sorted(lines, key=lambda line: line.start)
        self._starts = [line.start for line in self._lines]
        self._furthest_ends = list(accumulate((line.end for line in self._lines), max))

    def boxes(self, start: int, end: int) -> tuple[Box, ...]:
        """The boxes of the lines that share text with [start, end), one a line, in the order of the text."""
        first = bisect_right(self._furthest_ends, start)
        last = bisect_left(self._starts, end)
        return tuple(line.box for line in self._lines[first:last] if line.end > start)

    def is_recognised(self, boxes: Sequence[Box]) -> bool:
        """Whether any of them stands on a page whose text came by character recognition."""
        return any(box.page in self._ocr_pages for box in boxes)


def page_range(boxes: Sequence[Box]) -> tuple[int, int] | None:
    """The first and the last page of the boxes; None where there are none."""
    pages = [box.page for box in boxes]
    return (min(pages), max(pages)) if pages else None
