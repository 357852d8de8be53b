"""Answers made of the sources' own sentences."""

from __future__ import annotations

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.answers import check_citations, extractive_answer
from skillnet_common.contracts.retrieval import Source


def source(
    number: int, text: str, title: str = "Manual", path: tuple[str, ...] = (), score: float | None = None
) -> Source:
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
        score=score,
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


FREEZER = source(
    2,
    "La cámara se revisa cada mañana. El congelador está a -18 °C o menos.\n\nEl parte se firma al cerrar. "
    "La hoja se guarda un año.",
    title="Frío",
    score=0.95,
)
OVEN = source(1, "El horno se enciende a las cuatro. Calienta en una hora.", title="Horno", score=0.9)


def test_in_another_language_the_best_source_answers_from_its_beginning() -> None:
    question = "How cold must we keep ice cream?"
    assert extractive_answer(question, [OVEN, FREEZER]) == ""
    answer = extractive_answer(question, [OVEN, FREEZER], sources_suffice=True)
    assert answer == (
        "La cámara se revisa cada mañana. [Fuente 2] El congelador está a -18 °C o menos. [Fuente 2] "
        "El parte se firma al cerrar. [Fuente 2]"
    )
    shorter = extractive_answer(question, [OVEN, FREEZER], max_sentences=1, sources_suffice=True)
    assert shorter == "La cámara se revisa cada mañana. [Fuente 2]"


def test_a_question_of_stop_words_alone_is_answered_by_sources_that_suffice() -> None:
    assert extractive_answer("¿y de lo que es?", [OVEN, FREEZER], sources_suffice=True).startswith("La cámara")


def test_words_that_begin_alike_say_the_same() -> None:
    text = "La sala se limpia a diario. La temperatura de la cámara se anota cada mañana."
    answer = extractive_answer("Who notes the temperature?", [source(1, text)], max_sentences=1)
    assert answer == "La temperatura de la cámara se anota cada mañana. [Fuente 1]"
    codes = "El formulario 123456 se guarda. El formulario 123457 se tira."
    assert extractive_answer("123458", [source(1, codes)]) == "", "figures that begin alike are other figures"


def test_the_source_that_scores_best_is_cited_first_where_the_words_say_as_much() -> None:
    near = source(1, "El plazo de entrega del horno es de un mes.", score=0.98)
    best = source(2, "El plazo de entrega de la amasadora es de un año.", score=1.05)
    answer = extractive_answer("plazo de entrega", [near, best])
    assert answer.startswith("El plazo de entrega de la amasadora es de un año. [Fuente 2]")


@pytest.mark.parametrize(("score", "first"), [(0.98, "El plazo de entrega"), (0.8, "La amasadora")])
def test_words_outweigh_a_small_lead_and_not_a_large_one(score: float, first: str) -> None:
    best = source(1, "La amasadora se limpia con agua.", score=1.0)
    other = source(2, "El plazo de entrega de la amasadora es de un año.", score=score)
    answer = extractive_answer("plazo de entrega de la amasadora", [best, other], max_sentences=1)
    assert answer.startswith(first)


@pytest.mark.parametrize("scores", [(1 / 61, 1 / 62), (12.0, 11.8), (0.0, 0.0), (-1.0, -2.0)])
def test_scores_of_any_scale_leave_words_their_say(scores: tuple[float, float]) -> None:
    first = source(1, "El horno se limpia cada noche.", score=scores[0])
    second = source(2, "El plazo de entrega del horno es de un año.", score=scores[1])
    assert extractive_answer("plazo de entrega del horno", [first, second]).startswith("El plazo de entrega")


def test_what_follows_a_frequent_question_answers_it() -> None:
    text = "¿Hacen tartas sin azúcar? Hacemos la de queso con maltitol. Las demás tartas llevan azúcar de caña."
    answer = extractive_answer("¿hacéis tartas sin azúcar?", [source(1, text)], max_sentences=1)
    assert answer == "Hacemos la de queso con maltitol. [Fuente 1]"


WORDS = st.sampled_from(
    ["plazo", "devolución", "30", "días.", "horno", "|", "-", "¿", "Sr.", "\n\n", "\n", "Pan", "["]
)


@given(
    st.lists(st.lists(WORDS, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=4),
    st.integers(1, 4),
    st.sampled_from(["plazo de devolución del horno", "opening hours", "?"]),
    st.booleans(),
)
def test_every_piece_stands_in_the_source_it_cites(texts: list[str], most: int, question: str, suffice: bool) -> None:
    sources = [source(number, text) for number, text in enumerate(texts, start=1)]
    answer = extractive_answer(question, sources, max_sentences=most, sources_suffice=suffice)
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
