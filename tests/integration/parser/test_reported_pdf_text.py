"""What readers of PDFs have been reported to lose, join, invent or misplace. Each input is made here."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

from .conftest import Sheet

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


def rule(page: Any, xs: list[float], ys: list[float], *, without: tuple[float, float, float] | None = None) -> None:
    """A grid of lines; `without`: the upright line at this x misses from one y to another."""
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        for top, bottom in pairwise(ys):
            if without is None or (x, top, bottom) != without:
                page.draw_line((x, top), (x, bottom))


# Headings


def test_bold_print_of_the_bodys_size_with_a_number_is_a_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    for number, title in enumerate(("Alcance", "Responsables", "Plazos"), start=1):
        sheet.line(f"2.{number} {title}", font="hebo", gap=14)
        sheet.prose(lorem)
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "2.1 Alcance"), (1, "2.2 Responsables"), (1, "2.3 Plazos")]


def test_a_document_all_in_bold_keeps_its_text(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(8):
        sheet.prose(f"Parte {number}. {lorem}", font="hebo")
    document = parse(sheet.data(), "a.pdf")
    assert document.text.count("La persona encargada") == 8
    assert len(document.sections) == 1


def test_sizes_that_differ_by_a_hair_are_one_level(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    sheet.line("Manual de tienda", size=24)
    for number, size in enumerate((15.9, 16.0, 16.1, 16.2, 15.8), start=1):
        sheet.line(f"Apartado número {number}", size=size, font="hebo", gap=14)
        sheet.prose(lorem)
    assert [level for level, _ in headings(parse(sheet.data(), "a.pdf"))] == [1, *[2] * 5]


def test_bookmarks_that_say_less_than_the_print_give_their_levels(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    printed = ["Capítulo 1  Plazos", "Capítulo 2  Devoluciones", "2.1  Sin tique"]
    for title in printed:
        sheet.line(title, size=13, font="hebo", gap=14)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, "Plazos", 1], [1, "Devoluciones", 1], [2, "Sin tique", 1]])
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "Capítulo 1 Plazos"),
        (1, "Capítulo 2 Devoluciones"),
        (2, "2.1 Sin tique"),
    ]


def test_bookmarks_to_nothing_and_of_nothing_do_no_harm(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    for title in ("Recepción", "Almacén", "Tienda"):
        sheet.heading(title)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, "", 1], [2, "No está en el texto", 1], [1, "Fuera", -1], [1, "\x00\x07", 1]])
    found = [title for _, title in headings(parse(sheet.data(), "a.pdf"))]
    assert found == ["Recepción", "Almacén", "Tienda"]


# Lines and words


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [
        ("una parte de n-", "octanal del extracto", "n-octanal del"),
        ("todos los pagos post-", "COVID se revisan", "post-COVID"),
        ("en el turno de tarde-", "noche del sábado", "tarde-noche"),
        ("el horario 8-", "15 de la tienda", "8-15"),
    ],
)
def test_true_hyphens_at_the_end_of_a_line_stay(
    parse: Parse, sheet: Any, above: str, below: str, expected: str
) -> None:
    if expected == "tarde-noche":
        sheet.prose("El turno de tarde-noche empieza a las seis.")
    sheet.line(f"En este aviso se explica con el detalle que hace falta {above}", gap=10)
    sheet.line(f"{below}, como se dijo en su momento a todo el personal de la casa.")
    assert expected in parse(sheet.data(), "a.pdf").text


def test_a_hyphen_within_a_line_joins_nothing(parse: Parse, sheet: Any) -> None:
    sheet.prose("El control de entrada- y salida, de pre- y posventa, y los años 2024- 2025 quedan como se escriben.")
    text = parse(sheet.data(), "a.pdf").text
    assert "entrada- y salida, de pre- y posventa, y los años 2024- 2025 quedan" in text


def test_words_broken_by_a_typesetter_are_whole(parse: Parse, sheet: Any) -> None:
    sheet.page.insert_htmlbox((72, 72, 400, 300), "<p>La política de devolu-<br>ciones de la tienda.</p>")
    assert "política de devoluciones de la tienda" in parse(sheet.data(), "a.pdf").text


def test_words_that_only_their_places_part_are_apart(parse: Parse, sheet: Any) -> None:
    """Each word is set by itself, without any space between."""
    sentence = "Hay que contar la caja dos veces antes de cerrar la tienda por la noche"
    x = 72.0
    for word in sentence.split():
        sheet.page.insert_text((x, 100), word, fontsize=11)
        x += pymupdf.get_text_length(word + " ", "helv", 11)
    assert parse(sheet.data(), "a.pdf").text == sentence


@pytest.mark.parametrize(
    "footer", ["Página {}", "Pág. {}", "pág. {} de 6", "{} de 6", "- {} -", "{}", "{}/6", "Page {} of 6", "| {} |"]
)
def test_page_numbers_in_any_form_are_left_out_and_listed(parse: Parse, lorem: str, footer: str) -> None:
    def printed(*, numbered: bool) -> ParsedDocument:
        sheet = Sheet()
        for number, name in enumerate(("el pan", "la bollería", "los quesos", "el pescado", "la fruta"), start=1):
            if numbered:
                sheet.header(footer.format(number), y=815, x=280)
            sheet.prose(f"Contenido. {lorem}")
            sheet.prose(f"Al final de la hoja se habla de {name}, que pasa a la siguiente sin punto y llega hasta")
            if number < 5:
                sheet.turn()
        return parse(sheet.data(), "a.pdf")

    document = printed(numbered=True)
    assert document.text == printed(numbered=False).text
    assert [(removal.reason, removal.page, removal.text) for removal in document.removed] == [
        (RemovalReason.RUNNING_LINE, number, footer.format(number)) for number in range(1, 6)
    ]


def test_a_line_of_the_text_that_looks_like_a_page_number_stays(parse: Parse, sheet: Any, lorem: str) -> None:
    for number in range(4):
        sheet.prose(lorem)
        if number == 1:
            sheet.line("Página 3", gap=14)
            sheet.prose("del catálogo: el pan de molde cambia de precio.")
            sheet.prose(lorem)
        sheet.turn()
    sheet.prose(lorem)
    assert "Página 3" in parse(sheet.data(), "a.pdf").text


def test_a_title_near_the_edge_of_the_first_page_stays(parse: Parse, sheet: Any, lorem: str) -> None:
    sheet.header("Plan de formación", y=40, size=20)
    for _ in range(4):
        sheet.prose(lorem)
        sheet.turn()
    sheet.header("Y así termina el último párrafo del plan.", y=825, size=11)
    text = parse(sheet.data(), "a.pdf").text
    assert ("Plan de formación" in text, "Y así termina" in text) == (True, True)


# Tables


def test_white_frames_under_paragraphs_are_no_table(
    parse: Parse, sheet: Any, lorem: str, blocks_of: BlocksOf
) -> None:
    for row in range(3):
        top = 85 + 60 * row
        for left in (70, 300):
            sheet.page.draw_rect((left, top, left + 220, top + 50), color=(1, 1, 1), fill=(1, 1, 1))
        sheet.y = top + 15
        sheet.prose(lorem, gap=0)
    document = parse(sheet.data(), "a.pdf")
    assert blocks_of(document, BlockKind.TABLE) == []
    assert document.text.count("La persona encargada revisa") == 3


def test_a_merged_cell_leaves_the_others_under_their_headers(parse: Parse, sheet: Any, blocks_of: BlocksOf) -> None:
    xs, ys = [72.0, 172.0, 272.0, 372.0], [100.0, 122.0, 144.0, 166.0]
    rule(sheet.page, xs, ys, without=(172.0, 122.0, 144.0))
    rows = [("Zona", "Lunes", "Martes"), ("Norte y sur", "", "abierto"), ("Este", "cerrado", "festivo")]
    for y, row in zip(ys, rows, strict=False):
        for x, cell in zip(xs, row, strict=False):
            sheet.page.insert_text((x + 4, y + 15), cell, fontsize=10)
    (table,) = blocks_of(parse(sheet.data(), "a.pdf"), BlockKind.TABLE)
    assert table.split("\n") == [
        "| Zona | Lunes | Martes |",
        "| --- | --- | --- |",
        "| Norte y sur |  | abierto |",
        "| Este | cerrado | festivo |",
    ]


def test_the_rows_of_a_table_over_two_pages_have_their_own_places(parse: Parse, sheet: Any) -> None:
    xs = [72.0, 200.0, 330.0]
    for page, top in ((1, 700.0), (2, 90.0)):
        ys = [top, top + 22, top + 44, top + 66]
        rule(sheet.page, xs, ys)
        for y, row in zip(ys, (("Código", "Precio"), (f"P-{page}1", "1,25"), (f"P-{page}2", "2,50")), strict=False):
            for x, cell in zip(xs, row, strict=False):
                sheet.page.insert_text((x + 4, y + 15), cell, fontsize=10)
        if page == 1:
            sheet.turn()
    document = parse(sheet.data(), "a.pdf")
    places = {document.text[line.start : line.end].split(" | ")[0].strip("| "): line.box for line in document.lines}
    assert {code: box.page for code, box in places.items()} == {
        "Código": 1,
        "P-11": 1,
        "P-12": 1,
        "P-21": 2,
        "P-22": 2,
    }
    assert places["P-12"].y0 == pytest.approx(744 / 842, abs=0.01)
    assert places["P-22"].y0 == pytest.approx(134 / 842, abs=0.01)
    (section,) = document.sections
    assert (section.page_start, section.page_end) == (1, 2)
