"""Reading order: columns before rows.

A simple form of the recursive X-Y cut (Nagy and Seth 1984): a page is cut at a vertical gutter where prose
stands on both sides of it; what crosses the gutter cuts the page into bands, read top-down; the columns of a
band are read left to right, each cut again. Without a gutter, fragments on one baseline are a row. Numbers,
bullets and short cells beside text do not make a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from statistics import median

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

_MIN_COLUMN_LINES = 3
_MIN_COLUMN_WIDTH = 0.16  # of the page
_MIN_GUTTER = 0.012  # of the page
_MAX_CROSSING_SHARE = 0.5
_FULL_LINE = 0.7  # of the column's width
_MIN_FULL_SHARE = 0.4
_MIN_SHARED_HEIGHT = 0.3  # of the shorter column
_SAME_BASELINE = 0.5  # of the lower line's height
_MIN_COLUMN_CHARS = 12

_Atom = Fragment | TableRegion


def order_page(page: PageLayout) -> list[Item]:
    """The page's rows and tables in reading order."""
    atoms: list[_Atom] = [*page.fragments, *page.tables]
    regions = count()
    items: list[Item] = []
    for region in _cut(atoms, page.width):
        items += _order_region(region, page.number, next(regions))
    return items


def _cut(atoms: Sequence[_Atom], page_width: float) -> list[list[_Atom]]:
    """Regions in reading order; each is read row by row."""
    gutter = _find_gutter(atoms, page_width)
    if gutter is None:
        return [list(atoms)] if atoms else []
    regions: list[list[_Atom]] = []
    for band, has_columns in _cut_bands(atoms, gutter):
        if has_columns:
            regions += _cut([atom for atom in band if atom.rect.x1 <= gutter], page_width)
            regions += _cut([atom for atom in band if atom.rect.x0 >= gutter], page_width)
        else:
            regions.append(band)
    return regions


def _cut_bands(atoms: Sequence[_Atom], gutter: float) -> list[tuple[list[_Atom], bool]]:
    """Runs of atoms top-down: those that cross the gutter, and those between that leave it free."""
    crossing = sorted((atom for atom in atoms if _crosses(atom, gutter)), key=lambda atom: atom.rect.y0)
    rest = [atom for atom in atoms if not _crosses(atom, gutter)]
    bands: list[tuple[list[_Atom], bool]] = []
    for bar in crossing:
        above = [atom for atom in rest if atom.rect.middle < bar.rect.middle]
        rest = [atom for atom in rest if atom.rect.middle >= bar.rect.middle]
        if above:
            bands.append((above, True))
        if bands and not bands[-1][1]:
            bands[-1][0].append(bar)
        else:
            bands.append(([bar], False))
    if rest:
        bands.append((rest, True))
    return bands


def _crosses(atom: _Atom, gutter: float) -> bool:
    return atom.rect.x0 < gutter < atom.rect.x1


def _find_gutter(atoms: Sequence[_Atom], page_width: float) -> float | None:
    """The x of the widest gutter with prose on both sides, or None."""
    if len(atoms) < 2 * _MIN_COLUMN_LINES:
        return None
    best: tuple[float, float] | None = None
    for x in _gutter_candidates(atoms, page_width):
        width = _gutter_width(atoms, x, page_width)
        if width is not None and (best is None or width > best[0]):
            best = (width, x)
    return best[1] if best else None


def _gutter_candidates(atoms: Sequence[_Atom], page_width: float) -> list[float]:
    """Just left of where several lines begin."""
    starts: dict[int, int] = {}
    for atom in atoms:
        key = round(atom.rect.x0 / page_width * 100)
        starts[key] = starts.get(key, 0) + 1
    frequent = [key for key, lines in starts.items() if lines >= _MIN_COLUMN_LINES]
    edges = [
        min(atom.rect.x0 for atom in atoms if round(atom.rect.x0 / page_width * 100) == key) for key in frequent
    ]
    return [edge - 0.5 for edge in edges]


def _gutter_width(atoms: Sequence[_Atom], x: float, page_width: float) -> float | None:
    """The gutter's width where it parts two columns of prose, else None."""
    left = [atom for atom in atoms if atom.rect.x1 <= x]
    right = [atom for atom in atoms if atom.rect.x0 >= x]
    if min(len(left), len(right)) < _MIN_COLUMN_LINES:
        return None
    if len(atoms) - len(left) - len(right) > _MAX_CROSSING_SHARE * len(atoms):
        return None
    left_area, right_area = union([atom.rect for atom in left]), union([atom.rect for atom in right])
    width = right_area.x0 - left_area.x1
    if width < _MIN_GUTTER * page_width or not _stand_side_by_side(left_area, right_area):
        return None
    if not (_is_prose(left, left_area, page_width) and _is_prose(right, right_area, page_width)):
        return None
    return width


def _stand_side_by_side(left: Rect, right: Rect) -> bool:
    shared = min(left.y1, right.y1) - max(left.y0, right.y0)
    return shared >= _MIN_SHARED_HEIGHT * min(left.height, right.height)


def _is_prose(atoms: Sequence[_Atom], area: Rect, page_width: float) -> bool:
    """Whether lines fill their column, as text does and cells, numbers and labels do not."""
    if area.width < _MIN_COLUMN_WIDTH * page_width:
        return False
    if any(isinstance(atom, TableRegion) for atom in atoms):
        return True
    full = sum(1 for atom in atoms if atom.rect.width >= _FULL_LINE * area.width)
    chars = median(len(atom.text) for atom in atoms if isinstance(atom, Fragment))
    return full >= _MIN_FULL_SHARE * len(atoms) and chars >= _MIN_COLUMN_CHARS


def _order_region(atoms: Sequence[_Atom], page: int, region: int) -> list[Item]:
    """Rows top-down. The region's edges are those its lines reach."""
    area = union([atom.rect for atom in atoms])
    column = Column(region, area.x0, area.x1)
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
        shared = min(atom.rect.y1, other.rect.y1) - max(atom.rect.y0, other.rect.y0)
        if shared < _SAME_BASELINE * min(atom.rect.height, other.rect.height):
            return False
        beside = min(atom.rect.x1, other.rect.x1) - max(atom.rect.x0, other.rect.x0)
        if beside > 0.5 * min(atom.rect.width, other.rect.width):
            return False
    return True


def _make_item(row: Sequence[_Atom], page: int, column: Column) -> Item:
    if isinstance(row[0], TableRegion):
        return PlacedTable(page, row[0], column)
    return make_row(page, [atom for atom in row if isinstance(atom, Fragment)], column)
