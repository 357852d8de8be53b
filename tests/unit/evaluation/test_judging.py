"""What counts as found, as cited and as covered."""

from __future__ import annotations

import pytest

from skillnet_evaluation.judging import (
    citation_precision,
    citation_recall,
    cites_page,
    gains_of,
    hits,
    span_recall,
    units_of,
)
from skillnet_evaluation.metrics import ndcg_at, recall_at, reciprocal_rank
from skillnet_evaluation.questions import Answer, Question

from .places import found

ON_PAGES = Answer("manual.pdf", pages=(9, 10), quote="la mitad de la matrícula, hasta 400 €")
IN_SECTION = Answer("caja.docx", section=("Caja", "Cierre de caja"), quote="se firma el arqueo")
EITHER = Question("q", "¿?", (ON_PAGES, IN_SECTION))
BOTH = Question("q", "¿?", (ON_PAGES, IN_SECTION), all_needed=True)


@pytest.mark.parametrize(
    ("pages", "hit"), [((9, 9), True), ((10, 12), True), ((8, 8), False), ((11, 11), False), ((1, 9), True)]
)
def test_a_passage_hits_where_its_pages_overlap(pages: tuple[int, int], hit: bool) -> None:
    assert hits(found("manual.pdf", pages), ON_PAGES) is hit
    assert not hits(found("otro.pdf", pages), ON_PAGES)


def test_without_pages_the_heading_decides() -> None:
    assert hits(found("caja.docx", section=("Caja", "CIERRE de caja")), IN_SECTION)
    assert not hits(found("caja.docx", section=("Caja", "Apertura")), IN_SECTION)
    assert hits(found("caja.docx", section=("Caja",), text="Cierre: se firma el **arqueo**."), IN_SECTION)


def test_either_answer_is_the_whole() -> None:
    ranking = units_of(EITHER, [found("x"), found("caja.docx", section=("Cierre de caja",))], ranks_documents=False)
    gains = gains_of(EITHER, ranks_documents=False)
    assert recall_at(ranking, gains, 5) == 1.0
    assert reciprocal_rank(ranking, gains, 10) == 0.5


def test_of_two_needed_answers_one_is_half() -> None:
    passages = [found("manual.pdf", (9, 9), unit="1"), found("manual.pdf", (10, 10), unit="2")]
    ranking = units_of(BOTH, passages, ranks_documents=False)
    gains = gains_of(BOTH, ranks_documents=False)
    assert recall_at(ranking, gains, 5) == 0.5
    passages.append(found("caja.docx", section=("Cierre de caja",), unit="3"))
    assert recall_at(units_of(BOTH, passages, ranks_documents=False), gains, 5) == 1.0


def test_documents_rank_by_their_best_passage() -> None:
    question = Question("q", "¿?", (Answer("b"),))
    passages = [found("a"), found("a"), found("b")]
    ranking = units_of(question, passages, ranks_documents=True)
    assert ranking == ["a", "b"]
    assert ndcg_at(ranking, gains_of(question, ranks_documents=True), 10) == pytest.approx(0.6309, abs=1e-4)


@pytest.mark.parametrize(
    ("pages", "right"), [((9, 9), True), ((9, 10), True), ((8, 10), False), ((10, 11), True), ((3, 3), False)]
)
def test_the_first_citation_names_the_page_within_two(pages: tuple[int, int], right: bool) -> None:
    assert cites_page(EITHER, found("manual.pdf", pages)) is right


def test_no_page_is_asked_of_formats_without_pages() -> None:
    assert cites_page(Question("q", "¿?", (IN_SECTION,)), found("caja.docx")) is None
    assert cites_page(EITHER, None) is False


def test_span_recall_is_the_share_of_quoted_words() -> None:
    whole = found("manual.pdf", (9, 9), text="Paga **la mitad** de la matrícula, hasta 400 € por curso.")
    half = found("manual.pdf", (9, 9), text="la mitad de la")
    question = Question("q", "¿?", (ON_PAGES,))
    assert span_recall(question, [whole]) == 1.0
    assert span_recall(question, [half]) == pytest.approx(4 / 7)
    assert span_recall(question, [found("otro.pdf", text="la mitad de la matrícula, hasta 400 €")]) == 0.0


def test_citations_are_judged_both_ways() -> None:
    cited = [found("manual.pdf", (9, 9)), found("manual.pdf", (1, 1))]
    assert citation_precision(BOTH, cited) == 0.5
    assert citation_recall(BOTH, cited) == 0.5
    assert citation_recall(EITHER, cited) == 1.0
    assert citation_precision(BOTH, []) is None
    assert citation_recall(BOTH, []) == 0.0
