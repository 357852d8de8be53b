"""PDFs that cannot become a document say why; hidden text stays out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import ParsedDocument, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import ParseLimits

Parse = Callable[..., ParsedDocument]


def fault_of(parse: Parse, data: bytes, limits: ParseLimits | None = None) -> PermanentFault:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.pdf", limits)
    return caught.value


def add_scan(page: Any) -> None:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 60, 80), False)
    pixmap.clear_with(200)
    page.insert_image(page.rect, pixmap=pixmap)


def encrypt(sheet: Any, **passwords: str) -> bytes:
    data: bytes = sheet.data(encryption=pymupdf.mupdf.PDF_ENCRYPT_AES_256, **passwords)
    return data


def test_a_user_password_is_asked_for(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    assert fault_of(parse, encrypt(sheet, user_pw="x", owner_pw="y")).code is ErrorCode.PASSWORD_REQUIRED


def test_an_owner_password_alone_does_not_matter(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    assert "La persona encargada" in parse(encrypt(sheet, owner_pw="y"), "a.pdf").text


def test_a_pdf_without_pages(parse: Parse) -> None:
    empty = (
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R>>\n%%EOF\n"
    )
    assert fault_of(parse, empty).code is ErrorCode.NO_PAGES


def test_a_pdf_cut_short_is_damaged_or_read_as_far_as_it_goes(parse: Parse) -> None:
    assert fault_of(parse, b"%PDF-1.7\n").code in (ErrorCode.CORRUPT_FILE, ErrorCode.NO_PAGES)


def test_too_many_pages_name_both_numbers(parse: Parse, sheet: Any, lorem: str) -> None:
    for _ in range(3):
        sheet.prose(lorem)
        sheet.turn()
    fault = fault_of(parse, sheet.data(), ParseLimits(max_pages=3))
    assert fault.code is ErrorCode.TOO_MANY_PAGES
    assert fault.details == {"pages": 4, "limit": 3}


def test_a_scan_needs_recognition_and_names_its_pages(parse: Parse, sheet: Any) -> None:
    add_scan(sheet.page)
    sheet.turn()
    add_scan(sheet.page)
    fault = fault_of(parse, sheet.data())
    assert fault.code is ErrorCode.NEEDS_OCR
    assert fault.details == {"pages": [1, 2]}
    assert "pages 1, 2" in fault.message


def test_scanned_pages_among_others_become_a_warning(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.turn()
    add_scan(sheet.page)
    document = parse(sheet.data(), "a.pdf")
    assert document.page_count == 2
    assert document.warnings == ("Not read, for they are scanned images: page 2.",)


def test_blank_pages_hold_nothing_readable(parse: Parse, sheet: Any) -> None:
    assert fault_of(parse, sheet.data()).code is ErrorCode.NOTHING_READABLE


def test_invisible_text_is_left_out_and_reported(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    page = sheet.page
    page.insert_text((72, 400), "OCULTO modo tres", fontsize=11, render_mode=3)
    page.insert_text((72, 420), "OCULTO blanco sobre blanco", fontsize=11, color=(1, 1, 1))
    page.insert_text((72, 440), "OCULTO diminuto", fontsize=0.5)
    page.insert_text((72, 460), "OCULTO transparente", fontsize=11, fill_opacity=0.01)
    page.insert_text((-300, 480), "OCULTO fuera de la hoja", fontsize=11)
    document = parse(sheet.data(), "a.pdf")
    assert "OCULTO" not in document.text
    assert document.warnings == ("Invisible text was left out: page 1.",)
    listed = {one.text for one in document.removed if one.reason is RemovalReason.HIDDEN and one.page == 1}
    assert listed == {
        "OCULTO modo tres",
        "OCULTO blanco sobre blanco",
        "OCULTO diminuto",
        "OCULTO transparente",
        "OCULTO fuera de la hoja",
    }


def test_white_text_on_a_dark_band_is_visible(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.page.draw_rect((60, 380, 530, 420), fill=(0.1, 0.1, 0.3))
    sheet.page.insert_text((72, 405), "Aviso en blanco sobre azul", fontsize=14, color=(1, 1, 1))
    document = parse(sheet.data(), "a.pdf")
    assert "Aviso en blanco sobre azul" in document.text
    assert document.warnings == ()


def test_invisible_characters_do_not_reach_the_text(parse: Parse) -> None:
    source = "Plazo\u200b de\u202e 30\u00a0días\u2066 y la o\ufb01cina\U000e0041."
    assert parse(source.encode(), "a.md").text == "Plazo de 30 días y la oficina."
