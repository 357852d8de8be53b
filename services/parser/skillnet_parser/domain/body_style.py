"""What most of a document is set in: the measure that headings are told by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from skillnet_parser.domain.layout import BodyStyle, Item, PlacedTable, Row, are_neighbours
from skillnet_parser.domain.numbering import read_label

_MIN_BODY = 0.5  # of the characters of the most frequent size
_FEW_WORDS = 0.2  # of the characters in tables
_FEW_TITLES = 0.5  # of the characters in tables
_TITLE_WORDS = 8
_MAX_CODE = 0.8  # of the characters


def measure_body(items: Sequence[Item]) -> BodyStyle:
    """Size, weight and slant by number of characters: one long text outweighs many short headings."""
    styles: Counter[tuple[float, bool, bool]] = Counter()
    code: Counter[tuple[float, bool, bool]] = Counter()
    for item in items:
        if isinstance(item, Row) and not _is_division(item.text):
            for cell in item.cells:
                counts = code if cell.style.monospaced else styles
                counts[cell.style.size, cell.style.bold, cell.style.italic] += len(cell.text)
    styles += _styles_of_tables(items, styles.total())
    monospaced = code.total() > _MAX_CODE * (code.total() + styles.total())
    if monospaced:
        styles += code  # a page of listings; else the prose between them is the body
    if not styles:
        return BodyStyle(10.0, bold=False, italic=False, pitch=12.0)
    sizes: Counter[float] = Counter()
    for (size, _, _), chars in styles.items():
        sizes[size] += chars
    # Tables in small print may hold more characters than the text between them.
    size = max(size for size, chars in sizes.items() if chars >= _MIN_BODY * max(sizes.values()))
    _, bold, italic = max((key for key in styles if key[0] == size), key=lambda key: styles[key])
    return BodyStyle(size, bold, italic, _usual_pitch(items, size), monospaced, _usual_colour(items))


def _styles_of_tables(items: Sequence[Item], chars: int) -> Counter[tuple[float, bool, bool]]:
    """What tables are set in, where there is hardly any text but theirs, as in a list of prices; else nothing."""
    tables: Counter[tuple[float, bool, bool]] = Counter()
    for item in items:
        if isinstance(item, PlacedTable) and item.table.size is not None:
            tables[item.table.size, False, False] += sum(len(cell) for row in item.table.rows for cell in row)
    few = chars <= _FEW_WORDS * tables.total()
    titles_only = chars <= _FEW_TITLES * tables.total() and _are_titles(items)
    return tables if few or titles_only else Counter()


def _are_titles(items: Sequence[Item]) -> bool:
    """Whether most rows are short and stand right above a table."""
    rows = [item for item in items if isinstance(item, Row)]
    titles = [
        row
        for row, below in pairwise(items)
        if isinstance(row, Row) and isinstance(below, PlacedTable) and len(row.text.split()) <= _TITLE_WORDS
    ]
    return 2 * len(titles) > len(rows)


def _usual_colour(items: Sequence[Item]) -> int | None:
    colours: Counter[int | None] = Counter()
    for item in items:
        if isinstance(item, Row):
            colours[item.style.colour] += len(item.text)
    return max(colours, key=lambda colour: colours[colour], default=None)


def _is_division(text: str) -> bool:
    """`Artículo 5. Objeto` is a heading's: a law of short articles may hold more of those than of text."""
    label = read_label(text)
    return label is not None and label.family == "division"


def _usual_pitch(items: Sequence[Item], size: float) -> float:
    gaps = [
        row.rect.y1 - above.rect.y1
        for above, row in pairwise(items)
        if isinstance(above, Row)
        and isinstance(row, Row)
        and are_neighbours(above, row)
        and above.style.size == row.style.size == size
    ]
    close = Counter(round(2 * gap) / 2 for gap in gaps if 0.8 * size <= gap <= 2.5 * size)
    if not close:
        return 1.2 * size
    # The smallest of the frequent ones: in lists of single lines the space between items is as frequent.
    return min(gap for gap, count in close.items() if 2 * count >= max(close.values()))
