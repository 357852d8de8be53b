"""PDFs that readers have been reported to hang on, to refuse wrongly or to pass on unread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import ParsedDocument, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault

from .raw_pdf import PAGE, one_page, print_lines, unicode_map, write_pdf

Parse = Callable[..., ParsedDocument]

LINES = [b"El plazo de devolucion es de treinta dias desde la compra.", b"Hay que traer el tique a la tienda."]
TEXT = print_lines(LINES)
MAPPED_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>"


def fault_of(parse: Parse, data: bytes) -> PermanentFault:
    with pytest.raises(PermanentFault) as caught:
        parse(data, "a.pdf")
    return caught.value


def test_a_plain_file_of_these_objects_is_read(parse: Parse) -> None:
    """What the tests below change is what makes the difference."""
    document = parse(write_pdf(one_page(TEXT)), "a.pdf")
    assert document.text == " ".join(line.decode() for line in LINES)
    assert document.warnings == ()


@pytest.mark.parametrize(
    "pages",
    [
        b"<</Type/Pages/Kids[2 0 R]/Count 1>>",
        b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>",
        b"<</Type/Pages/Kids[6 0 R]/Count 3>>",
    ],
)
def test_a_tree_of_pages_that_holds_itself(parse: Parse, pages: bytes) -> None:
    objects = one_page(TEXT, b"<</Type/Pages/Kids[2 0 R]/Count 1/Parent 2 0 R>>")
    objects[1] = pages
    assert fault_of(parse, write_pdf(objects)).code in (ErrorCode.CORRUPT_FILE, ErrorCode.NO_PAGES)


@pytest.mark.parametrize("count", [b"-1", b"0", b"99999999999", b"2147483647"])
def test_counts_of_pages_that_are_not_true(parse: Parse, count: bytes) -> None:
    objects = one_page(TEXT)
    objects[1] = b"<</Type/Pages/Kids[3 0 R]/Count %s>>" % count
    try:
        outcome = parse(write_pdf(objects), "a.pdf").text.split(" de ")[0]
    except PermanentFault as fault:
        outcome = fault.code
    assert outcome in (
        "El plazo",
        ErrorCode.CORRUPT_FILE,
        ErrorCode.NO_PAGES,
        ErrorCode.TOO_MANY_PAGES,
    )


def test_an_outline_that_holds_itself_does_not_hang(parse: Parse) -> None:
    item = b"<</Title(Plazos)/Parent 6 0 R/Next 7 0 R/First 7 0 R/Last 7 0 R/Dest[3 0 R/Fit]>>"
    objects = one_page(TEXT, b"<</First 7 0 R/Last 7 0 R/Count 1>>", item, catalog=b"/Outlines 6 0 R")
    assert parse(write_pdf(objects), "a.pdf").text.startswith("El plazo")


@pytest.mark.parametrize("change", [b"", b"junk before\n"])
def test_a_file_without_its_table_of_objects_is_repaired(parse: Parse, change: bytes) -> None:
    document = parse(change + write_pdf(one_page(TEXT), table=False), "a.pdf")
    assert document.text.startswith("El plazo de devolucion")
    assert ["was repaired" in warning for warning in document.warnings] == [True]


def test_a_damaged_page_among_others_is_told_and_costs_no_other(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(3):
        sheet.prose(f"Contenido {number}. {lorem}")
        if number < 2:
            sheet.turn()
    sheet.document.xref_set_key(sheet.document[1].xref, "Contents", "99999 0 R")
    document = parse(sheet.data(), "a.pdf")
    assert ("Contenido 0" in document.text, "Contenido 2" in document.text) == (True, True)
    assert document.page_count == 3
    assert [warning for warning in document.warnings if "missing in the file: page 2." in warning]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.8])
def test_what_a_file_that_was_cut_off_lacks_is_told(parse: Parse, sheet: Any, lorem: str, share: float) -> None:
    for number in range(10):
        sheet.prose(f"Contenido {number}. {lorem}")
        if number < 9:
            sheet.turn()
    data = sheet.document.tobytes(garbage=3)
    document = parse(data[: data.rindex(b"endobj", 0, int(len(data) * share))], "a.pdf")
    missing = [number for number in range(10) if f"Contenido {number}" not in document.text]
    assert 0 < len(missing) < 9
    (told,) = document.warnings
    assert f"{', '.join(str(number + 1) for number in missing)}." in told


def test_a_blank_page_lacks_nothing(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.turn()
    assert parse(sheet.data(), "a.pdf").warnings == ()


def test_a_file_of_which_no_page_is_left_is_damaged(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    sheet.document.xref_set_key(sheet.document[0].xref, "Contents", "99999 0 R")
    assert fault_of(parse, sheet.data()).code is ErrorCode.CORRUPT_FILE


def test_a_stream_that_cannot_be_unpacked(parse: Parse) -> None:
    objects = one_page(TEXT)
    objects[3] = b"<</Length 12/Filter/FlateDecode>>\nstream\nno es zlib..\nendstream"
    assert fault_of(parse, write_pdf(objects)).code in (ErrorCode.NOTHING_READABLE, ErrorCode.CORRUPT_FILE)


@pytest.mark.parametrize("code", [0x0000, 0x0001, 0x000C, 0xD800, 0xFFFE, 0x202E])
def test_characters_that_the_database_refuses_do_not_reach_the_text(parse: Parse, code: int) -> None:
    """A map of the font says that one of many letters is something that no text may hold."""
    codes = {byte: byte for byte in range(0x20, 0x7F)} | {ord("H"): code}
    document = parse(write_pdf(one_page(TEXT, unicode_map(codes), font=MAPPED_FONT)), "a.pdf")
    assert document.text.startswith("El plazo de devolucion")
    assert document.text.replace("\n", " ").isprintable()


@pytest.mark.parametrize("target", [0xFFFD, 0xE123, 0xE000])
def test_a_font_that_does_not_say_its_letters_needs_recognition(parse: Parse, target: int) -> None:
    codes = {byte: byte if byte == 0x20 else target for byte in range(0x20, 0x7F)}
    fault = fault_of(parse, write_pdf(one_page(TEXT, unicode_map(codes), font=MAPPED_FONT)))
    assert (fault.code, fault.details) == (ErrorCode.NEEDS_OCR, {"pages": [1]})


def test_a_page_of_unknown_letters_among_readable_ones_is_told(parse: Parse) -> None:
    codes = {byte: byte if byte == 0x20 else 0xFFFD for byte in range(0x20, 0x7F)}
    second = PAGE.replace(b"/F 5 0 R", b"/F 8 0 R")
    objects = one_page(TEXT, unicode_map(codes), second, MAPPED_FONT)
    objects[1] = b"<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2>>"
    document = parse(write_pdf(objects), "a.pdf")
    assert document.text.startswith("El plazo")
    assert any("page 2" in warning for warning in document.warnings)
    assert [(removal.reason, removal.page) for removal in document.removed] == [(RemovalReason.UNREADABLE, 2)]


def test_a_filled_form_and_notes_on_the_paper_are_read(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.prose(lorem)
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT, "nombre"
    field.field_value, field.rect = "Ana Ibáñez", pymupdf.Rect(72, 300, 300, 320)
    sheet.page.add_widget(field)
    sheet.page.add_freetext_annot(pymupdf.Rect(72, 400, 300, 430), "Vale hasta mayo")
    sheet.page.add_text_annot((72, 500), "comentario emergente")
    text = parse(sheet.data(), "a.pdf").text
    assert ("Ana Ibáñez" in text, "Vale hasta mayo" in text, "emergente" in text) == (True, True, False)


@pytest.mark.parametrize("content", [b"q Q", b"", b"0 0 100 100 re f"])
def test_a_page_that_shows_no_text_and_no_image(parse: Parse, content: bytes) -> None:
    assert fault_of(parse, write_pdf(one_page(content))).code is ErrorCode.NOTHING_READABLE


def test_a_form_that_draws_itself_does_not_hang(parse: Parse) -> None:
    form = b"/X Do " + TEXT
    drawn = b"<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>"
    objects = one_page(b"/X Do", drawn + b"/Length %d>>\nstream\n%s\nendstream" % (len(form), form))
    objects[2] = PAGE.replace(b"/Font<<", b"/XObject<</X 6 0 R>>/Font<<")
    assert parse(write_pdf(objects), "a.pdf").text.startswith("El plazo")


def test_a_font_whose_size_is_nothing_is_no_visible_text(parse: Parse) -> None:
    objects = one_page(TEXT + b"\n" + print_lines([b"OCULTO a la vista"], size=0))
    assert "OCULTO" not in parse(write_pdf(objects), "a.pdf").text


def test_leaders_that_are_unknown_glyphs_are_left_out(parse: Parse) -> None:
    """The map names the first glyph of the leader a control character and the others unknown ones."""
    codes = {byte: byte for byte in range(0x20, 0x7F)} | {ord("$"): 0x08, ord("&"): 0xFFFD}
    lines = [*LINES, b"Pan $&&&&&&&&&&&&&&& 25 euros"]
    document = parse(write_pdf(one_page(print_lines(lines), unicode_map(codes), font=MAPPED_FONT)), "a.pdf")
    assert document.text.endswith("Pan 25 euros")
    assert document.warnings == ()
