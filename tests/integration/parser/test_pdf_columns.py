"""Three columns, titles across them, page numbers below them: what a person reads next comes next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
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


def test_addresses_side_by_side_are_read_one_after_the_other(parse: Parse, sheet: Any) -> None:
    sheet.line("FACTURA", size=18, font="hebo")
    issuer = ("Suministros Levante S.L.", "CIF B12345678", "Calle Mayor 12", "46001 Valencia")
    customer = (
        "Cliente: Panadería Ruiz",
        "NIF 22334455K",
        "Avenida del Puerto 8",
        "46023 Valencia",
        "Tel. 963 00 00 00",
    )
    top = sheet.y + 10
    for x, block in ((72, issuer), (340, customer)):
        for at, line in enumerate(block):
            sheet.page.insert_text((x, top + 14 * at), line, fontsize=10)
    sheet.y = top + 90
    for label, value in (("Número:", "F-2026/0147"), ("Fecha:", "12/11/2026"), ("Vencimiento:", "12/12/2026")):
        sheet.page.insert_text((72, sheet.y), label, fontsize=10)
        sheet.page.insert_text((160, sheet.y), value, fontsize=10)
        sheet.y += 14
    lines = [line for line in parse(sheet.data(), "a.pdf").text.split("\n") if line]
    assert lines == [
        "FACTURA", *issuer, *customer, "Número: F-2026/0147", "Fecha: 12/11/2026", "Vencimiento: 12/12/2026",
    ]  # fmt: skip


def test_signatures_side_by_side_are_read_one_after_the_other(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.y += 30
    for x, block in ((72, ("La presidenta", "Fdo.: María Pérez")), (330, ("El secretario", "Fdo.: Luis Gómez"))):
        for at, line in enumerate(block):
            sheet.page.insert_text((x, sheet.y + 15 * at), line, fontsize=11)
    text = " ".join(parse(sheet.data(), "a.pdf").text.split())
    assert text.endswith("La presidenta Fdo.: María Pérez El secretario Fdo.: Luis Gómez")


def test_rows_of_addresses_in_a_table_stay_rows(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    for at, row in enumerate(
        (
            ("Tienda", "Calle", "Teléfono"),
            ("Badajoz", "Calle de la Fuente 3, 06001 Badajoz", "924 000 001"),
            ("Mérida", "Plaza de España 2, 06800 Mérida", "924 000 002"),
            ("Zafra", "Avenida del Sol 9, 06300 Zafra", "924 000 003"),
        )
    ):
        for x, cell in zip((72, 160, 400), row, strict=True):
            sheet.page.insert_text((x, 100 + 16 * at), cell, fontsize=10)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert "| Mérida | Plaza de España 2, 06800 Mérida | 924 000 002 |" in table


def test_a_list_of_addresses_and_telephones_stays_in_rows(parse: Parse, sheet: Any) -> None:
    rows = [(f"Calle {street} 3, 0600{n} Badajoz", f"Tel. 924 000 00{n}") for n, street in enumerate("ABCD", start=1)]
    for at, row in enumerate(rows):
        for x, cell in zip((72, 340), row, strict=True):
            sheet.page.insert_text((x, 100 + 16 * at), cell, fontsize=10)
    text = " ".join(parse(sheet.data(), "a.pdf").text.split())
    assert all(f"{address} {telephone}" in text for address, telephone in rows)
