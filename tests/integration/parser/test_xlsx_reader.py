"""XLSX: sheets as sections, their cells as tables, values as they are shown."""

from __future__ import annotations

import datetime
import io
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.workbook import Workbook

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import ParseLimits

from .packages import data_of, with_part

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

SHEET = "xl/worksheets/sheet1.xml"


@pytest.fixture
def book() -> Workbook:
    """A workbook whose first sheet, `Horario`, is empty."""
    workbook = openpyxl.Workbook()
    workbook.active.title = "Horario"
    return workbook


def test_sheets_are_sections_and_cells_tables(
    parse: Parse, book: Workbook, headings: Outline, blocks_of: BlocksOf
) -> None:
    for row in (["Día", "Abre"], ["lunes", datetime.time(7, 30)], ["domingo", None]):
        book["Horario"].append(row)
    book.create_sheet("Vacía")
    book.create_sheet("Precios").append(["Pan", 1.2])
    document = parse(data_of(book), "a.xlsx")
    assert headings(document) == [(1, "Horario"), (1, "Precios")]
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Día | Abre |\n| --- | --- |\n| lunes | 07:30:00 |\n| domingo |  |",
        "| Pan | 1.2 |\n| --- | --- |",
    ]
    assert (document.file_type, document.page_count_estimated, document.warnings) == ("xlsx", True, ())


def test_values_as_they_are_shown(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    sheet = book["Horario"]
    sheet.append(["IVA", "Fecha", "Precio", "Código", "Activo"])
    sheet.append([0.21, datetime.datetime(2024, 3, 5), 1234.5, 41, True])  # noqa: DTZ001  # sheets know no zones
    for column, code in zip("ABCD", ("0%", "dd/mm/yyyy", '#,##0.00 "€"', "00000"), strict=True):
        sheet[f"{column}2"].number_format = code
    (table,) = blocks_of(parse(data_of(book), "a.xlsx"), BlockKind.TABLE)
    assert table.endswith("\n| 21% | 05/03/2024 | 1234.50 € | 00041 | TRUE |")


def test_merged_cells_stand_once(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    sheet = book["Horario"]
    for row in (["Zona", "Lunes", "Martes"], ["Norte", "abierto", None], [None, "a", "b"]):
        sheet.append(row)
    sheet.merge_cells("B2:C2")
    sheet.merge_cells("A2:A3")
    (table,) = blocks_of(parse(data_of(book), "a.xlsx"), BlockKind.TABLE)
    assert table.endswith("| Norte | abierto |  |\n|  | a | b |")


def test_a_head_of_two_rows(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    sheet = book["Horario"]
    for row in (
        ["Turnos de la tienda"],
        ["Puesto", "oculto", "Lunes", None, "Nota"],
        [None, None, "Mañana", "Tarde"],
        ["Caja", None, "Ana", "Luis", "fijo"],
        ["Almacén", None, "Eva"],
        [None, None, "sola", None],
    ):
        sheet.append(row)
    for merged in ("A1:E1", "A2:A3", "C2:D2", "E2:E3", "C5:D5"):
        sheet.merge_cells(merged)
    sheet.column_dimensions["B"].hidden = True
    document = parse(data_of(book), "a.xlsx")
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Turnos de la tienda"]
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Puesto | Lunes Mañana | Lunes Tarde | Nota |\n| --- | --- | --- | --- |\n"
        "| Caja | Ana | Luis | fijo |\n| Almacén | Eva |  |  |\n|  | sola |  |  |"
    ]


def test_values_below_a_merged_head_are_no_head(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    sheet = book["Horario"]
    for row in (["Pan", "Precio", None], [None, 1, 2], ["barra", 3, 4]):
        sheet.append(row)
    sheet.merge_cells("B1:C1")
    (table,) = blocks_of(parse(data_of(book), "a.xlsx"), BlockKind.TABLE)
    assert table.startswith("| Pan | Precio |  |\n| --- | --- | --- |\n|  | 1 | 2 |\n")


def test_empty_columns_part_notes_from_a_table(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    for row in (
        ["Ref", "Producto", "Precio", None, None, "Notas"],
        ["007", "Pan", 1.2, None, None, "Pedir antes"],
        ["008", "Leche", 0.95, None, None, "de las 12"],
    ):
        book["Horario"].append(row)
    document = parse(data_of(book), "a.xlsx")
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Ref | Producto | Precio |\n| --- | --- | --- |\n| 007 | Pan | 1.2 |\n| 008 | Leche | 0.95 |"
    ]
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Notas\nPedir antes\nde las 12"]


def test_columns_that_merged_cells_run_over_part_nothing(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    for number, row in enumerate((["Ref", "Producto", "Nota"], ["A7", "Pan", "frío"], ["A8", "Leche", "frío"]), 1):
        for column, cell in zip("ABE", row, strict=True):
            book["Horario"][f"{column}{number}"] = cell
        book["Horario"].merge_cells(f"B{number}:D{number}")
    (table,) = blocks_of(parse(data_of(book), "a.xlsx"), BlockKind.TABLE)
    assert table.startswith("| Ref | Producto | Nota |\n")


def test_hidden_sheets_are_left_out_and_named(parse: Parse, book: Workbook) -> None:
    book["Horario"].append(["visible", "sí"])
    for name, state in (("Costes", "hidden"), ("Claves", "veryHidden")):
        sheet = book.create_sheet(name)
        sheet.append(["secreto", "no"])
        sheet.sheet_state = state
    document = parse(data_of(book), "a.xlsx")
    assert "secreto" not in document.text
    assert document.warnings == ("Hidden sheets were left out: Costes, Claves.",)
    assert [(removal.reason, removal.text) for removal in document.removed] == [
        (RemovalReason.HIDDEN, "secreto no")
    ] * 2


def test_of_a_large_hidden_sheet_the_first_rows_are_told(parse: Parse, book: Workbook) -> None:
    book["Horario"].append(["visible", "sí"])
    sheet = book.create_sheet("Datos")
    for number in range(5_000):
        sheet.append([f"celda {number}"] * 20)
    sheet.sheet_state = "hidden"
    (removal,) = parse(data_of(book), "a.xlsx").removed
    assert removal.text.startswith("celda 0 celda 0")
    assert len(removal.text) == 10_000


def test_hidden_rows_and_columns_are_left_out_and_told(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    sheet = book["Horario"]
    for row in (["Zona", "Coste", "Lunes"], ["Norte", "secreto 1", "abierto"], ["Sur", "secreto 2", "cerrado"]):
        sheet.append(row)
    sheet.append(["Oeste", "secreto 3", "secreto 4"])
    sheet.column_dimensions["B"].hidden = True
    sheet.row_dimensions[4].hidden = True
    sheet.column_dimensions["F"].hidden = True  # an empty one needs no word
    document = parse(data_of(book), "a.xlsx")
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Zona | Lunes |\n| --- | --- |\n| Norte | abierto |\n| Sur | cerrado |"
    ]
    assert document.warnings == ("Hidden rows and columns were left out: Horario.",)
    assert [(removal.reason, removal.text) for removal in document.removed] == [
        (RemovalReason.HIDDEN, "Coste secreto 1 secreto 2 Oeste secreto 3 secreto 4")
    ]


def test_hidden_rows_without_their_numbers(parse: Parse, book: Workbook) -> None:
    for number in range(1, 4):
        book["Horario"].append([f"fila {number}", "valor"])
    book["Horario"].row_dimensions[2].hidden = True
    data = with_part(data_of(book), SHEET, lambda xml: re.sub(rb'<row r="\d"', b"<row", xml))
    text = parse(data, "a.xlsx").text
    assert ("fila 1" in text, "fila 2" in text, "fila 3" in text) == (True, False, True)


def test_formulas_give_their_last_value(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    book["Horario"].append(["Total", "Media"])
    book["Horario"].append(["=1+2", "=2+2"])
    data = with_part(
        data_of(book),
        SHEET,
        lambda xml: xml.replace(b"<f>1+2</f><v></v>", b"<f>1+2</f><v>3</v>").replace(
            b"<f>1+2</f><v />", b"<f>1+2</f><v>3</v>"
        ),
    )
    document = parse(data, "a.xlsx")
    assert blocks_of(document, BlockKind.TABLE) == ["| Total | Media |\n| --- | --- |\n| 3 |  |"]
    assert document.warnings[0].startswith("1 formulas hold no computed value")


def test_what_the_file_says_of_its_size_is_not_believed(parse: Parse, book: Workbook) -> None:
    for number in range(5):
        book["Horario"].append(["fila", number])
    data = with_part(data_of(book), SHEET, lambda xml: xml.replace(b'ref="A1:B5"', b'ref="A1:A1"'))
    assert parse(data, "a.xlsx").text.count("fila") == 5


def test_a_long_sheet_is_one_table(parse: Parse, book: Workbook, blocks_of: BlocksOf) -> None:
    book["Horario"].append(["Código", "Pieza"])
    for number in range(2_000):
        book["Horario"].append([f"P-{number}", "tornillo"])
    (table,) = blocks_of(parse(data_of(book), "a.xlsx"), BlockKind.TABLE)
    assert table.count("\n") == 2_001


def test_a_cell_at_the_far_end_costs_little(parse: Parse, book: Workbook) -> None:
    book["Horario"]["A1"] = "principio"
    book["Horario"]["XFD1048576"] = "final"
    started = time.process_time()
    assert parse(data_of(book), "a.xlsx").text == "Horario\n\nprincipio\n\nfinal"
    assert time.process_time() - started < 10


def test_empty_cells_without_number_are_refused_in_time(parse: Parse, book: Workbook) -> None:
    def fill(xml: bytes) -> bytes:
        rows = b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (number, number) for number in range(1, 5_000))
        return xml.replace(b"<sheetData></sheetData>", b"<sheetData/>").replace(
            b"<sheetData/>", b"<sheetData>" + rows + b"</sheetData>"
        ).replace(b"<sheetData />", b"<sheetData>" + rows + b"</sheetData>")  # fmt: skip

    with pytest.raises(PermanentFault) as caught:
        parse(with_part(data_of(book), SHEET, fill), "a.xlsx", ParseLimits(max_archive_ratio=10_000))
    assert caught.value.code is ErrorCode.DOCUMENT_TOO_LARGE


def test_too_much_text_is_refused_as_it_is_read(parse: Parse, book: Workbook) -> None:
    for _ in range(100):
        book["Horario"].append(["x" * 100, "y"])
    with pytest.raises(PermanentFault) as caught:
        parse(data_of(book), "a.xlsx", ParseLimits(max_text_chars=5_000))
    assert caught.value.code is ErrorCode.DOCUMENT_TOO_LARGE


def test_entities_are_refused(parse: Parse, book: Workbook) -> None:
    book["Horario"].append(["a", "b"])
    data = with_part(data_of(book), SHEET, lambda xml: b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + xml)
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.xlsx")
    assert caught.value.code is ErrorCode.UNSAFE_ARCHIVE


@pytest.mark.parametrize(
    ("name", "change"),
    [
        (SHEET, lambda xml: xml[: len(xml) // 2]),
        (SHEET, lambda _xml: b""),
        (SHEET, lambda xml: b'<?xml version="1.0" encoding="x"?>' + xml[xml.index(b"<worksheet") :]),
        (SHEET, lambda xml: xml.replace(b't="n"', b't="s"').replace(b"<v>1</v>", b"<v>99</v>")),
        ("xl/workbook.xml", lambda _xml: b"<x/>"),
        ("xl/_rels/workbook.xml.rels", lambda _xml: None),
        ("[Content_Types].xml", lambda _xml: None),
        ("xl/styles.xml", lambda xml: xml[:100]),
    ],
)
def test_damaged_workbooks(parse: Parse, book: Workbook, name: str, change: Callable[[bytes], bytes | None]) -> None:
    book["Horario"].append(["a", 1])
    with pytest.raises(PermanentFault) as caught:
        parse(with_part(data_of(book), name, change), "a.xlsx")
    assert caught.value.code is ErrorCode.CORRUPT_FILE


def test_a_missing_sheet_is_told(parse: Parse, book: Workbook) -> None:
    book["Horario"].append(["a", 1])
    book.create_sheet("Precios").append(["Pan", 1.2])
    document = parse(with_part(data_of(book), SHEET, lambda _xml: None), "a.xlsx")
    assert "Pan" in document.text
    assert document.warnings == ("Sheets that the file names but does not hold: Horario.",)


def test_a_strict_workbook(parse: Parse, book: Workbook) -> None:
    book["Horario"].append(["a", "b"])

    def strict(data: bytes) -> bytes:
        return data.replace(
            b"http://schemas.openxmlformats.org/spreadsheetml/2006/main",
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )

    data = data_of(book)
    for name in zipfile.ZipFile(io.BytesIO(data)).namelist():
        data = with_part(data, name, strict)
    assert "| a | b |" in parse(data, "a.xlsx").text


def test_an_empty_workbook(parse: Parse, book: Workbook) -> None:
    with pytest.raises(PermanentFault) as caught:
        parse(data_of(book), "a.xlsx")
    assert caught.value.code is ErrorCode.NOTHING_READABLE


def test_a_real_catalogue(parse: Parse, shared_data: Path, blocks_of: BlocksOf) -> None:
    (path,) = (shared_data / "text").rglob("xlsx_09_section_label_header.xlsx")
    document = parse(path.read_bytes(), path.name)
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Reading List"]
    (table,) = blocks_of(document, BlockKind.TABLE)
    assert table.startswith("| # | Genre | Sub-Genre | Title | Author | Publisher | Added |\n")
