"""The first of several numbered headings is no title of the document."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillnet_common.documents import ParsedDocument

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]

SECTIONS = (
    ("Puesta en marcha", ("Desembalaje", "Conexión")),
    ("Uso diario", ("Encendido", "Programas")),
    ("Limpieza", ("Filtro", "Cuba")),
    ("Averías", ("Códigos", "Servicio")),
)


def set_sections(sheet: Any, lorem: str, *, turning: bool = True) -> list[tuple[int, str]]:
    """Sets the sections, each on a page of its own; returns the outline they should have."""
    outline: list[tuple[int, str]] = []
    for number, (title, parts) in enumerate(SECTIONS, start=1):
        if turning and number > 1:
            sheet.turn()
        sheet.line(f"{number}. {title}", size=16, font="hebo", gap=14)
        outline.append((1, f"{number}. {title}"))
        for part_number, part in enumerate(parts, start=1):
            sheet.line(f"{number}.{part_number}. {part}", size=12, font="hebo", gap=10)
            sheet.prose(lorem, size=10)
            outline.append((2, f"{number}.{part_number}. {part}"))
    return outline


@pytest.mark.parametrize("turning", [True, False])
@pytest.mark.parametrize("stated", ["", "1. Puesta en marcha"])
def test_the_first_of_numbered_sections_is_no_title(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, turning: bool, stated: str
) -> None:
    outline = set_sections(sheet, lorem, turning=turning)
    sheet.document.set_metadata({"title": stated})
    document = parse(sheet.data(), "lavadora.pdf")
    assert headings(document) == outline
    assert document.title is None


def test_chapters_with_a_word_before_their_number_are_no_title(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    for number, title in (("I", "Plazos de entrega"), ("II", "Devoluciones"), ("III", "Garantías")):
        sheet.line(f"Capítulo {number}. {title}", size=16, font="hebo", gap=14)
        sheet.prose(lorem, size=10)
        sheet.turn()
    document = parse(sheet.data(), "tienda.pdf")
    assert [level for level, _ in headings(document)] == [1, 1, 1]
    assert document.title is None


def test_a_title_above_numbered_sections_stays(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.line("Manual de la lavadora", size=24, font="hebo")
    outline = set_sections(sheet, lorem)
    document = parse(sheet.data(), "lavadora.pdf")
    assert document.title == "Manual de la lavadora"
    assert headings(document) == [(1, "Manual de la lavadora"), *((level + 1, text) for level, text in outline)]


def test_a_title_that_begins_with_a_number_of_no_run_stays(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.line("1. Guía de la persona socia", size=22, font="hebo")
    for number in (1, 2, 3):
        sheet.line(f"{number}. Apartado", size=13, font="hebo", gap=14)
        sheet.prose(lorem, size=10)
    assert parse(sheet.data(), "socios.pdf").title == "1. Guía de la persona socia"


def test_chapters_below_a_title_of_one_word_are_no_part_of_it(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.heading("Manual", size=28)
    for chapter in ("Capítulo 1. Puesta en marcha", "Capítulo 2. Limpieza"):
        sheet.heading(chapter, size=20)
        sheet.prose(lorem)
    assert parse(sheet.data(), "a.pdf").title == "Manual"


def test_numbered_chapters_as_large_as_the_title_are_no_part_of_it(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.centred("Manual de calidad", size=18, font="hebo")
    for chapter in ("1. Compras", "2. Almacén"):
        sheet.heading(chapter, size=18)
        sheet.prose(lorem)
    assert parse(sheet.data(), "a.pdf").title == "Manual de calidad"


def test_print_as_large_as_the_title_further_down_is_no_part_of_it(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.heading("Plan de igualdad", size=20)
    sheet.heading("de la empresa", size=20)
    sheet.prose(lorem)
    sheet.heading("Medidas", size=20)
    sheet.prose(lorem)
    assert parse(sheet.data(), "a.pdf").title == "Plan de igualdad de la empresa"
