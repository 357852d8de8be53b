"""Headings that run into their text: `Artículo 4.` in bold, its title in italics, then the article itself.

Such a row is parted in two, so that the heading and the text are items of their own. A row is parted where a
label opens it and its print changes from emphasised to plain; in texts without any emphasis where labels at
the head of paragraphs count 1, 2, 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from skillnet_parser.domain.layout import Fragment, Item, Row, are_neighbours, make_row
from skillnet_parser.domain.numbering import numbers_heading, read_label

_ARTICLE = re.compile(
    r"(?P<label>(?:art[íi]culo|article|artigo|cl[áa]usula|art\.)\s+(?P<number>\d{1,4})"
    r"(?:\s*\.?[ºª°]|\s+(?:bis|ter|quater))?)(?P<end>\s*[.:–—-]+)\s*(?=\S)",
    re.IGNORECASE,
)
_MIN_RUN = 3  # labels that count on, for texts without emphasis
_MAX_LEAD_WORDS = 40
_FILLED = 0.8  # of the column: a row that reaches so far may go on in the next


def split_run_in(items: Sequence[Item]) -> list[Item]:
    """The items, each row that begins with a heading and goes on with its text as two rows."""
    counted = _counted_labels(items)
    parted: list[Item] = []
    title: Row | None = None  # the last row of a heading that may go on
    for index, item in enumerate(items):
        pieces = _part(item, title) if isinstance(item, Row) else None
        if pieces is None and index in counted and isinstance(item, Row):
            pieces = _part_at(item, counted[index])
        parted += pieces or [item]
        title = item if pieces is None and isinstance(item, Row) and _may_go_on(item, title) else None
    return parted


def _part(row: Row, title: Row | None) -> list[Item] | None:
    """The heading's row and the text's, by the change of print; None where there is no such change."""
    lead, rest = _by_print(row)
    if not lead or not rest:
        return None
    text = " ".join(fragment.text.strip() for fragment in lead)
    goes_on = title is not None and are_neighbours(title, row) and read_label(text) is None
    if not (_names_heading(text) or goes_on) or len(text.split()) > _MAX_LEAD_WORDS:
        return None
    return [make_row(row.page, lead, row.column), make_row(row.page, rest, row.column)]


def _by_print(row: Row) -> tuple[list[Fragment], list[Fragment]]:
    """The emphasised fragments that open the row, and what follows."""
    lead: list[Fragment] = []
    for index, cell in enumerate(row.cells):
        if not cell.style.emphasised:
            rest = list(row.cells[index + 1 :])
            if cell.parts:
                return [*lead, cell.parts[0]], [cell.parts[1], *rest]
            return lead, [cell, *rest]
        lead.append(cell)
    return lead, []


def _names_heading(text: str) -> bool:
    """`Artículo 4.`, `Disposición final primera.`, `2.1 Alcance.`; a number alone may be a paragraph's."""
    label = read_label(text)
    return label is not None and numbers_heading(label)


def _may_go_on(row: Row, title: Row | None) -> bool:
    """Whether the whole row is a heading's and reaches the end of its column."""
    if not row.style.emphasised or row.rect.x1 < row.column.left + _FILLED * row.column.width:
        return False
    return _names_heading(row.text) or (title is not None and are_neighbours(title, row))


def _counted_labels(items: Sequence[Item]) -> dict[int, int]:
    """For each row whose plain label continues a count: the length of the label."""
    found = [
        (index, int(match["number"]), match.end("end"))
        for index, item in enumerate(items)
        if isinstance(item, Row) and not item.style.emphasised and (match := _ARTICLE.match(item.text))
        if _opens_paragraph(items, index)
    ]
    counted: dict[int, int] = {}
    for run in _runs(found):
        if len(run) >= _MIN_RUN:
            counted |= {index: length for index, _, length in run}
    return counted


def _runs(found: Sequence[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """Labels whose numbers count on by one, or repeat for a `bis`."""
    run: list[tuple[int, int, int]] = []
    for entry in found:
        if run and not run[-1][1] <= entry[1] <= run[-1][1] + 1:
            yield run
            run = []
        run.append(entry)
    yield run


def _opens_paragraph(items: Sequence[Item], index: int) -> bool:
    """Whether the row above has ended its sentence."""
    above = items[index - 1] if index else None
    if not isinstance(above, Row):
        return True
    return above.text.rstrip().endswith((".", ":", ";", ")", "»")) or above.rect.x1 < (
        above.column.left + _FILLED * above.column.width
    )


def _part_at(row: Row, length: int) -> list[Item]:
    """The row parted behind so many characters; where exactly on paper is taken from the share of its text."""
    head, text = row.text[:length].rstrip(), row.text[length:].strip()
    share = length / len(row.text)
    first = row.cells[0]
    middle = row.rect.x0 + share * row.rect.width
    edge = row.box.x0 + share * (row.box.x1 - row.box.x0)
    style = replace(first.style, bold=False, italic=True, emphasised=True)
    lead = Fragment(head, replace(row.rect, x1=middle), replace(row.box, x1=round(edge, 4)), style)
    rest = Fragment(text, replace(row.rect, x0=middle), replace(row.box, x0=round(edge, 4)), first.style)
    return [make_row(row.page, [lead], row.column), make_row(row.page, [rest], row.column)]
