"""Reading order, running lines, paragraphs, notes, tables and places of lines in PDFs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]
Parse = Callable[..., ParsedDocument]

COLUMN = 200.0
LEFT_X, RIGHT_X = 72.0, 310.0


def wrap(text: str, width: float, size: float = 11) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pymupdf.get_text_length(longer, "helv", size) > width:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


def test_columns_set_row_by_row_are_read_column_by_column(parse: Parse, sheet: Any, lorem: str) -> None:
    left = wrap("Izquierda: " + lorem * 2, COLUMN)
    right = wrap("Derecha: " + lorem * 2, COLUMN)
    sheet.line("Folleto de encargos para las fiestas de la ciudad y sus pueblos vecinos", size=13)
    for one, other in zip(left, right, strict=False):
        sheet.page.insert_text((LEFT_X, sheet.y), one, fontsize=11)
        sheet.page.insert_text((RIGHT_X, sheet.y), other, fontsize=11)
        sheet.y += 14.3
    sheet.line("Este aviso ocupa todo el ancho de la hoja y cierra las dos columnas de arriba.", size=11, gap=10)
    text = parse(sheet.data(), "folleto.pdf").text
    order = [text.index(word) for word in ("Folleto", "Izquierda", "Derecha", "Este aviso")]
    assert order == sorted(order)
    assert " ".join(left[:3]) in text
    assert " ".join(right[:3]) in text


def test_labels_beside_their_text_are_no_columns(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(1, 6):
        sheet.page.insert_text((72, sheet.y), f"{number}.", fontsize=11)
        for line in wrap(lorem, 400):
            sheet.page.insert_text((110, sheet.y), line, fontsize=11)
            sheet.y += 14.3
        sheet.y += 8
    text = parse(sheet.data(), "a.pdf").text
    assert [f"{number}. La persona encargada" in text for number in range(1, 6)] == [True] * 5


def test_headers_footers_and_page_numbers_are_left_out(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(1, 6):
        sheet.header("Manual de tienda · versión 7")
        sheet.header(f"Página {number} de 5", y=810)
        sheet.prose(f"Contenido {number}. {lorem}")
        if number < 5:
            sheet.turn()
    text = parse(sheet.data(), "a.pdf").text
    assert "versión 7" not in text
    assert "Página" not in text
    assert [f"Contenido {number}." in text for number in range(1, 6)] == [True] * 5


def test_titles_at_the_head_of_each_page_are_no_headers(
    parse: Parse, sheet: Any, lorem: str, headings: Callable[[ParsedDocument], list[tuple[int, str]]]
) -> None:
    for number in (3, 1, 4, 2, 5):
        sheet.line(f"Ficha {number}", size=16, font="hebo")
        sheet.prose(lorem)
        sheet.turn()
    assert len(headings(parse(sheet.data(), "a.pdf"))) == 5


def test_left_and_right_headers_are_left_out(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(1, 9):
        sheet.header("Seguridad" if number % 2 else "Panadería", x=72 if number % 2 else 470)
        sheet.prose(f"Contenido {number}. {lorem}")
        if number < 8:
            sheet.turn()
    text = parse(sheet.data(), "a.pdf").text
    assert "Seguridad" not in text
    assert "Panadería" not in text


def test_a_line_of_the_margin_that_does_not_repeat_stays(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.header("Aviso urgente sobre el agua", y=40, size=12)
    for number in range(1, 6):
        sheet.prose(f"Contenido {number}. {lorem}")
        sheet.turn()
    sheet.header("El 15 de mayo se sustituyen las tuberías", y=805, size=11)
    text = parse(sheet.data(), "a.pdf").text
    assert "Aviso urgente sobre el agua" in text
    assert "El 15 de mayo" in text


def test_two_pages_with_the_same_footer_lose_it_only_when_it_stands_apart(
    parse: Parse, sheet: Any, lorem: str
) -> None:
    for last in (False, True):
        sheet.prose(lorem)
        sheet.header("Encargos: 924 000 150", y=815)
        if not last:
            sheet.turn()
    assert "924 000 150" not in parse(sheet.data(), "a.pdf").text


def test_a_paragraph_goes_on_over_lines_and_pages(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    first = "El plazo de devolución empieza a contar el día en que se entrega el producto y no el día en que se paga"
    sheet.y = 700
    sheet.prose(first)
    sheet.turn()
    sheet.prose("porque así lo dispone la política de la casa. Fin.")
    sheet.prose("Otro párrafo.")
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.PARAGRAPH) == [
        f"{first} porque así lo dispone la política de la casa. Fin.",
        "Otro párrafo.",
    ]
    assert {line.box.page for line in document.lines} == {1, 2}


def test_a_new_paragraph_without_space_is_told_by_the_short_line_and_the_indent(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for opening in ("Uno.", "Dos.", "Tres."):
        lines = wrap(f"{opening} {lorem[:-40]}.", 450)
        for line in lines:
            sheet.line(line)
    assert [text[:4] for text in blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.PARAGRAPH)] == [
        "Uno.",
        "Dos.",
        "Tres",
    ]


@pytest.mark.parametrize(
    ("above", "below", "elsewhere", "expected"),
    [
        ("la política de devolu-", "ciones de la tienda", "", "política de devoluciones de"),
        ("un proceso físico-", "químico de la masa", "", "físico-químico"),
        ("the provider is in-", "network at all times", "An in-network doctor.", "is in-network at"),
        ("durante los años 2024-", "2025 en la tienda", "", "2024-2025"),
        ("la señora García-", "Pérez firma el acta", "", "García-Pérez"),
        ("un descanso de fin-de-", "semana al mes", "", "fin-de-semana"),
        ("la capacidad de estable\u00ad", "cimiento del obrador", "", "establecimiento"),
    ],
)
def test_words_broken_at_the_end_of_a_line(
    parse: Parse, sheet: Any, above: str, below: str, elsewhere: str, expected: str
) -> None:
    if elsewhere:
        sheet.prose(elsewhere)
    sheet.line(f"En este aviso se explica con el detalle que hace falta {above}", gap=10)
    sheet.line(f"{below}, como se dijo en su momento a todo el personal de la casa.")
    assert expected in parse(sheet.data(), "a.pdf").text


def test_ligatures_come_out_as_letters(parse: Parse, sheet: Any) -> None:
    sheet.page.insert_htmlbox((72, 72, 500, 200), "<p>La o\ufb01cina de la \ufb02orista queda cerca.</p>")
    assert "La oficina de la florista queda cerca." in parse(sheet.data(), "a.pdf").text


def test_footnotes_do_not_break_the_sentence_and_are_kept(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for _ in range(4):
        sheet.prose(lorem)
    sheet.y = 690
    sheet.prose("El reglamento que se cita en este apartado del manual se aplica a todas las tiendas de la empresa y")
    sheet.line("1 Reglamento (UE) 1169/2011, de 25 de octubre.", size=8, gap=30)
    sheet.turn()
    sheet.prose("también al obrador central de Badajoz.")
    document = parse(sheet.data(), "a.pdf")
    assert "empresa y también al obrador" in document.text
    assert blocks_of(document, BlockKind.NOTE) == ["1 Reglamento (UE) 1169/2011, de 25 de octubre."]


def test_a_footnote_under_the_first_of_two_columns_does_not_break_the_sentence(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    left = wrap("La memoria cuenta lo que se hizo en cada tienda. " + lorem * 9 + " Esto alcanza", COLUMN)
    right = wrap("también al obrador central de la empresa. " + lorem * 9, COLUMN)
    for x, lines in ((LEFT_X, left), (RIGHT_X, right)):
        for at, line in enumerate(lines):
            sheet.page.insert_text((x, 90 + 14.3 * at), line, fontsize=11)
    for at, line in enumerate(("1 Véase el anexo de la memoria del año", "pasado, aprobada en marzo.")):
        sheet.page.insert_text((LEFT_X, 770 + 10 * at), line, fontsize=8)
    document = parse(sheet.data(), "a.pdf")
    assert "Esto alcanza también al obrador" in document.text
    note = "1 Véase el anexo de la memoria del año pasado, aprobada en marzo."
    assert blocks_of(document, BlockKind.NOTE) == [note]


def test_small_print_of_a_column_above_more_text_is_no_footnote(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    left = wrap(lorem * 6, COLUMN)
    for x in (LEFT_X, RIGHT_X):
        for at, line in enumerate(left):
            sheet.page.insert_text((x, 90 + 14.3 * at), line, fontsize=11)
    bottom = 90 + 14.3 * len(left)
    sheet.page.insert_text((LEFT_X, bottom), "1 kilo de harina rinde cuatro barras.", fontsize=8)
    sheet.y = bottom + 40
    sheet.prose("Este párrafo va de lado a lado de la hoja, por debajo de las dos columnas de arriba. " + lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.NOTE) == []


def draw_table(sheet: Any, rows: list[list[str]], *, widths: list[float], height: float = 22) -> None:
    x_edges = [72.0]
    for width in widths:
        x_edges.append(x_edges[-1] + width)
    top = sheet.y
    for index in range(len(rows) + 1):
        sheet.page.draw_line((x_edges[0], top + index * height), (x_edges[-1], top + index * height))
    for x in x_edges:
        sheet.page.draw_line((x, top), (x, top + len(rows) * height))
    for index, row in enumerate(rows):
        for x, cell in zip(x_edges, row, strict=False):
            sheet.page.insert_text((x + 4, top + index * height + 15), cell, fontsize=10)
    sheet.y = top + len(rows) * height + 20


def test_a_ruled_table_becomes_markdown_in_its_place(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    sheet.prose("Antes. " + lorem)
    sheet.y += 10
    draw_table(sheet, [["Producto", "Plazo"], ["Pan", "El mismo día"], ["Tarta", "24 horas"]], widths=[120, 150])
    sheet.prose("Después. " + lorem)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == [
        "| Producto | Plazo |\n| --- | --- |\n| Pan | El mismo día |\n| Tarta | 24 horas |"
    ]
    assert document.text.index("Antes.") < document.text.index("| Producto") < document.text.index("Después.")
    assert document.text.count("24 horas") == 1


def test_a_table_over_two_pages_is_one(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    sheet.y = 700
    draw_table(sheet, [["Código", "Precio"], ["PAN-001", "0,95"]], widths=[120, 150])
    sheet.turn()
    draw_table(sheet, [["Código", "Precio"], ["PAN-002", "1,25"]], widths=[120, 150])
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE) == [
        "| Código | Precio |\n| --- | --- |\n| PAN-001 | 0,95 |\n| PAN-002 | 1,25 |"
    ]


def test_a_box_around_a_paragraph_is_no_table(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    sheet.page.draw_rect((60, 80, 540, 140))
    sheet.page.draw_rect((64, 84, 536, 136))
    sheet.prose(lorem)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == []
    assert "La persona encargada" in document.text


def test_every_line_has_its_true_place(parse: Parse, sheet: Any) -> None:
    sheet.page.insert_text((119, 421), "A media altura, a un quinto del ancho.", fontsize=11)
    document = parse(sheet.data(), "a.pdf")
    (line,) = document.lines
    assert document.text[line.start : line.end] == "A media altura, a un quinto del ancho."
    assert line.box.page == 1
    assert line.box.x0 == pytest.approx(0.2, abs=0.005)
    assert line.box.y0 < 0.5 < line.box.y1
    assert line.box.y1 - line.box.y0 < 0.025


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_places_are_of_the_page_as_seen(parse: Parse, rotation: int) -> None:
    """Text written sideways on a turned page, so that a reader sees it upright near the top left."""
    document = pymupdf.open()
    page = document.new_page(width=595, height=842)
    page.set_rotation(rotation)
    for row in range(3):
        point = pymupdf.Point(60, 60 + 16 * row) * page.derotation_matrix
        page.insert_text(point, f"Renglón número {row} de la hoja girada", fontsize=11, rotate=rotation)
    parsed = parse(document.tobytes(), "a.pdf")
    order = [parsed.text.index(f"número {row}") for row in range(3)]
    assert order == sorted(order)
    first = parsed.lines[0].box
    assert (first.x0, first.y0) < (0.15, 0.15)
    assert first.x1 - first.x0 > first.y1 - first.y0


def test_places_respect_the_crop_box(parse: Parse, sheet: Any) -> None:
    sheet.page.insert_text((200, 300), "Dentro del recorte", fontsize=11)
    sheet.page.set_cropbox(pymupdf.Rect(190, 250, 490, 550))
    (line,) = parse(sheet.data(), "a.pdf").lines
    assert line.box.x0 == pytest.approx(10 / 300, abs=0.01)
    assert line.box.y1 == pytest.approx(50 / 300, abs=0.02)


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_box_covers_its_word_on_a_turned_and_cropped_page(parse: Parse, sheet: Any, rotation: int) -> None:
    sheet.page.set_cropbox(pymupdf.Rect(60, 80, 460, 680))
    sheet.page.insert_text((50, 120), "La palabra alcaravea de este renglón", fontsize=11)
    sheet.page.insert_text((50, 400), "Otro renglón mucho más abajo", fontsize=11)
    sheet.page.set_rotation(rotation)
    (word,) = (rect * sheet.page.rotation_matrix for rect in sheet.page.search_for("alcaravea"))
    document = parse(sheet.data(), "a.pdf")
    (box,) = (line.box for line in document.lines if "alcaravea" in document.text[line.start : line.end])
    width, height = sheet.page.rect.width, sheet.page.rect.height
    assert box.x0 * width <= word.x0 + 1 < word.x1 - 1 <= box.x1 * width
    assert box.y0 * height <= word.y0 + 2 < word.y1 - 2 <= box.y1 * height
    assert (box.x1 - box.x0) * (box.y1 - box.y0) < 0.02


def test_sections_carry_the_pages_of_their_own_lines(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.heading("Uno")
    sheet.prose(lorem)
    sheet.turn()
    sheet.heading("Dos")
    sheet.prose(lorem)
    sheet.turn()
    sheet.prose("Sigue el apartado dos. " + lorem)
    document = parse(sheet.data(), "a.pdf")
    assert [(section.heading, section.page_start, section.page_end) for section in document.sections[1:]] == [
        ("Uno", 1, 1),
        ("Dos", 2, 3),
    ]
    assert (document.page_count, document.page_count_estimated) == (3, False)


def test_page_labels_are_the_printed_numbers(parse: Parse, sheet: Any, lorem: str) -> None:
    for _ in range(3):
        sheet.prose(lorem)
        sheet.turn()
    sheet.prose(lorem)
    sheet.document.set_page_labels(
        [{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}, {"startpage": 2, "style": "D"}]
    )
    assert parse(sheet.data(), "a.pdf").page_labels == ("i", "ii", "1", "2")


def test_list_items_are_lines_of_one_block(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    sheet.prose("Se necesita:")
    for item in ("harina de fuerza y agua a la temperatura que indica la ficha de cada masa", "sal", "levadura"):
        sheet.prose(f"- {item}", gap=4, hanging=9, width=300)
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.LIST) == [
        "- harina de fuerza y agua a la temperatura que indica la ficha de cada masa\n- sal\n- levadura"
    ]


def test_items_of_a_list_are_indented_by_their_depth(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    sheet.prose("Antes de abrir:")
    for x, item in (
        (80, "1. Encender las luces"),
        (104, "a) de la tienda"),
        (104, "b) del obrador, cuyo cuadro está detrás de la puerta que da al patio de la entrada"),
        (128, "- menos las del patio"),
        (80, "2. Contar el fondo"),
        (104, "a) billetes"),
    ):
        sheet.prose(item, x=x, gap=3, hanging=14, width=330)
    sheet.prose(lorem)
    assert blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.LIST) == [
        "1. Encender las luces\n  a) de la tienda\n"
        "  b) del obrador, cuyo cuadro está detrás de la puerta que da al patio de la entrada\n"
        "    - menos las del patio\n2. Contar el fondo\n  a) billetes"
    ]


def test_numbers_set_flush_right_are_of_one_depth(parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf) -> None:
    sheet.prose("Pasos:")
    for number in range(8, 12):
        label = f"{number}."
        width = pymupdf.get_text_length(label, "helv", 11)
        sheet.y += 3
        sheet.line(f"{label} Se revisa la cámara número {number}", x=100 - width)
    sheet.prose(lorem)
    (found,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.LIST)
    assert found.split("\n") == [f"{number}. Se revisa la cámara número {number}" for number in range(8, 12)]


def test_the_title_is_the_largest_print_or_a_stated_one_that_the_page_repeats(
    parse: Parse, sheet: Any, lorem: str
) -> None:
    sheet.line("Espiga", size=30)
    sheet.line("Plan de salud", size=20, gap=10)
    sheet.prose(lorem)
    assert parse(sheet.data(), "a.pdf").title == "Espiga Plan de salud"
    sheet.document.set_metadata({"title": "Microsoft Word - borrador.docx"})
    assert parse(sheet.data(), "a.pdf").title == "Espiga Plan de salud"
    sheet.document.set_metadata({"title": "Plan de salud 2026"})
    assert parse(sheet.data(), "a.pdf").title == "Plan de salud 2026"


def test_a_single_row_on_the_next_page_belongs_to_its_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    sheet.prose(lorem)
    sheet.y = 680
    draw_table(sheet, [["Código", "Plazo"], ["C-1", "un día"], ["C-2", "dos días"]], widths=[100, 200])
    sheet.turn()
    draw_table(sheet, [["C-3", "tres días"]], widths=[100, 200])
    sheet.prose(lorem, gap=60)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n")[-1] == "| C-3 | tres días |"


def test_a_box_of_its_own_on_the_next_page_is_no_row(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    sheet.y = 680
    draw_table(sheet, [["Código", "Plazo"], ["C-1", "un día"], ["C-2", "dos días"]], widths=[100, 200])
    sheet.turn()
    draw_table(sheet, [["Firma", "Sello"]], widths=[150, 250])
    sheet.prose(lorem, gap=60)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert "Firma" not in table
