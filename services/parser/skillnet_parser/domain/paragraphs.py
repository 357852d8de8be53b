"""Paragraphs out of printed rows: across lines, columns and pages."""

from __future__ import annotations

import re

from skillnet_parser.domain.hyphens import ends_broken
from skillnet_parser.domain.layout import BodyStyle, Row, are_neighbours, is_tabular
from skillnet_parser.domain.markers import is_numbered_within, starts_item

_GAP = 1.35  # times the usual distance of two lines
_INDENT = 0.8  # times the size
_SLACK = 1.5  # times the size: space left over even after the next word
_SIZE_CHANGE = 0.12
_ENDS_SENTENCE = re.compile(r"[.:!?…][»”\"')\]]*$")
_CHAR_WIDTH = 0.5  # times the size: an average letter


def continues(above: Row, row: Row, first: Row, body: BodyStyle) -> bool:
    """Whether `row` goes on with the paragraph that `first` began and `above` is the last row of."""
    if (starts_item(row.text) or is_numbered_within(row.text, first.text)) and not ends_broken(above.text):
        # "… artículo\n5. Lo dispuesto": a number that a sentence broke before is no marker, but rare.
        return False
    if is_tabular(above) or is_tabular(row):
        return False
    if abs(above.style.size - row.style.size) > _SIZE_CHANGE * body.size or above.style.bold != row.style.bold:
        return _is_same_line_run(above, row)
    if are_neighbours(above, row):
        return _continues_below(above, row, first, body)
    return _continues_elsewhere(above, row)


def _is_same_line_run(above: Row, row: Row) -> bool:
    """A change of weight or size within a paragraph: only where the sentence plainly goes on."""
    return row.text[:1].islower() and not _ENDS_SENTENCE.search(above.text.rstrip())


def _continues_below(above: Row, row: Row, first: Row, body: BodyStyle) -> bool:
    gap = row.rect.y1 - above.rect.y1
    if gap > _GAP * max(body.pitch, 1.2 * min(row.style.size, above.style.size)):
        return False
    ended = _ENDS_SENTENCE.search(above.text.rstrip()) is not None
    goes_on = row.text[:1].islower() and not ended
    size = row.style.size
    indented = row.rect.x0 - above.rect.x0 > _INDENT * size and above is not first
    indented = indented or (above is first and row.rect.x0 - above.rect.x0 > _INDENT * size and not _hangs(first))
    if indented and not goes_on and not _is_centred(above, row):
        return False
    if _hangs(first) and above is not first and above.rect.x0 - row.rect.x0 > _INDENT * size:
        return False  # back in the margin: the item is over
    if _room_left(above, row) > _SLACK * size and not goes_on:
        return not ended and ends_broken(above.text)
    return not (ended and _room_left(above, row) > 0 and _is_first_line_indented(first, row))


def _hangs(first: Row) -> bool:
    """A marker in the margin: the rows below it stand further in."""
    return starts_item(first.text)


def _is_first_line_indented(first: Row, row: Row) -> bool:
    return abs(first.rect.x0 - row.rect.x0) <= 1.0 and row.rect.x0 > row.column.left + _INDENT * row.style.size


def _is_centred(above: Row, row: Row) -> bool:
    middle = (above.rect.x0 + above.rect.x1) / 2
    return abs(middle - (row.rect.x0 + row.rect.x1) / 2) <= 0.02 * row.column.width


def _room_left(above: Row, row: Row) -> float:
    """How much of the line above stays free after the first word of the next: a typesetter who had room
    for that word and broke the line began a new paragraph. Negative where the word did not fit."""
    words = row.text.split(maxsplit=1)
    letters = max(len(row.text), 1)
    word = len(words[0]) * row.rect.width / letters if words else 0.0
    return above.column.right - above.rect.x1 - word - _CHAR_WIDTH * row.style.size


def _continues_elsewhere(above: Row, row: Row) -> bool:
    """Across a column or a page: the sentence must be open."""
    text = above.text.rstrip()
    if ends_broken(text):
        return True
    if _ENDS_SENTENCE.search(text):
        return False
    return row.text[:1].islower() or _room_left(above, above) < _SLACK * above.style.size
