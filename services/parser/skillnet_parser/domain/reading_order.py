"""Reading order: columns before rows.

A simple form of the recursive X-Y cut (Nagy and Seth 1984): a page is cut at a vertical gutter where prose
stands on both sides of it; what crosses the gutter cuts the page into bands, read top-down; the columns of a
band are read left to right, each cut again. Without a gutter, fragments on one baseline are a row. Numbers,
bullets and short cells beside text do not make a column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, groupby

from skillnet_parser.domain.layout import (
    Column,
    Fragment,
    Item,
    PageLayout,
    PlacedTable,
    Rect,
    TableRegion,
    make_row,
    union,
)
from skillnet_parser.domain.side_blocks import part_side_blocks

_MIN_COLUMN_LINES = 3
_TITLE_GAP = 2.5  # times a title's height: to the text below it
_USUAL = 0.95  # of the lines
_MAX_COLUMNS = 3  # on either side of a gutter fewer are looked for: the middle one of four parts two and two
_MAX_CANDIDATES = 10
_MIN_COLUMN_WIDTH = 0.16  # of the page
_MIN_GUTTER = 0.008  # of the page
_MAX_CROSSING_SHARE = 0.6  # of the characters
_FULL_LINE = 0.7  # of the column's width
_MIN_FULL_SHARE = 0.5  # of the column's characters
_MIN_FULL_LINES = 2
_GRID_SHARE = 0.6  # of the characters
_MIN_SHARED_HEIGHT = 0.3  # of the shorter column
_MAX_SLICES = 4
_SAME_BASELINE = 0.5  # of the lower line's height
_LARGER = 1.3  # times the size
_APART = 2.0  # times the size
_NAME = re.compile(r"[A-ZÁÉÍÓÚÑÇ][^\W\d_](?:[^\W\d_]|[ .,&'’·-]){3,}")

_Atom = Fragment | TableRegion


def order_page(page: PageLayout) -> list[Item]:
    """The page's rows and tables in reading order."""
    atoms: list[_Atom] = [*page.fragments, *page.tables]
    regions = count()
    items: list[Item] = []
    for region in _cut(atoms, page.width):
        area = union([atom.rect for atom in region])
        parts = _part(region)
        # A block of short lines does not reach its column's edge: nothing says that one goes on in the next.
        right = area.x1 if len(parts) == 1 else max(area.x1, page.width - area.x0)
        for part in parts:
            items += _order_region(part, page.number, next(regions), right)
    return items


def _part(region: Sequence[_Atom]) -> Sequence[Sequence[_Atom]]:
    """A region in which blocks of lines stand side by side, one after the other; tables part what is above them from
    what is below."""
    runs = list(_runs_of_lines(region))
    parts: list[Sequence[_Atom]] = []
    for run in runs:
        fragments = [atom for atom in run if isinstance(atom, Fragment)]
        parts += part_side_blocks(fragments) if len(fragments) == len(run) else [run]
    return parts if len(parts) > len(runs) else [region]


def _runs_of_lines(region: Sequence[_Atom]) -> Iterator[list[_Atom]]:
    """Top-down the lines that no table stands beside, and between them the tables with what does."""
    tables = [atom for atom in region if isinstance(atom, TableRegion)]

    def is_beside(atom: _Atom) -> bool:
        return any(table.rect.y0 <= atom.rect.middle <= table.rect.y1 for table in tables)

    ordered = sorted(region, key=lambda atom: atom.rect.middle) if tables else region
    return (list(run) for _, run in groupby(ordered, key=is_beside))


def _cut(atoms: Sequence[_Atom], page_width: float) -> list[list[_Atom]]:
    """Regions in reading order; each is read row by row."""
    return _cut_columns(atoms, page_width, _MAX_SLICES) or ([list(atoms)] if atoms else [])


def _cut_columns(atoms: Sequence[_Atom], page_width: float, slices: int) -> list[list[_Atom]] | None:
    """The regions of a page with columns, None where there are none."""
    gutter = _find_gutter(atoms, page_width)
    if gutter is None:
        return _slice(atoms, page_width, slices)
    regions: list[list[_Atom]] = []
    for band, has_columns in _cut_bands(atoms, gutter, page_width):
        if has_columns:
            regions += _cut([atom for atom in band if atom.rect.x1 <= gutter], page_width)
            regions += _cut([atom for atom in band if atom.rect.x0 >= gutter], page_width)
        else:
            regions.append(band)
    return regions


def _slice(atoms: Sequence[_Atom], page_width: float, slices: int) -> list[list[_Atom]] | None:
    """Cuts at the widest horizontal gap where one of the halves has columns: a wide table above them may
    hide their gutter."""
    if slices == 0 or len(atoms) < 2 * _MIN_COLUMN_LINES:
        return None
    ordered = sorted(atoms, key=lambda atom: atom.rect.y0)
    gaps: list[tuple[float, int]] = []
    reach = ordered[0].rect.y1
    for index, atom in enumerate(ordered[1:], start=1):
        gaps.append((atom.rect.y0 - reach, index))
        reach = max(reach, atom.rect.y1)
    widest, at = max(gaps)
    if widest <= 0:
        return None
    above, below = ordered[:at], ordered[at:]
    halves = [_cut_columns(half, page_width, slices - 1) for half in (above, below)]
    if halves == [None, None]:
        return None
    return [*(halves[0] or [above]), *(halves[1] or [below])]


def _cut_bands(atoms: Sequence[_Atom], gutter: float, page_width: float) -> list[tuple[list[_Atom], bool]]:
    """Runs of atoms top-down: those that cross the gutter, and those between that leave it free."""
    crossing = [atom for atom in atoms if _crosses(atom, gutter)]
    rest = [atom for atom in atoms if not _crosses(atom, gutter)]
    titles = [atom for atom in rest if _heads_crossing(atom, crossing, rest)]
    crossing = sorted([*crossing, *titles], key=lambda atom: atom.rect.y0)
    rest = [atom for atom in rest if atom not in titles]
    bands: list[tuple[list[_Atom], bool]] = []
    for bar in crossing:
        above = [atom for atom in rest if atom.rect.middle < bar.rect.middle]
        rest = [atom for atom in rest if atom.rect.middle >= bar.rect.middle]
        if above:
            bands.append((above, _has_columns(above, gutter, page_width)))
        if bands and not bands[-1][1]:
            bands[-1][0].append(bar)
        else:
            bands.append(([bar], False))
    if rest:
        bands.append((rest, _has_columns(rest, gutter, page_width)))
    return bands


def _heads_crossing(atom: _Atom, crossing: Sequence[_Atom], rest: Sequence[_Atom]) -> bool:
    """Whether a short line is the title of the text across the page below it: larger than that, close above,
    and alone at its height."""
    if not isinstance(atom, Fragment):
        return False
    below = [
        bar
        for bar in crossing
        if isinstance(bar, Fragment)
        and 0 < bar.rect.middle - atom.rect.middle <= _TITLE_GAP * atom.rect.height
        and bar.style.size < atom.style.size
    ]
    if not below:
        return False
    return not any(other is not atom and _share_baseline(atom.rect, other.rect) for other in rest)


def _crosses(atom: _Atom, gutter: float) -> bool:
    return atom.rect.x0 < gutter < atom.rect.x1


def _find_gutter(atoms: Sequence[_Atom], page_width: float, columns: int = _MAX_COLUMNS) -> float | None:
    """The x of the gutter that parts columns of prose, `columns` at most, and is crossed by the least text, or
    None."""
    if len(atoms) < 2 * _MIN_COLUMN_LINES or columns < 2:
        return None
    crossed = {
        x: chars
        for x in _gutter_candidates(atoms, page_width)
        if (chars := _crossing_chars(atoms, x, page_width, columns)) is not None
    }
    return min(crossed, key=lambda x: crossed[x], default=None)


def _gutter_candidates(atoms: Sequence[_Atom], page_width: float) -> list[float]:
    """Just left of where several lines begin, the leftmost left out; those where most lines do. A page of cells
    has many such places, a page of columns few."""
    starts = Counter(round(atom.rect.x0) for atom in atoms)
    first = min(starts) + _MIN_COLUMN_WIDTH * page_width
    likely = [start for start, lines in starts.most_common() if lines >= _MIN_COLUMN_LINES and start > first]
    return [start - 1.0 for start in likely[:_MAX_CANDIDATES]]


def _crossing_chars(atoms: Sequence[_Atom], x: float, page_width: float, columns: int) -> int | None:
    """How much text crosses the gutter at x; None where it does not part columns of prose."""
    left = [atom for atom in atoms if atom.rect.x1 <= x]
    right = [atom for atom in atoms if atom.rect.x0 >= x]
    if min(len(left), len(right)) < _MIN_COLUMN_LINES:
        return None
    crossing = _count_chars(atoms) - _count_chars(left) - _count_chars(right)
    if crossing > _MAX_CROSSING_SHARE * _count_chars(atoms):
        return None
    left, right = _beside(left, right), _beside(right, left)
    if min(len(left), len(right)) < _MIN_COLUMN_LINES:
        return None
    left_area, right_area = union([atom.rect for atom in left]), union([atom.rect for atom in right])
    if right_area.x0 - _usual_edge(left) < _MIN_GUTTER * page_width or not _stand_side_by_side(left_area, right_area):
        return None
    for side, area in ((left, left_area), (right, right_area)):
        # A side may itself be columns.
        if not _is_prose(side, area, page_width) and _find_gutter(side, page_width, columns - 1) is None:
            return None
    return crossing


def _beside(atoms: Sequence[_Atom], others: Sequence[_Atom]) -> list[_Atom]:
    """The atoms at the height of the others: the end of a title above the columns belongs to none of them."""
    area = union([other.rect for other in others])
    return [atom for atom in atoms if area.y0 <= atom.rect.middle <= area.y1]


def _usual_edge(atoms: Sequence[_Atom]) -> float:
    """Where the column ends on the right, but for a few lines that end a paragraph set across the page."""
    edges = sorted(atom.rect.x1 for atom in atoms)
    return edges[int(_USUAL * (len(edges) - 1))]


def _stand_side_by_side(left: Rect, right: Rect) -> bool:
    shared = min(left.y1, right.y1) - max(left.y0, right.y0)
    return shared >= _MIN_SHARED_HEIGHT * min(left.height, right.height)


def _is_prose(atoms: Sequence[_Atom], area: Rect, page_width: float) -> bool:
    """Whether most of the text stands in lines that fill their column, as prose does and cells, numbers and
    labels do not."""
    if area.width < _MIN_COLUMN_WIDTH * page_width:
        return False
    full = [atom for atom in atoms if atom.rect.width >= _FULL_LINE * area.width]
    if len(full) < _MIN_FULL_LINES:
        return any(isinstance(atom, TableRegion) for atom in full)
    return _count_chars(full) >= _MIN_FULL_SHARE * _count_chars(atoms)


def _count_chars(atoms: Sequence[_Atom]) -> int:
    return sum(len(atom.text) for atom in atoms if isinstance(atom, Fragment))


def _has_columns(band: Sequence[_Atom], gutter: float, page_width: float) -> bool:
    """Whether the band's sides are read one after the other: neither is a grid of cells, unless it is columns
    itself."""
    left = [atom for atom in band if atom.rect.x1 <= gutter]
    right = [atom for atom in band if atom.rect.x0 >= gutter]
    return not any(_is_grid(side) and _find_gutter(side, page_width) is None for side in (left, right))


def _is_grid(atoms: Sequence[_Atom]) -> bool:
    """Whether most of the text stands in rows of several cells, as in a table without rules."""
    cells = sum(
        len(atom.text)
        for atom in atoms
        if isinstance(atom, Fragment)
        and any(other is not atom and _share_baseline(atom.rect, other.rect) for other in atoms)
    )
    return cells > _GRID_SHARE * _count_chars(atoms)


def _share_baseline(one: Rect, other: Rect) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared >= _SAME_BASELINE * min(one.height, other.height)


def _order_region(atoms: Sequence[_Atom], page: int, region: int, right: float) -> list[Item]:
    """Rows top-down. The region's edges are where its lines begin and those of its column end, at `right`."""
    column = Column(region, min(atom.rect.x0 for atom in atoms), right)
    rows: list[list[_Atom]] = []
    for atom in sorted(atoms, key=lambda atom: (atom.rect.middle, atom.rect.x0)):
        row = next((row for row in reversed(rows[-3:]) if _joins_row(atom, row)), None)
        if row is not None:
            row.append(atom)
        else:
            rows.append([atom])
    return [_make_item(row, page, column) for row in rows]


def _joins_row(atom: _Atom, row: Sequence[_Atom]) -> bool:
    """Whether the atom stands on the row's baseline beside what is there."""
    if isinstance(atom, TableRegion):
        return False
    for other in row:
        if isinstance(other, TableRegion):
            return False
        if not _share_baseline(atom.rect, other.rect) or _are_titles_apart(atom, other):
            return False
        beside = min(atom.rect.x1, other.rect.x1) - max(atom.rect.x0, other.rect.x0)
        if beside > 0.5 * min(atom.rect.width, other.rect.width):
            return False
    return True


def _are_titles_apart(one: Fragment, other: Fragment) -> bool:
    """`Panadería Ruiz` at the left and a larger `FACTURA` at the right: of words both, and far from each other."""
    smaller, larger = sorted((one, other), key=lambda fragment: fragment.style.size)
    gap = max(one.rect.x0, other.rect.x0) - min(one.rect.x1, other.rect.x1)
    if larger.style.size < _LARGER * smaller.style.size or gap < _APART * larger.style.size:
        return False
    return all(_NAME.fullmatch(fragment.text.strip()) for fragment in (one, other))


def _make_item(row: Sequence[_Atom], page: int, column: Column) -> Item:
    if isinstance(row[0], TableRegion):
        return PlacedTable(page, row[0], column)
    return make_row(page, [atom for atom in row if isinstance(atom, Fragment)], column)
