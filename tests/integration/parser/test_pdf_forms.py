"""Filled forms: a field's value is text behind its label, however large a viewer sets it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import ParsedDocument

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]


def add_field(sheet: Any, kind: int, name: str, value: str | bool, rect: tuple[float, float, float, float]) -> None:
    field = pymupdf.Widget()
    field.field_type, field.field_name, field.field_value = kind, name, value
    field.rect = pymupdf.Rect(rect)
    if kind == pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT:
        field.text_fontsize = 18
    sheet.page.add_widget(field)


def test_what_was_filled_in_is_no_title_and_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.line("FORMULARIO DE SOLICITUD", size=16)
    for label, value in (("Nombre:", "Ana García"), ("DNI:", "12345678Z"), ("Motivo:", "Vacaciones de verano")):
        sheet.line(label, gap=16)
        top = sheet.y - 14.3 - 12
        add_field(sheet, pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT, label, value, (142, top, 420, top + 18))
    sheet.prose(lorem, gap=40)
    document = parse(sheet.data(), "solicitud.pdf")
    assert document.title == "FORMULARIO DE SOLICITUD"
    assert headings(document) == [(1, "FORMULARIO DE SOLICITUD")]
    for line in ("Nombre: Ana García", "DNI: 12345678Z", "Motivo: Vacaciones de verano"):
        assert line in document.text.split("\n")


def test_boxes_say_whether_they_are_ticked(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.line("SOLICITUD", size=16)
    for label, ticked in (("Jornada completa", True), ("Media jornada", False)):
        sheet.line(label, x=95, gap=16)
        top = sheet.y - 14.3 - 10
        add_field(sheet, pymupdf.mupdf.PDF_WIDGET_TYPE_CHECKBOX, label, ticked, (72, top, 84, top + 12))
    sheet.prose(lorem, gap=40)
    text = parse(sheet.data(), "solicitud.pdf").text
    assert "[x] Jornada completa" in text
    assert "[ ] Media jornada" in text


@pytest.mark.parametrize(("chosen", "read"), [("No", "[x] No"), ("Off", "[ ] No")])
def test_a_choice_may_be_called_no(parse: Parse, sheet: Any, lorem: str, chosen: str, read: str) -> None:
    sheet.line("No", x=95, gap=16)
    top = sheet.y - 14.3 - 10
    add_field(sheet, pymupdf.mupdf.PDF_WIDGET_TYPE_CHECKBOX, "acepta", False, (72, top, 84, top + 12))
    (field,) = sheet.page.widgets()
    shape = sheet.document.xref_get_key(field.xref, "AP/N/Yes")[1]
    sheet.document.xref_set_key(field.xref, "AP/N", f"<</No {shape}/Off {shape}>>")
    sheet.document.xref_set_key(field.xref, "AS", f"/{chosen}")
    sheet.document.xref_set_key(field.xref, "V", f"/{chosen}")
    sheet.prose(lorem, gap=40)
    assert read in parse(sheet.data(), "solicitud.pdf").text


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_fields_of_turned_pages_stand_behind_their_labels(
    parse: Parse, sheet: Any, lorem: str, rotation: int
) -> None:
    sheet.line("SOLICITUD", size=16)
    for label, value in (("Nombre:", "Ana García"), ("Motivo:", "Vacaciones")):
        sheet.line(label, gap=16)
        top = sheet.y - 14.3 - 12
        add_field(sheet, pymupdf.mupdf.PDF_WIDGET_TYPE_TEXT, label, value, (142, top, 420, top + 18))
    sheet.line("Acepto", x=95, gap=16)
    top = sheet.y - 14.3 - 10
    add_field(sheet, pymupdf.mupdf.PDF_WIDGET_TYPE_CHECKBOX, "acepto", True, (72, top, 84, top + 12))
    sheet.prose(lorem, gap=40)
    sheet.page.set_rotation(rotation)
    text = parse(sheet.data(), "solicitud.pdf").text
    order = [text.index(part) for part in ("SOLICITUD", "Nombre: Ana García", "Motivo: Vacaciones", "[x] Acepto")]
    assert order == sorted(order)


def test_the_choice_made_in_a_list_is_text(parse: Parse, sheet: Any) -> None:
    sheet.line("Centro:")
    field = pymupdf.Widget()
    field.field_type, field.field_name = pymupdf.mupdf.PDF_WIDGET_TYPE_COMBOBOX, "centro"
    field.choice_values, field.field_value = ["Badajoz", "Mérida"], "Mérida"
    field.rect = pymupdf.Rect(142, 78, 320, 96)
    sheet.page.add_widget(field)
    text = parse(sheet.data(), "solicitud.pdf").text
    assert text == "Centro: Mérida"
