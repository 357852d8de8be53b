"""Which heading stands under which: titles of documents and laws, annexes, names of functions, what bookmarks
leave out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillnet_common.documents import ParsedDocument

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]


def test_the_first_of_several_headings_set_alike_is_no_title(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    for title, size in (("Referencia", 18), ("Parámetros", 13), ("Uso", 18), ("Ejemplos", 13)):
        sheet.heading(title, size=size)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "Referencia"),
        (2, "Parámetros"),
        (1, "Uso"),
        (2, "Ejemplos"),
    ]


def test_the_name_of_a_law_stands_above_its_articles(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    name = "Ley 7/2015, de 30 de marzo, de ordenación de los obradores artesanos"
    sheet.centred(name, font="hebo")
    for number, title in enumerate(("Objeto", "Plazos", "Tasas"), 1):
        sheet.line(f"Artículo {number}. {title}.", font="hebo", gap=14)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "ley.pdf")) == [
        (1, name),
        (2, "Artículo 1. Objeto."),
        (2, "Artículo 2. Plazos."),
        (2, "Artículo 3. Tasas."),
    ]


def test_a_long_bold_title_opens_the_document(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    title = (
        "Ley 18064 de creación del impuesto adicional al impuesto a las transmisiones patrimoniales sobre los "
        "inmuebles rurales que se destinan a la producción artesana de pan"
    )
    sheet.prose(title, font="hebo")
    for number in range(1, 4):
        sheet.line(f"Artículo {number}.", font="hebo", gap=14)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "ley.pdf"))[0] == (1, title)


def test_the_name_of_a_function_is_a_heading_and_a_listing_none(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.heading("Referencia", size=16)
    sheet.line("crearContexto(valor)", size=12.5, font="cobo", gap=14)
    sheet.prose(lorem)
    sheet.line("const contexto = crearContexto(0)", size=9, font="cobo", gap=14)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Referencia"), (2, "crearContexto(valor)")]


def test_an_annex_that_bookmarks_name_stands_beside_the_titles(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    titles = ["TÍTULO I", "Artículo 1. Objeto.", "Artículo 2. Plazos.", "Disposición final única. Vigor."]
    for title in titles:
        sheet.line(title, font="hebo", gap=14)
        sheet.prose(lorem)
    sheet.centred("ANEXO", gap=14)
    sheet.centred("Definiciones", font="hebo", gap=2)
    sheet.prose(lorem)
    sheet.document.set_toc([*([1, title, 1] for title in titles), [1, "ANEXO. Definiciones", 1]])
    assert headings(parse(sheet.data(), "ley.pdf"))[-2:] == [
        (1, "Disposición final única. Vigor."),
        (1, "ANEXO Definiciones"),
    ]


def test_numbered_headings_go_under_the_bookmarks_that_stop_above_them(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    """`2.1.1` proves by its number where it stands; a bold word does not."""
    marked = [(1, "1 Recepción"), (1, "2 Horno"), (2, "2.1 Encendido"), (2, "2.2 Apagado"), (1, "3 Tienda")]
    below = {"2.1 Encendido": ["2.1.1 Gas", "2.1.2 Leña"], "3 Tienda": ["3.1 Apertura"]}
    for level, title in marked:
        sheet.heading(title, size=16 if level == 1 else 14)
        sheet.line("Muy importante", font="hebo", gap=14)
        sheet.prose(lorem)
        for deeper in below.get(title, []):
            sheet.heading(deeper, size=12)
            sheet.prose(lorem)
    sheet.document.set_toc([[level, title, 1] for level, title in marked])
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "1 Recepción"),
        (1, "2 Horno"),
        (2, "2.1 Encendido"),
        (3, "2.1.1 Gas"),
        (3, "2.1.2 Leña"),
        (2, "2.2 Apagado"),
        (1, "3 Tienda"),
        (2, "3.1 Apertura"),
    ]


def test_articles_go_under_the_chapters_that_bookmarks_name(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    chapters = ["CAPÍTULO I", "CAPÍTULO II", "CAPÍTULO III", "CAPÍTULO IV"]
    for number, chapter in enumerate(chapters, 1):
        sheet.line(chapter, font="hebo", gap=14)
        sheet.line(f"Artículo {number}. Plazos.", font="hebo", gap=14)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, chapter, 1] for chapter in chapters])
    assert headings(parse(sheet.data(), "a.pdf"))[:4] == [
        (1, "CAPÍTULO I"),
        (2, "Artículo 1. Plazos."),
        (1, "CAPÍTULO II"),
        (2, "Artículo 2. Plazos."),
    ]


def test_numerals_that_count_on_are_headings_with_letters_below(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.prose(lorem)
    for title, parts in (
        ("I. Introducción", ()),
        ("II. Método", ("A. Muestra", "B. Medida")),
        ("III. Resultados", ()),
    ):
        sheet.centred(title, gap=12)
        sheet.prose(lorem * 2)
        for part in parts:
            sheet.line(part, font="heit", gap=12)
            sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "I. Introducción"),
        (1, "II. Método"),
        (2, "A. Muestra"),
        (2, "B. Medida"),
        (1, "III. Resultados"),
    ]


def test_a_list_with_roman_numerals_has_no_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.prose(lorem)
    for item in ("I. Nombre del obrador", "II. Domicilio", "III. Plazo de entrega", "IV. Firma"):
        sheet.line(item, gap=6)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == []
