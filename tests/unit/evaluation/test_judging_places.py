"""Sections with headings that others share, chunks of merged sections, and quotes that run over two passages."""

from __future__ import annotations

import pytest

from skillnet_evaluation.judging import cites_page, hits, span_recall
from skillnet_evaluation.questions import Answer, Question

from .places import found

CLOSING = Answer("caja.docx", section=("Caja", "Cierre", "Horario"), quote="a las nueve y media de la noche")


@pytest.mark.parametrize(
    ("path", "hit"),
    [
        (("Caja", "Cierre", "Horario"), True),
        (("Caja", "Cierre", "Horario", "Festivos"), True),  # below it
        (("Manual", "Caja", "Cierre", "Horario"), True),  # the title stands before it
        (("Cierre", "Horario"), True),  # the title is left out
        (("Caja", "Apertura", "Horario"), False),  # another section of the same heading
        (("Horario",), False),
        (("Caja", "Cierre"), False),  # above it, and neither heading nor quote in the text
        ((), False),
    ],
)
def test_the_whole_path_decides(path: tuple[str, ...], hit: bool) -> None:
    assert hits(found("caja.docx", section=path), CLOSING) is hit


@pytest.mark.parametrize(
    ("path", "text", "hit"),
    [
        (("Caja", "Cierre"), "Arqueo. Horario: a las nueve.", True),
        (("Caja", "Cierre"), "Se cierra a las nueve y media de la noche.", True),
        (("Cierre",), "Horario", True),
        (("Caja", "Apertura"), "Horario: a las nueve y media de la noche.", False),
    ],
)
def test_merged_sections_show_in_the_text_which_they_hold(path: tuple[str, ...], text: str, hit: bool) -> None:
    assert hits(found("caja.docx", section=path, text=text), CLOSING) is hit


def test_a_quote_over_two_passages_is_held_by_both() -> None:
    question = Question("q", "¿?", (Answer("a", quote="se firma el arqueo y se guarda en la caja fuerte"),))
    first = found("a", text="Al cerrar se firma el arqueo")
    second = found("a", text="y se guarda en la caja fuerte. Después")
    assert span_recall(question, [first]) == pytest.approx(4 / 11)
    assert span_recall(question, [second, first]) == 1.0
    assert span_recall(question, [found("a", text="se guarda"), found("b", text="se firma el arqueo")]) == 0.0


def test_a_quote_of_one_word_is_held_where_it_stands() -> None:
    question = Question("q", "¿?", (Answer("a", quote="308"),))
    assert span_recall(question, [found("a", text="solo 308 puntos")]) == 1.0
    assert span_recall(question, [found("a", text="solo 3080 puntos")]) == 0.0


def test_a_section_without_pages_is_cited_as_rightly_as_a_page() -> None:
    question = Question("q", "¿?", (Answer("manual.pdf", pages=(3, 3)), CLOSING))
    assert cites_page(question, found("caja.docx", section=CLOSING.section)) is True
    assert cites_page(question, found("caja.docx", section=("Caja", "Apertura"))) is False
    assert cites_page(question, found("manual.pdf")) is False  # it has pages, and none is named
