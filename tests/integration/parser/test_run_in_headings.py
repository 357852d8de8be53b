"""Articles whose heading and text share a line, as gazettes set them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pymupdf
import pytest

from skillnet_common.documents import BlockKind, ParsedDocument

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


def run_in(sheet: Any, parts: list[tuple[str, str]], *, gap: float = 8) -> None:
    """One printed line of several fonts."""
    sheet.y += gap
    x = 72.0
    for text, font in parts:
        sheet.page.insert_text((x, sheet.y), text, fontsize=11, fontname=font)
        x += pymupdf.get_text_length(text, font, 11)
    sheet.y += 14.3


def test_a_bold_label_and_an_italic_title_are_the_heading_and_the_rest_is_text(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, blocks_of: BlocksOf
) -> None:
    for number, title in ((1, "Objeto."), (2, "Ámbito de aplicación."), (3, "Plazos.")):
        run_in(
            sheet, [(f"Artículo {number}. ", "hebo"), (f"{title} ", "heit"), ("La tienda atiende a quien", "helv")]
        )
        sheet.prose("llega con el tique en la mano antes del cierre.", gap=0)
        sheet.prose(lorem)
    document = parse(sheet.data(), "ley.pdf")
    assert headings(document) == [
        (1, "Artículo 1. Objeto."),
        (1, "Artículo 2. Ámbito de aplicación."),
        (1, "Artículo 3. Plazos."),
    ]
    first = blocks_of(document, BlockKind.PARAGRAPH)[0]
    assert first == "La tienda atiende a quien llega con el tique en la mano antes del cierre."


def test_a_title_that_wraps_before_the_text_begins_stays_whole(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    title = "Prestadores establecidos en un Estado que no pertenece a la Unión Europea ni"
    sheet.prose(lorem)
    run_in(sheet, [("Artículo 4. ", "hebo"), (title, "heit")], gap=14)
    run_in(
        sheet,
        [("al espacio económico europeo. ", "heit"), ("Se rigen por lo que acuerden las partes.", "helv")],
        gap=0,
    )
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "ley.pdf")) == [(1, f"Artículo 4. {title} al espacio económico europeo.")]


def test_plain_labels_that_count_on_are_headings(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, blocks_of: BlocksOf
) -> None:
    for number in (1, 2, 3, 4):
        sheet.prose(f"Artículo {number}.- {lorem}")
    document = parse(sheet.data(), "ley.pdf")
    assert headings(document) == [(1, f"Artículo {number}.-") for number in (1, 2, 3, 4)]
    assert blocks_of(document, BlockKind.PARAGRAPH) == [lorem] * 4


@pytest.mark.parametrize(
    "start", ["artículo 5 de la ley se aplica, y nadie puede", "Artículo 5 del reglamento, que dice"]
)
def test_a_mention_of_an_article_is_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline, start: str
) -> None:
    sheet.prose(lorem)
    sheet.prose(f"{start} {lorem}")
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "ley.pdf")) == []


def test_bold_words_that_open_a_paragraph_are_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.prose(lorem)
    run_in(sheet, [("Muy importante: ", "hebo"), ("el horno se apaga antes de salir.", "helv")])
    sheet.prose(lorem)
    assert headings(parse(sheet.data(), "aviso.pdf")) == []


def test_a_law_of_short_articles_keeps_its_headings(parse: Parse, sheet: Any, headings: Outline) -> None:
    """More than a quarter of its lines are headings."""
    for number in range(1, 16):
        sheet.line(f"Artículo {number}. Título del artículo.", font="hebo", gap=8)
        sheet.line("Derogado.", gap=4)
    assert len(headings(parse(sheet.data(), "ley.pdf"))) == 15
