"""Invoices and contracts: addresses, parties and signatures side by side, and the rows of labels near them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
Parse = Callable[..., ParsedDocument]

LEFT, RIGHT, PITCH = 72, 340, 14
ISSUER = ("Suministros Levante S.L.", "CIF B12345678", "Calle Mayor 12", "46001 Valencia")
CUSTOMER = ("Panadería Ruiz", "NIF 22334455K", "Avenida del Puerto 8", "46023 Valencia")
LANDLORD = ("EL ARRENDADOR", "Ana López Pérez", "DNI 12345678A")
TENANT = ("EL ARRENDATARIO", "Luis Gómez Ruiz", "DNI 87654321B")


def set_beside(
    sheet: Any, left: Sequence[str], right: Sequence[str], *, gap: float = 0, font: str = "helv", size: float = 10
) -> None:
    """Lines at the left and at the right of the page, on the same baselines."""
    sheet.y += gap
    for x, lines in ((LEFT, left), (RIGHT, right)):
        for at, text in enumerate(lines):
            sheet.page.insert_text((x, sheet.y + PITCH * at), text, fontsize=size, fontname=font)
    sheet.y += PITCH * max(len(left), len(right))


def lines_of(document: ParsedDocument) -> list[str]:
    return [line for line in document.text.split("\n") if line]


@pytest.mark.parametrize("gap", [0, 10])
@pytest.mark.parametrize("label_first", [True, False])
def test_a_row_of_labels_near_addresses_stays_a_row(parse: Parse, sheet: Any, gap: float, label_first: bool) -> None:
    sheet.line("FACTURA", size=18, font="hebo")
    labels = (("Número: F-12",), ("Fecha: 3/4/2026",))
    for at, (left, right) in enumerate((labels, (ISSUER, CUSTOMER)) if label_first else ((ISSUER, CUSTOMER), labels)):
        set_beside(sheet, left, right, gap=gap if at else 0)
    addresses, row = [*ISSUER, *CUSTOMER], ["Número: F-12 Fecha: 3/4/2026"]
    expected = row + addresses if label_first else addresses + row
    assert lines_of(parse(sheet.data(), "factura.pdf")) == ["FACTURA", *expected]


def test_labels_of_words_set_apart_from_addresses_stay_a_row(parse: Parse, sheet: Any) -> None:
    set_beside(sheet, ISSUER, CUSTOMER)
    set_beside(sheet, ("Puesto: Dependienta",), ("Turno: mañana",), gap=8)
    assert lines_of(parse(sheet.data(), "contrato.pdf"))[-1] == "Puesto: Dependienta Turno: mañana"


def test_heads_over_two_addresses_go_with_them(parse: Parse, sheet: Any) -> None:
    set_beside(sheet, ("Emisor:",), ("Cliente:",), font="hebo")
    set_beside(sheet, ISSUER, CUSTOMER)
    assert lines_of(parse(sheet.data(), "factura.pdf")) == ["Emisor:", *ISSUER, "Cliente:", *CUSTOMER]


def test_parties_with_the_same_labels_are_read_one_after_the_other(parse: Parse, sheet: Any) -> None:
    landlord = ("ARRENDADOR", "Nombre: Ana López", "DNI: 12345678A", "Domicilio: Badajoz")
    tenant = ("ARRENDATARIO", "Nombre: Luis Gómez", "DNI: 87654321B", "Domicilio: Mérida")
    set_beside(sheet, landlord, tenant)
    assert lines_of(parse(sheet.data(), "contrato.pdf")) == [*landlord, *tenant]


def test_a_form_of_other_labels_at_the_right_stays_in_rows(parse: Parse, sheet: Any, lorem: str) -> None:
    set_beside(
        sheet,
        ("Puesto: Dependienta", "Centro: Badajoz", "Jornada: completa"),
        ("Turno: mañana", "Inicio: 3/4/2026", "Salario: 1.300"),
    )
    sheet.prose(lorem)
    assert lines_of(parse(sheet.data(), "contrato.pdf"))[:3] == [
        "Puesto: Dependienta Turno: mañana",
        "Centro: Badajoz Inicio: 3/4/2026",
        "Jornada: completa Salario: 1.300",
    ]


@pytest.mark.parametrize("lines", [2, 3])
def test_signatures_are_told_by_the_room_left_for_them(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, lines: int
) -> None:
    sheet.prose(lorem)
    set_beside(sheet, LANDLORD[:1], TENANT[:1], gap=30)
    set_beside(sheet, LANDLORD[1:lines], TENANT[1:lines], gap=40)
    document = parse(sheet.data(), "contrato.pdf")
    assert lines_of(document)[-2 * lines :] == [*LANDLORD[:lines], *TENANT[:lines]]
    assert headings(document) == []


def test_centred_signatures_are_read_one_after_the_other(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    for middle, block in ((160, LANDLORD), (430, TENANT)):
        for text, down in zip(block, (30, 80, 94), strict=True):
            width = pymupdf.get_text_length(text, "helv", 10)
            sheet.page.insert_text((middle - width / 2, sheet.y + down), text, fontsize=10)
    assert lines_of(parse(sheet.data(), "contrato.pdf"))[-6:] == [*LANDLORD, *TENANT]


@pytest.mark.parametrize("size", [12, 16])
def test_a_company_beside_the_title_goes_with_its_address(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, size: float
) -> None:
    sheet.page.insert_text((RIGHT, sheet.y), "FACTURA", fontsize=20, fontname="hebo")
    sheet.line(ISSUER[0], size=size, font="hebo")
    labels = ("Número: F-12", "Fecha: 3/4/2026")
    set_beside(sheet, ISSUER[1:], labels)
    sheet.prose(lorem)
    document = parse(sheet.data(), "factura.pdf")
    assert lines_of(document)[:-1] == [*ISSUER, "FACTURA", *labels]
    assert [text for _, text in headings(document)] == [ISSUER[0], "FACTURA"]


def test_a_title_is_not_joined_with_a_smaller_name_beside_it(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.page.insert_text((RIGHT, sheet.y), "FACTURA", fontsize=20, fontname="hebo")
    sheet.line("Suministros Levante", size=11)
    sheet.prose(lorem)
    assert [text for _, text in headings(parse(sheet.data(), "factura.pdf"))] == ["FACTURA"]


def test_the_parts_of_a_formula_stay_on_their_row(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.page.insert_text((200, sheet.y + 20), "= total", fontsize=14)
    sheet.page.insert_text((100, sheet.y + 20), "Suma", fontsize=10)
    assert lines_of(parse(sheet.data(), "formula.pdf"))[-1] == "Suma = total"


def test_blocks_around_a_ruled_table_are_read_one_after_the_other(
    parse: Parse, sheet: Any, blocks_of: BlocksOf
) -> None:
    set_beside(sheet, ISSUER, CUSTOMER)
    for x in (LEFT, 200, 390, 500):
        sheet.page.draw_line((x, sheet.y), (x, sheet.y + 60))
    for row in (("Concepto", "Unidades", "Importe"), ("Harina", "3", "45,00"), ("Sal", "2", "4,00")):
        sheet.page.draw_line((LEFT, sheet.y), (500, sheet.y))
        for x, cell in zip((76, 204, 394), row, strict=True):
            sheet.page.insert_text((x, sheet.y + 14), cell, fontsize=10)
        sheet.y += 20
    sheet.page.draw_line((LEFT, sheet.y), (500, sheet.y))
    set_beside(sheet, ("LA EMPRESA",), ("EL CLIENTE",), gap=30)
    set_beside(sheet, ("Ana López",), ("Luis Gómez",), gap=40)
    document = parse(sheet.data(), "factura.pdf")
    (table,) = blocks_of(document, BlockKind.TABLE)
    signatures = ["LA EMPRESA", "Ana López", "EL CLIENTE", "Luis Gómez"]
    assert lines_of(document) == [*ISSUER, *CUSTOMER, *table.split("\n"), *signatures]
