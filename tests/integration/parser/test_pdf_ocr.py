"""Character recognition of scanned pages, in the child process that reads files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from tests.integration.parser.glyph_names import name_letters
from tests.integration.parser.scanning import add_picture, add_scan_below_caption, error_rate, ocr_limits, scanned

from skillnet_common.documents import ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import OcrLimits, ParseLimits
from skillnet_parser.sandbox import parse_file

Outline = Callable[[ParsedDocument], list[tuple[int, str]]]

CLAUSES = (
    "La devolución se solicitará en el plazo de 30 días naturales desde la compra, con el tique o la factura.",
    "El reembolso, por importe de 1.234,56 euros, se hará con el mismo medio de pago en 14 días.",
)
PLAIN = "The customer may return any article within 30 days of purchase, with the receipt or the invoice."


async def read(folder: Path, data: bytes, ocr: OcrLimits | None) -> ParsedDocument:
    path = folder / "original"
    path.write_bytes(data)
    return await parse_file(path, "escaneado.pdf", ParseLimits(ocr=ocr))


async def test_a_spanish_scan_is_read_with_its_headings_and_says_so(
    tmp_path: Path, sheet: Any, headings: Outline
) -> None:
    ocr = ocr_limits("spa+eng")
    sheet.heading("CAPÍTULO II. De las devoluciones")
    sheet.heading("Artículo 4. Plazo de devolución", size=12)
    sheet.prose(CLAUSES[0])
    sheet.heading("Artículo 5. Reembolso", size=12)
    sheet.prose(CLAUSES[1])
    truth = sheet.page.get_text()
    document = await read(tmp_path, scanned(sheet.document).tobytes(), ocr)
    assert error_rate(document.text, truth) < 0.03
    assert "devolución se solicitará en el plazo de 30 días" in document.text
    assert [level for level, _ in headings(document)] == [1, 2, 2]
    assert document.ocr_pages == (1,)
    assert document.warnings == ("Read by character recognition (OCR), which may hold errors: page 1.",)
    assert {line.box.page for line in document.lines} == {1}
    assert all(line.box.x0 < 0.2 and line.box.y1 < 0.5 for line in document.lines)


async def test_only_the_pages_without_text_are_recognised(tmp_path: Path, sheet: Any, lorem: str) -> None:
    ocr = ocr_limits("eng")
    sheet.prose(lorem)
    sheet.turn()
    original = pymupdf.open()
    page = original.new_page(width=595, height=842)
    page.insert_textbox((72, 90, 522, 300), PLAIN, fontsize=12)
    add_picture(sheet.page, page)
    document = await read(tmp_path, sheet.data(), ocr)
    assert lorem in document.text
    assert error_rate(document.text.split("\n\n")[-1], PLAIN) < 0.05
    assert document.ocr_pages == (2,)


async def test_a_large_image_below_a_caption_is_recognised_and_the_caption_kept(tmp_path: Path, sheet: Any) -> None:
    ocr = ocr_limits("spa+eng")
    sheet.header("Anexo 1: copia del documento firmado por las partes.", y=130, size=11)
    add_scan_below_caption(sheet.page, CLAUSES)
    document = await read(tmp_path, sheet.data(), ocr)
    assert document.text.count("Anexo 1: copia del documento firmado por las partes.") == 1
    assert document.text.count("devolución se solicitará en el plazo de 30 días") == 1
    assert document.warnings == ("Read by character recognition (OCR), which may hold errors: page 1.",)


async def test_pages_beyond_the_limit_are_named(tmp_path: Path, sheet: Any) -> None:
    sheet.prose(PLAIN)
    sheet.turn()
    sheet.prose(PLAIN)
    document = await read(tmp_path, scanned(sheet.document).tobytes(), ocr_limits("eng", max_pages=1))
    assert document.ocr_pages == (1,)
    assert document.warnings == (
        "Not read, for they are scanned images beyond the limits of recognition: page 2.",
        "Read by character recognition (OCR), which may hold errors: page 1.",
    )


async def test_a_page_that_takes_too_long_is_named(tmp_path: Path, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    scan = scanned(sheet.document)
    scan.insert_pdf(sheet.document)
    document = await read(tmp_path, scan.tobytes(), ocr_limits("eng", page_seconds=0.01))
    assert lorem in document.text
    assert document.ocr_pages == ()
    assert document.warnings == ("Not read, for character recognition (OCR) found no text or was cut off: page 1.",)


async def test_a_picture_without_text_holds_nothing_readable(tmp_path: Path, sheet: Any) -> None:
    blank = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    blank.clear_with(200)
    sheet.page.insert_image(sheet.page.rect, pixmap=blank)
    with pytest.raises(PermanentFault) as caught:
        await read(tmp_path, sheet.data(), ocr_limits("eng"))
    assert caught.value.code is ErrorCode.NOTHING_READABLE
    assert caught.value.details == {"pages": [1]}


async def test_glyph_soup_is_read_from_its_picture(tmp_path: Path, sheet: Any, lorem: str) -> None:
    ocr = ocr_limits("eng")
    sheet.prose(lorem)
    sheet.turn()
    sheet.page.insert_textbox((72, 90, 522, 300), PLAIN, fontsize=12, fontname="heit")
    font = next(one[0] for one in sheet.page.get_fonts() if "Oblique" in one[3])
    name_letters(sheet.document, font, dict.fromkeys(b"aeiou", 0xFFFD))
    document = await read(tmp_path, sheet.data(), ocr)
    assert error_rate(document.text.split("\n\n")[-1], PLAIN) < 0.05
    assert document.ocr_pages == (2,)
    assert "\ufffd" not in document.text


async def test_a_page_scanned_on_its_side_is_read_and_its_places_are_of_the_page_as_it_lies(
    tmp_path: Path, sheet: Any
) -> None:
    sheet.prose(PLAIN)
    scan = scanned(sheet.document)
    scan[0].set_rotation(270)
    flat = scanned(scan, degrees=0, grain=0)  # the picture is turned, and nothing says so
    document = await read(tmp_path, flat.tobytes(), ocr_limits("eng"))
    assert error_rate(document.text, PLAIN) < 0.05
    assert document.lines[0].box.x1 < 0.2  # the head of the sheet
