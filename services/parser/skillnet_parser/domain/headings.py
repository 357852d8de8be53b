"""Which printed rows are headings.

Every signal counts: size against the body's, bold, capitals, a label (`2.1`, `CAPÍTULO II`), space above,
a bookmark. A heading needs two; none rests on a fixed size. Rows set alike and close together are one
heading, unless a label opens the next.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from skillnet_parser.domain.contents import is_contents_heading
from skillnet_parser.domain.layout import BodyStyle, Item, Row, Style, are_neighbours, is_tabular
from skillnet_parser.domain.markers import starts_bullet
from skillnet_parser.domain.numbering import Label, read_label

LARGER = 1.15  # times the body size: certainly larger
_SLIGHTLY_LARGER = 1.04
_MAX_WORDS = 16
_MAX_LABELLED_WORDS = 60
_MAX_LARGE_WORDS = 40
_MAX_SENTENCE_WORDS = 10  # of a title that ends in a full stop
_MAX_ROWS = 6
_MAX_PLAIN_ROWS = 2
_ISOLATED_GAP = 1.25  # times the usual distance of two lines
_WRAP_GAP = 1.6  # times the size: rows of one heading stand closer
_MAX_SHARE = 0.25  # of all rows; more and the signals mean something else
_CENTRED = 0.03  # of the column's width
_MIN_MARGIN = 0.15  # of the column's width, on either side of a centred row
_NEEDED = 2
_COLUMN_GAP = 2.0  # times the size
_MAX_CODE = 0.8  # of the characters
_MAX_CELLS = 2  # a number and a title; more are the head of a table
_BARE_NUMBER = re.compile(r"\d+\s")
_CAPTION = re.compile(
    r"(?i:figura|figure|fig\.|tabla|table|taula|táboa|tabela|quadro|cuadro|gráfic[oa]|gr[àá]fic|ilustración|imagen|"
    r"chart|abbildung|tabelle)\s+[\dIVXA-Z][\d.–-]*(?:[A-Z])?(?![a-záéíóúñ])"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """The items [first, last] form one heading."""

    first: int
    last: int
    text: str
    label: Label | None
    style: Style
    caps: bool
    strength: int
    bookmark_level: int | None = None


def measure_body(items: Sequence[Item]) -> BodyStyle:
    """Size, weight and slant by number of characters: one long text outweighs many short headings."""
    styles: Counter[tuple[float, bool, bool]] = Counter()
    code: Counter[tuple[float, bool, bool]] = Counter()
    for item in items:
        if isinstance(item, Row) and not _is_division(item.text):
            for cell in item.cells:
                counts = code if cell.style.monospaced else styles
                counts[cell.style.size, cell.style.bold, cell.style.italic] += len(cell.text)
    monospaced = code.total() > _MAX_CODE * (code.total() + styles.total())
    if monospaced:
        styles += code  # a page of listings; else the prose between them is the body
    if not styles:
        return BodyStyle(10.0, bold=False, italic=False, pitch=12.0)
    sizes: Counter[float] = Counter()
    for (size, _, _), chars in styles.items():
        sizes[size] += chars
    size = max(sizes, key=lambda size: (sizes[size], size))
    _, bold, italic = max((key for key in styles if key[0] == size), key=lambda key: styles[key])
    return BodyStyle(size, bold, italic, _usual_pitch(items, size), monospaced)


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


def find_headings(
    items: Sequence[Item], body: BodyStyle, excluded: set[int], bookmarks: Mapping[int, tuple[int, int]]
) -> list[Heading]:
    """The headings among the items, in order.

    `excluded` are indices that cannot be one (contents, notes). `bookmarks` maps the index of an item to
    the index of the last item and the level that a bookmark of the file gives it.
    """
    found: list[Heading] = []
    at = 0
    while at < len(items):
        after_label = bool(found) and found[-1].last == at - 1 and _is_label_alone(found[-1])
        heading = None
        if at not in excluded:
            heading = _heading_at(items, at, body, excluded, bookmarks, after_label=after_label)
        if heading is None:
            at += 1
        else:
            found.append(heading)
            at = heading.last + 1
    return _drop_ending(_join_labels(_drop_unreliable(found, items), items, body), items)


def _heading_at(
    items: Sequence[Item],
    at: int,
    body: BodyStyle,
    excluded: set[int],
    bookmarks: Mapping[int, tuple[int, int]],
    *,
    after_label: bool,
) -> Heading | None:
    row = items[at]
    if not isinstance(row, Row):
        return None
    if at in bookmarks:
        last, level = bookmarks[at]
        rows = [item for item in items[at : last + 1] if isinstance(item, Row)]
        return _make_heading(at, rows, strength=_NEEDED + 2, bookmark_level=level)
    rows = _alike_rows(items, at, excluded, body)
    strength = _judge(items, at, rows, body, after_label=after_label)
    return _make_heading(at, rows, strength) if strength >= _NEEDED else None


def _make_heading(at: int, rows: Sequence[Row], strength: int, bookmark_level: int | None = None) -> Heading:
    text = " ".join(row.text for row in rows)
    return Heading(
        at, at + len(rows) - 1, text, read_label(text), rows[0].style, is_caps(text), strength, bookmark_level
    )


def _alike_rows(items: Sequence[Item], at: int, excluded: set[int], body: BodyStyle) -> list[Row]:
    """The row and those below that continue it: set alike, close, and without a label of their own."""
    first = items[at]
    if not isinstance(first, Row):
        raise TypeError("a heading begins with a row")
    rows = [first]
    label = read_label(first.text)
    for index in range(at + 1, len(items)):
        row, above = items[index], rows[-1]
        if not isinstance(row, Row) or index in excluded or not _continues(above, row, body, label=label):
            break
        rows.append(row)
    return rows


def _continues(above: Row, row: Row, body: BodyStyle, *, label: Label | None) -> bool:
    if not are_neighbours(above, row):
        return False
    if abs(above.style.size - row.style.size) > 0.5 or _changes_capitals(above, row):
        return False
    plain = not _is_styled(row.style, body) and not (is_caps(above.text) and is_caps(row.text))
    if plain or _last_style(above) != _last_style(row):
        return False
    ends = (".", "!", "?") if label is not None and _numbers_heading(label) else (".", ":", "!", "?")
    if above.text.rstrip().endswith(ends) and _is_short_of_column(above):
        return False
    gap = row.rect.y1 - above.rect.y1
    return gap <= _WRAP_GAP * max(row.style.size, body.pitch / 1.2) and not _opens_another(above, row)


def _opens_another(above: Row, row: Row) -> bool:
    """Whether a label opens the next heading; `24 de agosto` below a full line is no label but a date."""
    label = read_label(row.text)
    if label is None:
        return False
    return not (_BARE_NUMBER.match(row.text) and not _is_short_of_column(above))


def _changes_capitals(above: Row, row: Row) -> bool:
    """A title in capitals ends where the next one is in small letters; not where its line was full, for a line
    of an ordinary title may happen to hold capitals only."""
    return is_caps(above.text) != is_caps(row.text) and _is_short_of_column(above) and not _is_centred(above)


def _last_style(row: Row) -> tuple[bool, bool]:
    return (row.cells[-1].style.bold, row.cells[-1].style.emphasised)


def _is_styled(style: Style, body: BodyStyle) -> bool:
    return (
        style.size >= _SLIGHTLY_LARGER * body.size
        or (style.emphasised and not (body.bold or body.italic))
        or (style.bold and not body.bold)
    )


def _is_short_of_column(row: Row) -> bool:
    return row.rect.x1 < row.column.right - 0.15 * row.column.width


def _judge(items: Sequence[Item], at: int, rows: Sequence[Row], body: BodyStyle, *, after_label: bool) -> int:
    """The number of signals, 0 where something speaks against a heading."""
    text = " ".join(row.text for row in rows)
    label = read_label(text)
    size = min(row.style.size for row in rows)
    larger = size >= LARGER * body.size
    if rows[0].style.monospaced and not body.monospaced and not larger:
        return 0  # a listing's
    long = larger or _is_bold_and_centred(rows, body)
    limit = _MAX_LABELLED_WORDS if label or after_label else _MAX_LARGE_WORDS if long else _MAX_WORDS
    set_out = larger or _is_set_out(items, at, rows, body)
    if len(text.split()) > limit or _speaks_against(text, rows, label, larger=larger, set_out=set_out):
        return 0
    signals = 2 if larger else int(size >= _SLIGHTLY_LARGER * body.size and size > body.size)
    bold = not body.bold and all(row.style.bold for row in rows)
    caps = is_caps(text)
    styled_label = label is not None and _is_styled(rows[0].style, body)
    signals += bold + caps + (label is not None and (_numbers_heading(label) or styled_label))
    signals += styled_label and not bold and not larger
    if signals == 0 or (not (bold or larger) and _runs_on(items, at + len(rows) - 1, body)):
        return 0
    isolated = _is_isolated(items, at, rows[0], body) or (label is not None and _is_centred(rows[0]))
    if not isolated and not larger:
        return 0
    if not long and len(rows) > _MAX_PLAIN_ROWS and label is None:
        return 0
    return signals + isolated


def _runs_on(items: Sequence[Item], last: int, body: BodyStyle) -> bool:
    """Whether a full line goes on in the one below: the first of a paragraph, whatever it begins with."""
    row, below = items[last], items[last + 1] if last + 1 < len(items) else None
    if not (isinstance(row, Row) and isinstance(below, Row)) or not are_neighbours(row, below):
        return False
    if _is_short_of_column(row) or _is_centred(row) or _last_style(row) != _last_style(below):
        return False
    return below.rect.y1 - row.rect.y1 < _ISOLATED_GAP * max(body.pitch, row.style.size)


def _is_bold_and_centred(rows: Sequence[Row], body: BodyStyle) -> bool:
    """A law's own title: several bold lines of the body's size, each as far from the left edge as from the
    right one, the last one short."""
    if body.bold or not all(row.style.bold for row in rows) or not _is_centred(rows[-1]):
        return False
    return all(
        abs((row.rect.x0 - row.column.left) - (row.column.right - row.rect.x1)) <= 2 * _CENTRED * row.column.width
        for row in rows
    )


def _is_centred(row: Row) -> bool:
    """Whether a short row stands in the middle of its column."""
    left, right = row.rect.x0 - row.column.left, row.column.right - row.rect.x1
    return abs(left - right) <= 2 * _CENTRED * row.column.width and left >= _MIN_MARGIN * row.column.width


def _numbers_heading(label: Label) -> bool:
    """`Artículo 5` and `2.1` number a heading; `2.` may as well number a paragraph or an item."""
    if label.family == "division":
        return True
    return label.rank >= 1 and label.rest[:1].isupper()


def _is_set_out(items: Sequence[Item], at: int, rows: Sequence[Row], body: BodyStyle) -> bool:
    """A short bold sentence between a wider space and plain text: a heading that ends in a full stop."""
    last = at + len(rows) - 1
    above, below = items[at - 1] if at else None, items[last + 1] if last + 1 < len(items) else None
    if body.bold or not all(row.style.bold for row in rows):
        return False
    if sum(len(row.text.split()) for row in rows) > _MAX_SENTENCE_WORDS:
        return False
    if not (isinstance(above, Row) and isinstance(below, Row) and are_neighbours(rows[-1], below)):
        return False
    is_spaced = not are_neighbours(above, rows[0]) or _gap(above, rows[0]) >= _ISOLATED_GAP * body.pitch
    return is_spaced and not below.style.emphasised and below.style.size == rows[0].style.size


def _gap(above: Row, row: Row) -> float:
    return row.rect.y1 - above.rect.y1


def _speaks_against(text: str, rows: Sequence[Row], label: Label | None, *, larger: bool, set_out: bool) -> bool:
    """Whether the rows cannot be a heading, however they are set."""
    stripped = text.strip()
    letters = sum(char.isalpha() for char in stripped)
    if letters < max(2, 0.4 * len(stripped.replace(" ", ""))) and not (label is not None and larger):
        return True
    if len(rows) > _MAX_ROWS or stripped[0] in ",;.)%—–":
        return True
    if stripped.endswith((",", ";")) or _breaks_off(stripped, label):
        return True
    if starts_bullet(stripped) or is_contents_heading(stripped) or _CAPTION.match(stripped):
        return True
    return not larger and _reads_like_text(stripped, rows, label, set_out=set_out)


def _breaks_off(stripped: str, label: Label | None) -> bool:
    """Whether a dash at the end stands for what comes in the next line; `Artículo 1.-` is whole."""
    return stripped.endswith(("-", "–")) and (label is None or bool(label.rest))


def _reads_like_text(stripped: str, rows: Sequence[Row], label: Label | None, *, set_out: bool) -> bool:
    """A lead-in, a quotation, an aside, signatures side by side, a sentence that no label makes a title."""
    if stripped.endswith(":"):
        return label is None or not _numbers_heading(label)
    if stripped[0] in '«“"(' or any(_is_set_apart(row) for row in rows):
        return True
    return stripped.endswith(".") and label is None and not set_out


def _is_set_apart(row: Row) -> bool:
    return is_tabular(row) or len(row.cells) > _MAX_CELLS or _heads_columns(row)


def _heads_columns(row: Row) -> bool:
    """`Marcado   Descripción`: words far apart, the first of them no number, are the head of a table."""
    if len(row.cells) < 2 or read_label(row.text) is not None:
        return False
    first, second = row.cells[:2]
    gap = second.rect.x0 - first.rect.x1
    return gap > _COLUMN_GAP * row.style.size and not any(char.isdigit() for char in first.text)


def _is_isolated(items: Sequence[Item], at: int, row: Row, body: BodyStyle) -> bool:
    """Whether the row begins something: more space above than between lines, or nothing above in its
    column, or what stands above is set in another style and ended there; never a row that fills a line the
    next one carries on."""
    above = items[at - 1] if at else None
    if not isinstance(above, Row) or not are_neighbours(above, row):
        return _opens_column(items, at, row, body)
    gap = row.rect.y1 - above.rect.y1
    if gap >= _ISOLATED_GAP * max(body.pitch, min(row.style.size, 2 * body.size)):
        return True
    ended = above.text.rstrip().endswith((".", ":", "!", "?", "»", ")")) or _is_short_of_column(above)
    return ended and _is_styled(row.style, body) and _last_style(above) != _last_style(row)


def _opens_column(items: Sequence[Item], at: int, row: Row, body: BodyStyle) -> bool:
    """Whether a row at the head of a column is set apart: not in the middle of a sentence, and either styled
    or with space below."""
    if row.text[:1].islower():
        return False
    below = items[at + 1] if at + 1 < len(items) else None
    if _is_styled(row.style, body) or not isinstance(below, Row) or not are_neighbours(row, below):
        return True
    return below.rect.y1 - row.rect.y1 >= _ISOLATED_GAP * body.pitch


def is_caps(text: str) -> bool:
    """Whether all letters are capitals, four at least."""
    return text.upper() == text and sum(char.isalpha() for char in text) >= 4


def _drop_unreliable(found: Sequence[Heading], items: Sequence[Item]) -> list[Heading]:
    """Where more than a quarter of a longer document's text would be headings, only the strong ones count, and
    those that a label such as `Artículo 5` announces: a law of short articles has many."""
    rows = [item for item in items if isinstance(item, Row)]
    doubtful = [heading for heading in found if heading.label is None or heading.label.family != "division"]
    covered = sum(heading.last - heading.first + 1 for heading in doubtful)
    chars = sum(len(heading.text) for heading in doubtful)
    if (
        len(rows) < 20
        or covered <= _MAX_SHARE * len(rows)
        or chars <= _MAX_SHARE * sum(len(row.text) for row in rows)
    ):
        return list(found)
    return [heading for heading in found if heading.strength > _NEEDED + 1 or heading not in doubtful]


def _drop_ending(found: list[Heading], items: Sequence[Item]) -> list[Heading]:
    """Without the last one where nothing follows it and little speaks for it: signatures in capitals."""
    if found and found[-1].last == len(items) - 1 and found[-1].label is None and found[-1].strength <= _NEEDED:
        return found[:-1]
    return found


def _join_labels(found: Sequence[Heading], items: Sequence[Item], body: BodyStyle) -> list[Heading]:
    """`CAPÍTULO I` and the title below it are one heading."""
    joined: list[Heading] = []
    for heading in found:
        before = joined[-1] if joined else None
        if before is not None and _is_label_alone(before) and _titles_label(before, heading, items, body):
            joined[-1] = Heading(
                before.first,
                heading.last,
                f"{before.text} {heading.text}",
                before.label,
                heading.style if heading.style.size >= before.style.size else before.style,
                before.caps,
                before.strength,
                before.bookmark_level,
            )
        else:
            joined.append(heading)
    return joined


def _is_label_alone(heading: Heading) -> bool:
    return (
        heading.label is not None
        and heading.label.family == "division"
        and heading.first == heading.last
        and (not heading.label.rest or heading.label.rest.lower() == heading.text.strip(" .:").lower())
    )


def _titles_label(label: Heading, title: Heading, items: Sequence[Item], body: BodyStyle) -> bool:
    if title.first != label.last + 1 or title.label is not None:
        return False
    above, row = items[label.last], items[title.first]
    if not (isinstance(above, Row) and isinstance(row, Row) and above.page == row.page):
        return False
    return row.rect.y0 - above.rect.y1 <= 3 * body.pitch
