"""Rows beside rows: which belong to one title, and how they stand in their column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.layout import BodyStyle, Item, Row, Style, are_neighbours
from skillnet_parser.domain.markers import starts_item
from skillnet_parser.domain.numbering import Label, numbers_heading, read_label

SLIGHTLY_LARGER = 1.04
_MAX_SENTENCE_WORDS = 10  # of a title that ends in a full stop
_ISOLATED_GAP = 1.25  # times the usual distance of two lines
_WRAP_GAP = 1.6  # times the size: rows of one heading stand closer
_CENTRED = 0.03  # of the column's width
_MIN_MARGIN = 0.15  # of the column's width, on either side of a centred row
_BARE_NUMBER = re.compile(r"\d+\s")


def alike_rows(items: Sequence[Item], at: int, excluded: set[int], body: BodyStyle) -> list[Row]:
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
    plain = not is_styled(row.style, body) and not (is_caps(above.text) and is_caps(row.text))
    if plain or _last_style(above) != _last_style(row):
        return False
    ends = (".", "!", "?") if label is not None and numbers_heading(label) else (".", ":", "!", "?")
    if above.text.rstrip().endswith(ends) and is_short_of_column(above):
        return False
    gap = row.rect.y1 - above.rect.y1
    return gap <= _WRAP_GAP * max(row.style.size, body.pitch / 1.2) and not _opens_another(above, row)


def _opens_another(above: Row, row: Row) -> bool:
    """Whether a label opens the next heading; `24 de agosto` below a full line is no label but a date."""
    label = read_label(row.text)
    if label is None:
        return False
    return not (_BARE_NUMBER.match(row.text) and not is_short_of_column(above))


def _changes_capitals(above: Row, row: Row) -> bool:
    """A title in capitals ends where the next one is in small letters; not where its line was full, for a line
    of an ordinary title may happen to hold capitals only."""
    return is_caps(above.text) != is_caps(row.text) and is_short_of_column(above) and not is_centred(above)


def _last_style(row: Row) -> tuple[bool, bool]:
    return (row.cells[-1].style.bold, row.cells[-1].style.emphasised)


def is_styled(style: Style, body: BodyStyle) -> bool:
    """Whether a run is set larger, bolder or more slanted than the body."""
    return (
        style.size >= SLIGHTLY_LARGER * body.size
        or (style.emphasised and not (body.bold or body.italic))
        or (style.bold and not body.bold)
    )


def is_short_of_column(row: Row) -> bool:
    """Whether a row ends well before the edge that other rows reach."""
    return row.rect.x1 < row.column.right - 0.15 * row.column.width


def is_centred(row: Row) -> bool:
    """Whether a short row stands in the middle of its column."""
    left, right = row.rect.x0 - row.column.left, row.column.right - row.rect.x1
    return abs(left - right) <= 2 * _CENTRED * row.column.width and left >= _MIN_MARGIN * row.column.width


def is_isolated(items: Sequence[Item], at: int, row: Row, body: BodyStyle) -> bool:
    """Whether the row begins something: more space above than between lines, or nothing above in its
    column, or what stands above is set in another style and ended there; never a row that fills a line the
    next one carries on."""
    above = items[at - 1] if at else None
    if not isinstance(above, Row) or not are_neighbours(above, row):
        return _opens_column(items, at, row, body)
    gap = row.rect.y1 - above.rect.y1
    if gap >= _ISOLATED_GAP * max(body.pitch, min(row.style.size, 2 * body.size)):
        return True
    ended = above.text.rstrip().endswith((".", ":", "!", "?", "»", ")")) or is_short_of_column(above)
    return ended and is_styled(row.style, body) and _last_style(above) != _last_style(row)


def _opens_column(items: Sequence[Item], at: int, row: Row, body: BodyStyle) -> bool:
    """Whether a row at the head of a column is set apart: not in the middle of a sentence, and either styled
    or with space below."""
    if row.text[:1].islower():
        return False
    below = items[at + 1] if at + 1 < len(items) else None
    if is_styled(row.style, body) or not isinstance(below, Row) or not are_neighbours(row, below):
        return True
    return below.rect.y1 - row.rect.y1 >= _ISOLATED_GAP * body.pitch


def runs_on(items: Sequence[Item], last: int, body: BodyStyle) -> bool:
    """Whether a full line goes on in the one below: the first of a paragraph, whatever it begins with."""
    row, below = items[last], items[last + 1] if last + 1 < len(items) else None
    if not (isinstance(row, Row) and isinstance(below, Row)) or not are_neighbours(row, below):
        return False
    if is_short_of_column(row) or is_centred(row) or _last_style(row) != _last_style(below):
        return False
    return below.rect.y1 - row.rect.y1 < _ISOLATED_GAP * max(body.pitch, row.style.size)


def is_set_out(items: Sequence[Item], at: int, rows: Sequence[Row], body: BodyStyle) -> bool:
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
    if starts_item(below.text):
        return False  # it leads in a list
    return is_spaced and not below.style.emphasised and below.style.size == rows[0].style.size


def _gap(above: Row, row: Row) -> float:
    return row.rect.y1 - above.rect.y1


def is_told_by_colour(items: Sequence[Item], at: int, rows: Sequence[Row], body: BodyStyle) -> bool:
    """Whether a few words in a colour of their own stand below a wider space and right above plain text."""
    last = at + len(rows) - 1
    above, below = items[at - 1] if at else None, items[last + 1] if last + 1 < len(items) else None
    words = " ".join(row.text for row in rows)
    if len(words.split()) > _MAX_SENTENCE_WORDS or not _opens_like_title(words) or "@" in words or "://" in words:
        return False
    if any(row.style.colour in (None, body.colour) or row.style.monospaced for row in rows):
        return False
    if not (isinstance(below, Row) and are_neighbours(rows[-1], below)) or below.style.colour != body.colour:
        return False
    return _is_nearer_to_below(above, rows[0], _gap(rows[-1], below), body) and is_short_of_column(rows[-1])


def _is_nearer_to_below(above: Item | None, row: Row, gap_below: float, body: BodyStyle) -> bool:
    """Whether a row stands nearer to what is below than to what is above, and further from that than lines do."""
    if not isinstance(above, Row) or not are_neighbours(above, row):
        return True
    return _gap(above, row) >= max(_ISOLATED_GAP * body.pitch, gap_below)


def _opens_like_title(text: str) -> bool:
    return text.lstrip("¿¡ ")[:1].isupper() or text[:1].isdigit()


def is_bold_and_centred(rows: Sequence[Row], body: BodyStyle) -> bool:
    """A law's own title: several bold lines of the body's size, each as far from the left edge as from the
    right one, the last one short."""
    if body.bold or not all(row.style.bold for row in rows) or not is_centred(rows[-1]):
        return False
    return all(
        abs((row.rect.x0 - row.column.left) - (row.column.right - row.rect.x1)) <= 2 * _CENTRED * row.column.width
        for row in rows
    )


def is_caps(text: str) -> bool:
    """Whether all letters are capitals, four at least."""
    return text.upper() == text and sum(char.isalpha() for char in text) >= 4
