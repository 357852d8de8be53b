"""Headings of PDFs: told by relative size and style, labels and bookmarks, never by a fixed size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
Parse = Callable[..., ParsedDocument]


def test_a_document_in_large_print_keeps_its_text(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.heading("Plazos", size=18)
    for _ in range(4):
        sheet.prose(lorem, size=14)
    document = parse(sheet.data(), "grande.pdf")
    assert headings(document) == [(1, "Plazos")]
    assert document.text.count("La persona encargada revisa") == 4


def test_sizes_make_levels_and_paths(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.heading("Manual de tienda", size=24)
    sheet.heading("Devoluciones", size=16)
    sheet.prose(lorem)
    sheet.heading("Sin tique", size=13)
    sheet.prose(lorem)
    sheet.heading("Pedidos", size=16)
    sheet.prose(lorem)
    document = parse(sheet.data(), "manual.pdf")
    assert [section.path for section in document.sections[1:]] == [
        ("Manual de tienda",),
        ("Manual de tienda", "Devoluciones"),
        ("Manual de tienda", "Devoluciones", "Sin tique"),
        ("Manual de tienda", "Pedidos"),
    ]
    assert document.title == "Manual de tienda"


def test_bold_of_the_body_size_is_a_heading_only_alone(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.line("Cómo se reembolsa", font="hebo", gap=14)
    sheet.prose(lorem)
    sheet.line("El plazo es de", gap=8)
    sheet.page.insert_text((150, sheet.y - 14.3), "30 días", fontsize=11, fontname="hebo")
    sheet.page.insert_text((195, sheet.y - 14.3), "desde la compra en la tienda.", fontsize=11)
    sheet.prose("Todo este aviso está en negrita y sin embargo es una frase con su punto final.", font="hebo")
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Cómo se reembolsa")]


def test_a_decimal_number_needs_no_style(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    for heading in ("2.1 Alcance", "2.2 Responsables"):
        sheet.line(heading, gap=14)
        sheet.prose(lorem)
    sheet.prose("1. Este apartado numerado es un párrafo corriente y no un título del documento.")
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "2.1 Alcance"), (1, "2.2 Responsables")]


def test_legal_divisions_nest_by_rank_and_take_their_title(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.centred("TÍTULO I", gap=14)
    sheet.centred("Disposiciones generales", font="hebo", gap=4)
    sheet.centred("CAPÍTULO I", gap=14)
    sheet.centred("Objeto", font="hebo", gap=4)
    sheet.line("Artículo 1. Objeto de la ley.", font="hebo", gap=14)
    sheet.prose(lorem)
    sheet.line("Artículo 2. Ámbito.", font="hebo", gap=14)
    sheet.prose("Lo dispuesto en el artículo 5 de la Ley no se aplica. " + lorem)
    sheet.line("Disposición final única. Entrada en vigor.", font="hebo", gap=14)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "ley.pdf")) == [
        (1, "TÍTULO I Disposiciones generales"),
        (2, "CAPÍTULO I Objeto"),
        (3, "Artículo 1. Objeto de la ley."),
        (3, "Artículo 2. Ámbito."),
        (1, "Disposición final única. Entrada en vigor."),
    ]


def test_a_heading_on_two_lines_is_one(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.line("Procedimiento de recogida de productos", size=16, font="hebo")
    sheet.line("en mal estado", size=16, font="hebo")
    sheet.prose(lorem)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Procedimiento de recogida de productos en mal estado")]


def test_headings_without_body_stay(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.heading("Cierre", size=18)
    sheet.heading("Arqueo", size=14)
    sheet.prose(lorem)
    sheet.prose(lorem)
    sheet.heading("Anexos", size=18)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Cierre"), (2, "Arqueo"), (1, "Anexos")]


@pytest.mark.parametrize(
    "line",
    ["Los requisitos son:", "Tabla 3. Precios del pan", "(continúa en la página siguiente)", "• Harina de fuerza"],
)
def test_what_stands_alone_in_bold_is_not_always_a_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, line: str
) -> None:
    sheet.prose(lorem)
    sheet.line(line, font="hebo", gap=14)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_a_bookmark_makes_a_heading_of_plain_print(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.prose(lorem)
    sheet.line("Capítulo primero sobre plazos", gap=10)
    sheet.prose(lorem)
    sheet.line("Excepciones", gap=10)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == []
    sheet.document.set_toc([[1, "Capítulo primero sobre plazos", 1], [2, "Excepciones", 1]])
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Capítulo primero sobre plazos"), (2, "Excepciones")]


def test_contents_are_kept_but_open_no_section(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, blocks_of: BlocksOf
) -> None:
    sheet.heading("Índice", size=16)
    for number, title in enumerate(("Bienvenida", "Horarios", "Vacaciones", "Uniforme"), start=1):
        sheet.line(f"{number}. {title} {'.' * 60} {number + 1}")
    sheet.turn()
    for number, title in enumerate(("Bienvenida", "Horarios", "Vacaciones", "Uniforme"), start=1):
        sheet.heading(f"{number}. {title}", size=16)
        sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    assert [heading for _, heading in headings(document)] == [
        "1. Bienvenida",
        "2. Horarios",
        "3. Vacaciones",
        "4. Uniforme",
    ]
    (contents,) = blocks_of(document, BlockKind.CONTENTS)
    assert contents.startswith("Índice\n1. Bienvenida")
    assert contents.count("\n") == 4


def test_a_larger_title_may_end_in_a_colon(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.heading("1. Establecer un enfoque de cartera:", size=12)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "1. Establecer un enfoque de cartera:")]


def test_a_short_bold_sentence_with_space_above_heads_what_follows(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.prose(lorem)
    sheet.line("Reporte privado de vulnerabilidades.", font="hebo", gap=14)
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Reporte privado de vulnerabilidades.")]


def test_listings_do_not_make_the_text_between_them_large(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    for _ in range(3):
        sheet.prose("const valor = calcular(entrada, salida, opciones); " * 3, size=8, font="cour")
        sheet.prose("Es muy parecido a lo anterior, pero más corto", size=11)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_the_bold_head_of_a_table_without_rules_is_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.prose(lorem)
    sheet.y += 14
    for first, second, font in (("Término", "Significado", "hebo"), ("Albarán", "Lista de lo entregado", "helv")):
        sheet.page.insert_text((72, sheet.y), first, fontsize=11, fontname=font)
        sheet.page.insert_text((250, sheet.y), second, fontsize=11, fontname=font)
        sheet.y += 14.3
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_a_wrapped_title_whose_second_line_is_in_capitals_by_chance_stays_whole(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.heading("Ley 11909 de cómputo de servicios a", size=22)
    sheet.line("EFECTOS", size=22, font="hebo")
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Ley 11909 de cómputo de servicios a EFECTOS")]


def test_signatures_in_capitals_at_the_end_are_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.heading("Plazos")
    sheet.prose(lorem)
    sheet.line("LACALLE HERRERA - RICARDO REILLY", gap=30)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Plazos")]


@pytest.mark.parametrize("place", ["left", "centred"])
def test_the_plain_line_below_a_label_is_its_name(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, place: str
) -> None:
    set_line = sheet.centred if place == "centred" else sheet.line
    sheet.heading("Ordenanza de terrazas", size=16)
    for number, name in (("I", "Disposiciones generales"), ("II", "De las licencias")):
        set_line(f"TÍTULO {number}", gap=12)
        set_line(name, gap=2)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf"))[1:] == [
        (2, "TÍTULO I Disposiciones generales"),
        (2, "TÍTULO II De las licencias"),
    ]


def test_the_text_below_a_label_stays_text(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    for number, text in enumerate((lorem, "No se admiten.", "Se pide:", "- un vale de la tienda"), start=1):
        sheet.line(f"Artículo {number}", font="hebo", gap=12)
        sheet.prose(text)
        sheet.prose(lorem)
    assert [heading for _, heading in headings(parse(sheet.data(), "a.pdf"))] == [
        f"Artículo {number}" for number in range(1, 5)
    ]


def test_a_bold_question_over_two_lines_is_a_heading(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    long = (
        "¿Puedo cambiar mi turno con un compañero si la persona responsable no está disponible ese día y la tienda "
        "tiene que abrir?"
    )
    sheet.heading("Preguntas", size=16)
    for question in ("¿Cómo pido vacaciones?", long, "¿Qué hago si llego tarde?"):
        sheet.prose(question, font="hebo", gap=8)
        sheet.prose(lorem * 2, gap=4)
    assert [heading for _, heading in headings(parse(sheet.data(), "a.pdf"))] == [
        "Preguntas",
        "¿Cómo pido vacaciones?",
        long,
        "¿Qué hago si llego tarde?",
    ]


@pytest.mark.parametrize("ruled", [False, True])
def test_sections_of_a_list_of_prices_stand_over_its_small_tables(
    parse: Parse, sheet: Any, headings: Outline, blocks_of: BlocksOf, ruled: bool
) -> None:
    sheet.line("Tarifa de precios 2026", size=20, font="hebo")
    for section in ("Panadería", "Bollería", "Bebidas frías"):
        sheet.line(section, size=13, font="hebo", gap=14)
        for number in range(12):
            for x, cell in ((72, f"REF-{number:02}"), (150, f"Pieza surtida {number}"), (330, f"{number + 1},50 €")):
                sheet.page.insert_text((x, sheet.y), cell, fontsize=9)
            if ruled:
                sheet.page.draw_rect((70, sheet.y - 10, 140, sheet.y + 3))
                sheet.page.draw_rect((140, sheet.y - 10, 320, sheet.y + 3))
                sheet.page.draw_rect((320, sheet.y - 10, 420, sheet.y + 3))
            sheet.y += 13
    document = parse(sheet.data(), "a.pdf")
    assert [heading for _, heading in headings(document)] == [
        "Tarifa de precios 2026",
        "Panadería",
        "Bollería",
        "Bebidas frías",
    ]
    assert len(blocks_of(document, BlockKind.TABLE)) == 3


@pytest.mark.parametrize("size", [9, 12])
@pytest.mark.parametrize("font", ["helv", "hebo"])
def test_titles_of_tables_of_few_rows_are_headings(
    parse: Parse, sheet: Any, headings: Outline, size: float, font: str
) -> None:
    sheet.line("Lista de precios 2026", size=18, font="hebo")
    for section in ("Panadería", "Bollería", "Bebidas frías"):
        sheet.line(section, size=size + 3, font=font, gap=20)
        for row in (("Producto", "Precio"), ("Surtido", "3,50 €"), ("Pieza suelta", "0,90 €")):
            for x, cell in zip((72, 330), row, strict=True):
                style = "hebo" if row[0] == "Producto" else "helv"
                sheet.page.insert_text((x, sheet.y), cell, fontsize=size, fontname=style)
            sheet.page.draw_rect((70, sheet.y - 11, 320, sheet.y + 4))
            sheet.page.draw_rect((320, sheet.y - 11, 420, sheet.y + 4))
            sheet.y += 15
    document = parse(sheet.data(), "a.pdf")
    assert [heading for _, heading in headings(document)] == [
        "Lista de precios 2026",
        "Panadería",
        "Bollería",
        "Bebidas frías",
    ]


def test_notes_below_tables_in_small_print_are_no_headings(parse: Parse, sheet: Any, headings: Outline) -> None:
    titles = ("Ventas por tienda", "Ventas por turno", "Devoluciones por tienda", "Devoluciones por turno")
    for title in titles:
        sheet.line(title, size=10, font="hebo", gap=24)
        for number in range(4):
            for x, cell in ((72, f"Tienda del barrio número {number}"), (330, f"{number + 1},50")):
                sheet.page.insert_text((x, sheet.y), cell, fontsize=9)
            sheet.page.draw_rect((70, sheet.y - 10, 320, sheet.y + 4))
            sheet.page.draw_rect((320, sheet.y - 10, 420, sheet.y + 4))
            sheet.y += 14
        sheet.line("Datos del trimestre", size=10, gap=10)
        sheet.line("Cifras en miles", size=10, gap=4)
    assert [text for _, text in headings(parse(sheet.data(), "a.pdf"))] == list(titles)


def test_lines_of_a_narrow_leaflet_beside_small_print_in_tables_are_no_headings(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.prose(lorem, size=12, width=200)
    for number in range(12):
        for x, cell in ((72, f"Pieza surtida {number}"), (330, f"{number + 1},50 euros la unidad")):
            sheet.page.insert_text((x, sheet.y), cell, fontsize=8)
        sheet.page.draw_rect((70, sheet.y - 9, 320, sheet.y + 3))
        sheet.page.draw_rect((320, sheet.y - 9, 480, sheet.y + 3))
        sheet.y += 12
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_plain_numbers_that_count_on_are_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    for number, name in enumerate(("Alcance", "Referencias", "Definiciones"), start=1):
        sheet.line(f"{number} {name}", gap=14)
        sheet.prose(lorem * 2)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "1 Alcance"), (1, "2 Referencias"), (1, "3 Definiciones")]


def test_steps_are_no_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline, blocks_of: BlocksOf) -> None:
    sheet.heading("Apertura")
    sheet.prose(lorem)
    for number, step in enumerate(("Abrir la puerta", "Encender las luces", "Contar el fondo"), start=1):
        sheet.line(f"{number}. {step}", gap=8)
    sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    assert headings(document) == [(1, "Apertura")]
    assert len(blocks_of(document, BlockKind.LIST)) == 1


BLUE, GREY = (0.0, 0.2, 0.6), (0.4, 0.4, 0.4)


def test_titles_told_by_their_colour_are_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    titles = ("Apertura de la tienda", "Cierre de la caja", "¿Qué hago si falta un pedido?")
    for title in titles:
        sheet.line(title, colour=BLUE, gap=16)
        sheet.prose(lorem * 2, gap=2)
    assert [text for _, text in headings(parse(sheet.data(), "a.pdf"))] == list(titles)


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("Publicado por la dirección de tienda", GREY),
        ("Recuerda lavarte las manos antes de empezar.", BLUE),
        ("Lleva siempre:", BLUE),
        ("personas@panaderia.example", BLUE),
        ("https://panaderia.example/normas", BLUE),
    ],
)
def test_lines_in_grey_sentences_and_addresses_in_colour_are_no_headings(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, text: str, colour: tuple[float, float, float]
) -> None:
    sheet.prose(lorem * 2)
    sheet.line(text, colour=colour, gap=16)
    sheet.prose(lorem * 2, gap=2)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_links_in_colour_are_no_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.prose(lorem * 2)
    sheet.line("Guía de bienvenida", colour=BLUE, gap=16)
    area = pymupdf.Rect(72, sheet.y - 28, 300, sheet.y)
    sheet.page.insert_link({"kind": pymupdf.LINK_URI, "from": area, "uri": "https://panaderia.example/guia"})
    sheet.prose(lorem * 2, gap=2)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_a_paragraph_in_colour_holds_no_heading(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.prose(lorem * 2)
    sheet.y += 16
    for text in ("Avisa siempre a tu encargada", "cuando falte género en la cámara", "o se rompa un envase"):
        sheet.line(text, colour=BLUE)
    sheet.prose(lorem * 2)
    assert headings(parse(sheet.data(), "a.pdf")) == []


def test_short_answers_make_no_questions_doubtful(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.heading("Preguntas frecuentes", size=20)
    questions = [f"{number}. ¿Cómo se pide el permiso número {number}?" for number in range(1, 11)]
    for question in questions:
        sheet.line(question, font="hebo", gap=10)
        sheet.prose(lorem[:105], gap=6)
    assert headings(parse(sheet.data(), "a.pdf"))[1:] == [(2, question) for question in questions]


def test_clauses_of_contracts_are_numbered_by_ordinals(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.centred("EXPONEN", font="hebo", gap=10)
    sheet.prose(lorem)
    sheet.centred("CLÁUSULAS", font="hebo", gap=10)
    clauses = ["PRIMERA.- Objeto.", "SEGUNDA.- Duración.", "TERCERA.- Renta."]
    for clause in clauses:
        width = pymupdf.get_text_length(f"{clause} ", "hebo", 11)
        sheet.y += 10
        sheet.page.insert_text((72, sheet.y), clause, fontname="hebo", fontsize=11)
        sheet.line("La persona arrendataria se obliga a lo que aquí se dice.", x=72 + width)
        sheet.prose(lorem, gap=0)
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "EXPONEN"),
        (1, "CLÁUSULAS"),
        *((2, clause) for clause in clauses),
    ]
