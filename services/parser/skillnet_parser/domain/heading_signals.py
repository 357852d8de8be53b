"""What speaks for a heading and what against it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.block_words import leaves_room_to_sign
from skillnet_parser.domain.contents import is_contents_heading
from skillnet_parser.domain.heading_rows import (
    SLIGHTLY_LARGER,
    is_bold_and_centred,
    is_caps,
    is_centred,
    is_isolated,
    is_set_out,
    is_short_of_column,
    is_styled,
    is_told_by_colour,
    runs_on,
)
from skillnet_parser.domain.layout import BodyStyle, Item, Row, are_neighbours, is_tabular
from skillnet_parser.domain.markers import starts_bullet
from skillnet_parser.domain.numbering import Label, numbers_heading, read_label

LARGER = 1.15  # times the body size: certainly larger
_MUCH_LARGER = 1.3  # times the body size: even a sentence is a title then
_MAX_WORDS = 16
_MAX_LABELLED_WORDS = 60
_MAX_LARGE_WORDS = 40
_MAX_ROWS = 6
_MAX_PLAIN_ROWS = 2
_COLUMN_GAP = 2.0  # times the size
_MAX_CELLS = 2  # a number and a title; more are the head of a table
_CAPTION = re.compile(
    r"(?i:figura|figure|fig\.|tabla|table|taula|táboa|tabela|quadro|cuadro|gráfic[oa]|gr[àá]fic|ilustración|imagen|"
    r"chart|abbildung|tabelle)\s+[\dIVXA-Z][\d.–-]*(?:[A-Z])?(?![a-záéíóúñ])"
)


def judge(items: Sequence[Item], at: int, rows: Sequence[Row], body: BodyStyle, *, after_label: bool) -> int:
    """The number of signals, 0 where something speaks against a heading."""
    text = " ".join(row.text for row in rows)
    label = read_label(text)
    size = min(row.style.size for row in rows)
    larger = size >= LARGER * body.size
    bold_print = all(row.style.bold for row in rows)
    emphasised = all(row.style.emphasised for row in rows)
    if rows[0].style.monospaced and not body.monospaced and not (larger or (emphasised and size > body.size)):
        return 0  # a listing's; the name of a function may be a heading
    opens = at == 0 and bold_print and not body.bold
    long = larger or opens or is_bold_and_centred(rows, body)
    asks = bold_print and not body.bold and text.lstrip().startswith("¿") and text.rstrip().endswith("?")
    limit = _MAX_LABELLED_WORDS if label or after_label else _MAX_LARGE_WORDS if long or asks else _MAX_WORDS
    needed = SLIGHTLY_LARGER if bold_print else LARGER if emphasised else _MUCH_LARGER
    prominent = size >= needed * body.size and size > body.size
    set_out = is_set_out(items, at, rows, body)
    if len(text.split()) > limit or _speaks_against(text, rows, label, prominent=prominent, set_out=set_out):
        return 0
    signals = 2 if larger else int(size >= SLIGHTLY_LARGER * body.size and size > body.size)
    bold = not body.bold and bold_print
    caps = is_caps(text)
    styled_label = label is not None and is_styled(rows[0].style, body)
    signals += bold + caps + (label is not None and (numbers_heading(label) or styled_label))
    signals += styled_label and not bold and not larger
    coloured = is_told_by_colour(items, at, rows, body)
    signals += coloured
    if signals == 0 or (not (bold or larger) and runs_on(items, at + len(rows) - 1, body)):
        return 0
    isolated = coloured or is_isolated(items, at, rows[0], body) or (label is not None and is_centred(rows[0]))
    if not (isolated or larger) or _is_signed_below(items, at + len(rows) - 1):
        return 0
    if not long and len(rows) > _MAX_PLAIN_ROWS and label is None:
        return 0
    return signals + isolated


def _speaks_against(text: str, rows: Sequence[Row], label: Label | None, *, prominent: bool, set_out: bool) -> bool:
    """Whether the rows cannot be a heading, however they are set."""
    stripped = text.strip()
    letters = sum(char.isalpha() for char in stripped)
    if letters < max(2, 0.4 * len(stripped.replace(" ", ""))) and not (label is not None and prominent):
        return True
    if len(rows) > _MAX_ROWS or stripped[0] in ",;.)%—–":
        return True
    if stripped.endswith((",", ";")) or _breaks_off(stripped, label):
        return True
    if starts_bullet(stripped) or is_contents_heading(stripped) or _CAPTION.match(stripped):
        return True
    return not prominent and _reads_like_text(stripped, rows, label, set_out=set_out)


def _is_signed_below(items: Sequence[Item], last: int) -> bool:
    """Whether who signs is named, with room and a short line below: `EL ARRENDADOR` over a name."""
    row, below = items[last], items[last + 1] if last + 1 < len(items) else None
    if not (isinstance(row, Row) and isinstance(below, Row)) or not are_neighbours(row, below):
        return False
    return leaves_room_to_sign(row, below) and is_short_of_column(below)


def _breaks_off(stripped: str, label: Label | None) -> bool:
    """Whether a dash at the end stands for what comes in the next line; `Artículo 1.-` is whole."""
    return stripped.endswith(("-", "–")) and (label is None or bool(label.rest))


def _reads_like_text(stripped: str, rows: Sequence[Row], label: Label | None, *, set_out: bool) -> bool:
    """A lead-in, a quotation, an aside, signatures side by side, a sentence that no label makes a title."""
    if stripped.endswith(":"):
        return label is None or not numbers_heading(label)
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
