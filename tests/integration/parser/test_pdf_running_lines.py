"""Running lines count one number from page to page; notes and totals that are only worded alike are text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

Parse = Callable[..., ParsedDocument]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

DECREES = (
    "1 Real Decreto 137/2011, de 4 de marzo.",
    "2 Real Decreto 237/2012, de 5 de marzo.",
    "3 Real Decreto 337/2013, de 6 de marzo.",
    "4 Real Decreto 437/2014, de 7 de marzo.",
)


def set_pages(sheet: Any, lorem: str, lines: Sequence[str], *, y: float = 800) -> None:
    """A page for each line, which stands in its margin."""
    for number, line in enumerate(lines, start=1):
        if number > 1:
            sheet.turn()
        sheet.prose(f"Contenido {number}. {lorem}")
        sheet.prose(lorem)
        sheet.header(line, y=y, size=8)


def running_lines(document: ParsedDocument) -> list[str]:
    return [removal.text for removal in document.removed if removal.reason is RemovalReason.RUNNING_LINE]


@pytest.mark.parametrize("pages", [2, 3, 4])
def test_a_note_on_each_page_is_kept_as_a_note(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf, pages: int
) -> None:
    set_pages(sheet, lorem, DECREES[:pages])
    document = parse(sheet.data(), "normas.pdf")
    assert blocks_of(document, BlockKind.NOTE) == list(DECREES[:pages])
    assert running_lines(document) == []


def test_a_figure_that_does_not_follow_the_pages_is_text(parse: Parse, sheet: Any, lorem: str) -> None:
    totals = [f"{page} Subtotal de 2026: {amount} euros" for page, amount in enumerate((812, 95, 1400, 430), start=1)]
    set_pages(sheet, lorem, totals)
    document = parse(sheet.data(), "cuentas.pdf")
    assert all(total in document.text for total in totals)
    assert running_lines(document) == []


def test_notes_numbered_anew_on_each_page_are_kept(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    notes = [f"1 Nota al pie {page}.1: según la norma UNE {page}10 de aparatos domésticos." for page in (1, 2, 3)]
    set_pages(sheet, lorem, notes)
    assert blocks_of(parse(sheet.data(), "lavadora.pdf"), BlockKind.NOTE) == notes


@pytest.mark.parametrize(
    "line",
    [
        "Manual LX-200, versión 7 de 2026",
        "Manual LX-200, versión 7 · Página {page} de 8",
        "Núm. 211, 3 de septiembre de 2026, Sec. I. Pág. {folio}",
        "ES  3/{page}",
    ],
)
def test_a_line_that_counts_the_pages_is_left_out(parse: Parse, sheet: Any, lorem: str, line: str) -> None:
    lines = [line.format(page=page, folio=74400 + page) for page in range(1, 9)]
    set_pages(sheet, lorem, lines, y=815)
    assert len(running_lines(parse(sheet.data(), "a.pdf"))) == 8


def test_a_chapters_number_may_stand_before_the_pages(parse: Parse, sheet: Any, lorem: str) -> None:
    lines = [f"Capítulo {1 + page // 4} · {page}" for page in range(1, 13)]
    set_pages(sheet, lorem, lines, y=815)
    assert running_lines(parse(sheet.data(), "a.pdf")) == lines


def test_titles_that_are_numbered_as_the_pages_are_headings(parse: Parse, sheet: Any, lorem: str) -> None:
    """One a page, 30 points above its text."""
    for number in range(1, 7):
        if number > 1:
            sheet.turn()
        sheet.header(f"Tema {number}", y=60, size=18)
        sheet.prose(f"Contenido {number}. {lorem}")
    document = parse(sheet.data(), "temario.pdf")
    assert [section.heading for section in document.sections if section.heading] == [f"Tema {n}" for n in range(1, 7)]
    assert running_lines(document) == []


def test_of_sentences_on_every_page_one_copy_stays(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(1, 6):
        sheet.header("Antes de usar el producto póngase guantes y gafas, y abra la ventana del", y=60, size=11)
        sheet.header("almacén durante diez minutos.", y=74, size=11)
        sheet.header("Panadería La Espiga Dorada, S. L.", y=815)
        sheet.y = 120
        sheet.prose(f"Ficha {number}: {lorem}")
        if number < 5:
            sheet.turn()
    text = parse(sheet.data(), "a.pdf").text
    assert text.count("póngase guantes y gafas, y abra la ventana del almacén durante diez minutos.") == 1
    assert "Espiga Dorada" not in text
