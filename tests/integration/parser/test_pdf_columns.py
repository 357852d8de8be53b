"""Three columns, titles across them, page numbers below them: what a person reads next comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillnet_common.documents import ParsedDocument, RemovalReason

Parse = Callable[..., ParsedDocument]

WIDTH, GAP = 140.0, 16.0


def lines_of(column: str, count: int) -> list[str]:
    return [f"{column}{number:02} palabras de la columna {column}" for number in range(count)]


def set_columns(sheet: Any, names: str, top: float, count: int, *, by_rows: bool) -> None:
    """`count` lines in each column; `by_rows`: written into the file row by row."""
    placed = [
        (72 + place * (WIDTH + GAP), top + 14 * row, text)
        for place, name in enumerate(names)
        for row, text in enumerate(lines_of(name, count))
    ]
    for x, y, text in sorted(placed, key=lambda line: line[1]) if by_rows else placed:
        sheet.page.insert_text((x, y), text, fontsize=8.5, fontname="helv")


def order_of(document: ParsedDocument, names: str, count: int) -> list[str]:
    found = [(document.text.index(f"{name}{row:02}"), f"{name}{row:02}") for name in names for row in range(count)]
    return [code for _, code in sorted(found)]


@pytest.mark.parametrize("by_rows", [True, False])
def test_three_columns_are_read_one_after_the_other(parse: Parse, sheet: Any, by_rows: bool) -> None:
    set_columns(sheet, "ABC", 100, 30, by_rows=by_rows)
    document = parse(sheet.data(), "revista.pdf")
    assert order_of(document, "ABC", 30) == [f"{name}{row:02}" for name in "ABC" for row in range(30)]


def test_a_short_title_across_the_page_parts_the_columns_above_and_below(parse: Parse, sheet: Any) -> None:
    set_columns(sheet, "AB", 100, 15, by_rows=True)
    sheet.page.insert_text((72, 350), "Apartado dos", fontsize=16, fontname="hebo")
    across = "Este párrafo va de un lado a otro de la página y abre lo que viene debajo en dos columnas nuevas."
    for row in range(2):
        sheet.page.insert_text((72, 380 + 14 * row), across, fontsize=9, fontname="helv")
    set_columns(sheet, "CD", 430, 15, by_rows=True)
    document = parse(sheet.data(), "revista.pdf")
    assert document.text.index("B14") < document.text.index("Apartado dos") < document.text.index("C00")
    assert order_of(document, "ABCD", 15) == [f"{name}{row:02}" for name in "ABCD" for row in range(15)]


def test_the_number_of_a_single_page_does_not_break_a_sentence(parse: Parse, sheet: Any) -> None:
    set_columns(sheet, "AB", 100, 40, by_rows=False)
    sheet.page.insert_text((294, 810), "1", fontsize=8, fontname="helv")
    document = parse(sheet.data(), "revista.pdf")
    assert "1" not in document.text.split()
    assert [(removal.reason, removal.page, removal.text) for removal in document.removed] == [
        (RemovalReason.RUNNING_LINE, 1, "1")
    ]


def test_a_page_of_cells_is_ordered_quickly(parse: Parse, sheet: Any) -> None:
    """Cells begin in many places; each could be a column's edge."""
    for row in range(60):
        for cell in range(10):
            text = f"{'valor' * (1 + (row + cell) % 3)} {row}"
            sheet.page.insert_text(
                (40 + 52 * cell + (row * 7) % 11, 60 + 12 * row), text, fontsize=5, fontname="helv"
            )
    assert "valor 59" in parse(sheet.data(), "tabla.pdf").text
