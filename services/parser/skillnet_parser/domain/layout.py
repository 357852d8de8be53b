"""What stands on a printed page, in points, origin at the top left of the page as a reader sees it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.documents import Box

_WHOLE_SHARE = 0.95
_MAX_MARKER_CHARS = 8
_WIDE_GAP = 2.0  # times the size


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with x0 <= x1 and y0 <= y1."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """In points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """In points."""
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.y0 + self.y1) / 2

    def contains_middle_of(self, other: Rect) -> bool:
        """Whether the middle of the other one lies inside."""
        x, y = (other.x0 + other.x1) / 2, other.middle
        return self.x0 <= x <= self.x1 and self.y0 <= y <= self.y1


def union(rects: Sequence[Rect]) -> Rect:
    """The smallest rectangle around all."""
    return Rect(
        min(rect.x0 for rect in rects),
        min(rect.y0 for rect in rects),
        max(rect.x1 for rect in rects),
        max(rect.y1 for rect in rects),
    )


@dataclass(frozen=True, slots=True)
class Style:
    """How a run of characters is set. Size in points, rounded to a half. A mixed run is bold, italic or
    monospaced only where at least 95 % of its characters are; `emphasised` where as many are bold or italic. `colour`
    is that of as many (sRGB), None where it is black, white, grey or a link's."""

    size: float
    bold: bool = False
    italic: bool = False
    emphasised: bool = False
    monospaced: bool = False
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text set on one baseline without a wide gap. `rect` is used for the reading order, `box` is where a
    reader finds it (they differ on pages whose text runs sideways). `parts` are the emphasised words it begins
    with and the plain ones it goes on with, or empty where it is set in one manner."""

    text: str
    rect: Rect
    box: Box
    style: Style
    parts: tuple[Fragment, ...] = ()


@dataclass(frozen=True, slots=True)
class TableRegion:
    """A table on a page: cells row by row, and the place of every row. `headed`: the first row names the
    columns. `size` is what most of its characters are set in, None where that is not known."""

    rows: tuple[tuple[str, ...], ...]
    rect: Rect
    row_boxes: tuple[Box, ...]
    headed: bool = True
    size: float | None = None


@dataclass(frozen=True, slots=True)
class PageLayout:
    """A page as read. `number` counts from 1; width and height in points."""

    number: int
    width: float
    height: float
    fragments: tuple[Fragment, ...]
    tables: tuple[TableRegion, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """Where the rows of a run of text may reach. `region` counts the columns and bands of a page in reading
    order, so that rows of different regions are never neighbours on paper."""

    region: int
    left: float
    right: float

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left


@dataclass(frozen=True, slots=True)
class Row:
    """A printed line of one column. `cells` are the fragments it is made of, left to right."""

    page: int
    text: str
    rect: Rect
    box: Box
    style: Style
    column: Column
    cells: tuple[Fragment, ...]


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table at its place in the reading order."""

    page: int
    table: TableRegion
    column: Column


Item = Row | PlacedTable


@dataclass(frozen=True, slots=True)
class BodyStyle:
    """What most of the document is set in. `pitch` is the usual distance of two lines, in points."""

    size: float
    bold: bool
    italic: bool
    pitch: float
    monospaced: bool = False
    colour: int | None = None


def are_neighbours(above: Row, row: Row) -> bool:
    """Whether two rows stand in the same column of the same page."""
    return above.page == row.page and above.column.region == row.column.region


def is_tabular(row: Row) -> bool:
    """Cells set apart by wide gaps: a line of a table without rules, not of a paragraph. The gap behind a
    list's marker or a heading's number does not count."""
    gaps = [
        after.rect.x0 - cell.rect.x1
        for cell, after in zip(row.cells, row.cells[1:], strict=False)
        if len(cell.text.strip()) > _MAX_MARKER_CHARS
    ]
    return bool(gaps) and max(gaps) > _WIDE_GAP * row.style.size


def make_row(page: int, fragments: Sequence[Fragment], column: Column) -> Row:
    """One row of the fragments on a baseline, in any order."""
    cells = tuple(sorted(fragments, key=lambda fragment: fragment.rect.x0))
    return Row(
        page=page,
        text=" ".join(cell.text.strip() for cell in cells),
        rect=union([cell.rect for cell in cells]),
        box=merge_boxes([cell.box for cell in cells]),
        style=mix_styles([(len(cell.text.strip()), cell.style) for cell in cells]),
        column=column,
        cells=cells,
    )


def mix_styles(parts: Sequence[tuple[int, Style]]) -> Style:
    """The style of a run made of parts of so many characters each."""
    prose = [(count, style) for count, style in parts if not style.monospaced]
    # A name in a listing's type within a title changes nothing of how it is set.
    mostly_prose = 2 * sum(count for count, _ in prose) >= sum(count for count, _ in parts)
    inked = prose if mostly_prose else list(parts)
    sizes: Counter[float] = Counter()
    for count, style in inked:
        sizes[style.size] += count

    def share(flag: str) -> bool:
        counted = parts if flag == "monospaced" else inked
        total = sum(count for count, _ in counted) or 1
        return sum(count for count, style in counted if getattr(style, flag)) >= _WHOLE_SHARE * total

    def common_colour() -> int | None:
        colours: Counter[int | None] = Counter()
        for count, style in inked:
            colours[style.colour] += count
        colour, chars = colours.most_common(1)[0]
        return colour if chars >= _WHOLE_SHARE * colours.total() else None

    return Style(
        size=max(sizes, key=lambda size: (sizes[size], size)),
        bold=share("bold"),
        italic=share("italic"),
        emphasised=share("emphasised"),
        monospaced=share("monospaced"),
        colour=common_colour(),
    )


def merge_boxes(boxes: Sequence[Box]) -> Box:
    """The smallest box around boxes of one page."""
    if len({box.page for box in boxes}) != 1:
        raise ValueError("boxes of one page are needed")
    return Box(
        boxes[0].page,
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )
