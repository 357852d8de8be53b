"""A file's own outline: when it is whole it is the outline; when it marks only chapters it helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skillnet_common.documents import ParsedDocument

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]


def test_a_whole_outline_is_the_outline(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    """Bold words and large print that it does not name are text."""
    titles = ["Recepción", "Almacén", "Horno", "Tienda"]
    sheet.line("La Espiga Dorada", size=24, font="hebo")
    for title in titles:
        sheet.heading(title)
        sheet.prose(lorem)
        sheet.line("Muy importante", font="hebo", gap=14)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, title, 1] for title in titles])
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, title) for title in titles]


def test_a_few_bookmarks_leave_the_other_headings(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    for title in ("Recepción", "Almacén", "Horno", "Tienda"):
        sheet.heading(title)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, "Recepción", 1]])
    assert [title for _, title in headings(parse(sheet.data(), "a.pdf"))] == [
        "Recepción",
        "Almacén",
        "Horno",
        "Tienda",
    ]


def test_a_bookmark_takes_the_row_that_says_it_best(parse: Parse, sheet: Any, lorem: str, headings: Outline) -> None:
    """The second row of the chapter's title is nearly what the article's bookmark says."""
    titles = [
        "CAPÍTULO I. Principio de libre prestación de servicios",
        "Artículo 6. No sujeción a autorización previa.",
        "Artículo 7. Principio de libre prestación de servicios.",
        "Artículo 8. Restricciones.",
    ]
    sheet.centred("CAPÍTULO I", gap=14)
    sheet.centred("Principio de libre prestación de servicios", font="hebo", gap=2)
    for title in titles[1:]:
        sheet.line(title, font="hebo", gap=14)
        sheet.prose(lorem)
    sheet.document.set_toc([[1, titles[0], 1], *([2, title, 1] for title in titles[1:])])
    assert headings(parse(sheet.data(), "a.pdf")) == [
        (1, "CAPÍTULO I Principio de libre prestación de servicios"),
        *((2, title) for title in titles[1:]),
    ]


def test_a_bookmark_that_is_a_whole_paragraph_makes_no_heading(
    parse: Parse, sheet: Any, lorem: str, headings: Outline
) -> None:
    sheet.heading("Recepción")
    sheet.prose(lorem)
    paragraph = " ".join([lorem, lorem, lorem])
    sheet.prose(paragraph)
    sheet.document.set_toc([[1, "Recepción", 1], [1, paragraph, 1]])
    assert headings(parse(sheet.data(), "a.pdf")) == [(1, "Recepción")]
