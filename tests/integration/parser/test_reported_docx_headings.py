"""Headings of Word documents that readers have been reported to miss, invent or choke on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from skillnet_common.documents import ParsedDocument

from .packages import data_of

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]


@pytest.fixture
def word() -> Any:
    return docx.Document()


def rename(style: Any, name: str) -> None:
    """python-docx writes its own names; other programs write theirs."""
    style.element.find("{*}name").set(next(iter(style.element.find("{*}name").attrib)), name)


@pytest.mark.parametrize(
    "name",
    ["heading 3", "Heading 3", "HEADING 3", "Título 3", "titulo 3", "Titre 3", "Überschrift 3", "Encabezado 3"],
)
def test_names_of_heading_styles(parse: Parse, word: Any, headings: Outline, name: str) -> None:
    style = word.styles.add_style("Ttulo3", WD_STYLE_TYPE.PARAGRAPH)
    rename(style, name)
    word.add_paragraph("Plazos").style = style
    assert headings(parse(data_of(word), "a.docx")) == [(3, "Plazos")]


@pytest.mark.parametrize("name", ["Heading", "heading", "Heading Sin Número", "Heading X", "Subheading 3", "Título"])
def test_names_without_a_level_take_no_number(parse: Parse, word: Any, name: str) -> None:
    word.add_heading("Plazos", 1)
    rename(word.styles.add_style("Propio", WD_STYLE_TYPE.PARAGRAPH), name)
    word.add_paragraph("Texto del apartado.", style=name)
    document = parse(data_of(word), "a.docx")
    assert document.text == "Plazos\n\nTexto del apartado."
    assert all(section.level <= 1 for section in document.sections)


def test_a_level_is_taken_through_the_chain_of_styles_unless_stated(
    parse: Parse, word: Any, headings: Outline
) -> None:
    style = word.styles["Heading 2"]
    for name in ("Apartado", "Apartado de la casa", "Apartado azul"):
        below, style = style, word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        style.base_style = below
    level = "<w:outlineLvl {} w:val='{}'/>"
    word.add_paragraph("Heredado", style="Apartado azul")
    word.add_paragraph("Directo", style="Apartado azul")._p.get_or_add_pPr().append(
        parse_xml(level.format(nsdecls("w"), 0))
    )
    word.add_paragraph("Rebajado a texto", style="Apartado azul")._p.get_or_add_pPr().append(
        parse_xml(level.format(nsdecls("w"), 9))
    )
    word.add_paragraph("Sin estilo")._p.get_or_add_pPr().append(parse_xml(level.format(nsdecls("w"), 3)))
    document = parse(data_of(word), "a.docx")
    assert headings(document) == [(2, "Heredado"), (1, "Directo"), (4, "Sin estilo")]
    assert "Rebajado a texto" in document.text


def test_styles_based_on_each_other_in_a_ring(parse: Parse, word: Any) -> None:
    one, other = (word.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH) for name in ("Uno", "Otro"))
    one.base_style, other.base_style = other, one
    word.add_paragraph("Texto.", style="Uno")
    assert parse(data_of(word), "a.docx").text == "Texto."


def test_the_title_stands_apart_from_the_headings_and_deep_levels_stay(
    parse: Parse, word: Any, headings: Outline
) -> None:
    word.add_paragraph("Portada")
    word.add_heading("Manual de tienda", 0)
    for level in (1, 7, 8, 9):
        word.add_heading(f"Nivel {level}", level)
    document = parse(data_of(word), "a.docx")
    assert document.title == "Manual de tienda"
    assert headings(document)[1:] == [(1, "Nivel 1"), (7, "Nivel 7"), (8, "Nivel 8"), (9, "Nivel 9")]
    assert all("Manual de tienda" not in section.path[:-1] for section in document.sections)
