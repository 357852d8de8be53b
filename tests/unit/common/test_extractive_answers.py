"""Answers made of the sources' own sentences."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.answers import check_citations, extractive_answer
from skillnet_common.contracts.retrieval import Source


def source(number: int, text: str, title: str = "Manual", path: tuple[str, ...] = ()) -> Source:
    return Source(
        number=number,
        label=f"Fuente {number}: {title}",
        document_id=UUID(int=number),
        version=1,
        document_title=title,
        section_path=list(path),
        page_start=1,
        page_end=1,
        chunk_ids=[UUID(int=number)],
        char_start=0,
        char_end=len(text),
        text=text,
    )


RETURNS = source(
    1,
    "La tienda acepta devoluciones en caja. El plazo de devolución es de 30 días naturales desde la compra. "
    "El Sr. Pérez atiende las quejas.\n\nEl horno se limpia cada noche.",
    path=("Devoluciones",),
)
PRICES = source(
    2,
    "Precios con IVA.\n\n| Código | Producto | Precio |\n| :-- | :-- | --: |\n"
    "| PAN-001 | Barra de cuarto | 0,95 € |\n| PAN-005 | Pan de centeno | 3,45 € |",
    title="Tarifa",
)


def test_the_sentence_that_answers_stands_as_it_is_with_its_mark() -> None:
    answer = extractive_answer("¿Cuál es el plazo de devolucion?", [RETURNS, PRICES], max_sentences=1)
    assert answer == "El plazo de devolución es de 30 días naturales desde la compra. [Fuente 1]"


def test_accents_and_endings_do_not_matter() -> None:
    answer = extractive_answer("plazos para devoluciones", [PRICES, RETURNS], max_sentences=1)
    assert answer.startswith("El plazo de devolución")


def test_a_table_answers_with_its_row() -> None:
    answer = extractive_answer("¿Cuánto cuesta el pan de centeno?", [RETURNS, PRICES], max_sentences=1)
    assert answer == "| PAN-005 | Pan de centeno | 3,45 € | [Fuente 2]"


def test_the_heading_speaks_for_its_sentences() -> None:
    sources = [
        source(1, "El plazo es de 10 días.", path=("Reclamaciones",)),
        source(2, "El plazo es de 30 días.", path=("Devoluciones",)),
    ]
    answer = extractive_answer("plazo de las devoluciones", sources, max_sentences=1)
    assert answer == "El plazo es de 30 días. [Fuente 2]"


def test_a_question_for_a_figure_prefers_a_sentence_with_one() -> None:
    text = "La cocina cuida mucho la limpieza del horno. El horno se limpia 2 veces por semana."
    answer = extractive_answer("¿Cuántas veces se limpia el horno?", [source(1, text)], max_sentences=1)
    assert answer.startswith("El horno se limpia 2 veces")


def test_abbreviations_do_not_cut_a_sentence() -> None:
    answer = extractive_answer("¿quién atiende las quejas?", [RETURNS], max_sentences=1)
    assert answer == "El Sr. Pérez atiende las quejas. [Fuente 1]"


def test_list_items_are_given_whole() -> None:
    text = "Para devolver hace falta:\n- El tique de compra\n  o la factura.\n- El producto sin abrir."
    answer = extractive_answer("¿hace falta la factura?", [source(1, text)], max_sentences=1)
    assert "- El tique de compra\n  o la factura. [Fuente 1]" in answer


def test_the_same_sentence_of_two_sources_is_said_once() -> None:
    answer = extractive_answer("plazo de devolución", [RETURNS, source(2, RETURNS.text)])
    assert answer.count("30 días") == 1


@pytest.mark.parametrize("question", ["¿Qué río pasa por Ulán Bator?", "¿y de lo que es?", "¿?"])
def test_nothing_in_common_is_no_answer(question: str) -> None:
    assert extractive_answer(question, [RETURNS, PRICES]) == ""


def test_no_sources_no_answer() -> None:
    assert extractive_answer("plazo", []) == ""


WORDS = st.sampled_from(
    ["plazo", "devolución", "30", "días.", "horno", "|", "-", "¿", "Sr.", "\n\n", "\n", "Pan", "["]
)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=4), st.integers(1, 4))
def test_every_piece_stands_in_the_source_it_cites(texts: list[str], most: int) -> None:
    sources = [source(number, text) for number, text in enumerate(texts, start=1)]
    answer = extractive_answer("plazo de devolución del horno", sources, max_sentences=most)
    pieces = re.split(r" \[Fuente (\d+)\][ \n]?", answer)
    cited = list(zip(pieces[::2], pieces[1::2], strict=False))
    assert len(cited) <= most
    for piece, number in cited:
        assert piece in texts[int(number) - 1]


def test_an_extractive_answer_passes_the_check_of_citations() -> None:
    answer = extractive_answer("plazo de devolución y precio del pan de centeno", [RETURNS, PRICES])
    checked = check_citations(answer, [RETURNS, PRICES])
    assert checked.text == answer
    assert set(checked.citations) == {1, 2}
    assert (checked.unknown, checked.unsupported) == ([], [])
