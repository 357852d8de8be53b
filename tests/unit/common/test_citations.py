"""Citations as LLMs write them, and what they claim."""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

import pytest

from skillnet_common.answers import CheckedAnswer, CitationWatch, check_citations
from skillnet_common.contracts.retrieval import Source


def source(number: int, text: str) -> Source:
    return Source(
        number=number,
        label=f"Fuente {number}: Manual",
        document_id=UUID(int=number),
        version=1,
        document_title="Manual 2026",
        section_path=["3 Plazos"],
        page_start=1,
        page_end=1,
        chunk_ids=[UUID(int=number)],
        char_start=0,
        char_end=len(text),
        text=text,
    )


SOURCES = [
    source(
        1, "El plazo es de 30 días. «Sin tique no hay devolución», dice el cartel. Vigente desde el 2 de febrero."
    ),
    source(2, "La multa es de 1.250,00 €. Se paga antes del 15/03/2026. Son tres avisos."),
    source(3, "Otra cosa."),
]


def check(answer: str) -> CheckedAnswer:
    return check_citations(answer, SOURCES)


@pytest.mark.parametrize(
    ("written", "marks", "citations"),
    [
        ("[Fuente 1]", "[Fuente 1]", [1]),
        ("[fuente 1]", "[Fuente 1]", [1]),
        ("[Fuentes 1, 2 y 3]", "[Fuente 1][Fuente 2][Fuente 3]", [1, 2, 3]),
        ("[Fuente 1, Fuente 2]", "[Fuente 1][Fuente 2]", [1, 2]),
        ("[Fuente 1; 3]", "[Fuente 1][Fuente 3]", [1, 3]),
        ("[Fuente 1][Fuente 2]", "[Fuente 1][Fuente 2]", [1, 2]),
        ("[Fuentes 1-3]", "[Fuente 1][Fuente 2][Fuente 3]", [1, 2, 3]),
        ("(Fuente 2)", "[Fuente 2]", [2]),
        ("【Fuente 2】", "[Fuente 2]", [2]),
        ("**[Fuente 2]**", "[Fuente 2]", [2]),
        ("[Fuente 2: Manual > Plazos, pág. 7]", "[Fuente 2]", [2]),
        ("[Fuente 2, pág. 7]", "[Fuente 2]", [2]),
        ("[Source 2]", "[Fuente 2]", [2]),
        ("[F2]", "[Fuente 2]", [2]),
        ("[Fuente n.º 2]", "[Fuente 2]", [2]),
    ],
)
def test_marks_are_brought_into_one_form(written: str, marks: str, citations: list[int]) -> None:
    checked = check(f"Así es {written}.")
    assert checked.text == f"Así es {marks}."
    assert checked.citations == citations
    assert checked.unknown == []


@pytest.mark.parametrize("text", ["Véase [1].", "Según la fuente: INE.", "[Nota 2]", "[Fuente]", "f(2) = 4"])
def test_other_brackets_are_left_alone(text: str) -> None:
    assert check(text).text == text
    assert check(text).citations == []


def test_numbers_that_stand_for_nothing_are_dropped_and_named() -> None:
    checked = check("Una cosa [Fuente 9]. Otra [Fuentes 1 y 7]. Más [Fuente 9].")
    assert checked.text == "Una cosa. Otra [Fuente 1]. Más."
    assert checked.citations == [1]
    assert checked.unknown == [9, 7]
    assert "no existe: 9" in checked.warnings[0]


def test_citations_are_listed_in_order_of_first_use() -> None:
    assert check("b [Fuente 2] a [Fuente 1] b [Fuente 2]").citations == [2, 1]


@pytest.mark.parametrize(
    "answer",
    [
        "El plazo es de 30 días [Fuente 1].",
        "El plazo es de 30 días. [Fuente 1]",
        "El plazo es de treinta días [Fuente 1].",
        'El cartel dice "sin tique no hay devolucion" [Fuente 1].',
        "La multa es de 1250 € [Fuente 2] y hay 3 avisos [Fuente 2].",
        "La multa es de 1,250.00 € [Fuente 2].",
        "Se paga antes del 15 de marzo de 2026 [Fuente 2].",
        "Se paga antes del 2026-03-15 [Fuente 2].",
        "Rige desde el 02/02/2026 [Fuente 1].",  # the source names no year
        "El apartado 3 del manual de 2026 lo dice [Fuente 3].",
        "1. El plazo es de 30 días [Fuente 1].\n2. La multa es de 1.250 € [Fuente 2].",
        "Sin cita, el plazo es de 99 días.",
        "La «norma» es esa [Fuente 3].",
    ],
)
def test_what_the_sources_say_is_supported(answer: str) -> None:
    assert check(answer).unsupported == []


@pytest.mark.parametrize(
    ("answer", "kind", "value"),
    [
        ("El plazo es de 45 días [Fuente 1].", "figure", "45"),
        ("El plazo es de 45 días. [Fuente 1]", "figure", "45"),
        ("El plazo es de 30 días [Fuente 2].", "figure", "30"),
        ("La multa es de 1.260 € [Fuente 2].", "figure", "1.260"),
        ("Se paga antes del 16 de marzo de 2026 [Fuente 2].", "date", "16 de marzo de 2026"),
        ("Se paga antes del 15/03/2025 [Fuente 2].", "date", "15/03/2025"),
        ("Dice «con tique siempre hay devolución» [Fuente 1].", "quote", "con tique siempre hay devolución"),
    ],
)
def test_what_no_cited_source_says_is_reported(answer: str, kind: str, value: str) -> None:
    (finding,) = check(answer).unsupported
    assert (finding.kind, finding.value) == (kind, value)
    assert value in check(answer).warnings[0]


def test_a_mark_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    checked = check("El plazo es de 30 días. [Fuente 1] La multa es de 1.250 €. [Fuente 2]")
    assert checked.unsupported == []
    assert checked.text == "El plazo es de 30 días. [Fuente 1] La multa es de 1.250 €. [Fuente 2]"


def test_an_answer_without_sources_loses_its_marks() -> None:
    checked = check_citations("Es así [Fuente 1].", [])
    assert (checked.text, checked.citations, checked.unknown) == ("Es así.", [], [1])


@pytest.mark.parametrize(
    ("number", "told"), [("1234", "1234"), ("0" * 60 + "77", "77"), ("9" * 6_000, "1000000000 o mayor")]
)
def test_an_unknown_number_of_any_length_is_dropped_and_told_of(number: str, told: str) -> None:
    for mark in (f"[Fuente {number}]", f"[Fuentes {number}-{number}]"):
        checked = check(f"Sí{mark}. Son 30 días [Fuente 1].")
        assert (checked.text, checked.citations) == ("Sí. Son 30 días [Fuente 1].", [1])
        assert checked.warnings == [f"La respuesta citaba una fuente que no existe: {told}."]


def test_a_mark_that_arises_where_another_one_was_dropped_is_no_citation() -> None:
    assert check("Sí [Fuente[F9] 88]. Son 30 días [Fuente 1].").citations == [1]


HOSTILE = {
    "spaces in a mark": lambda size: "[Fuente 1:" + " " * size,
    "spaces before a word": lambda size: " " * size + "x [Fuente 1]",
    "marks that never close": lambda size: "[Fuente 1:" * (size // 10),
    "quotes that never close": lambda size: "«" * size + " [Fuente 1]",
    "quotes that stand nowhere": lambda size: "«pan duro 7» " * (size // 13) + "[Fuente 1]",
    "a list that never closes": lambda size: "[Fuente " + "1, " * (size // 3),
    "digits": lambda size: "[Fuente " + "1" * size,
    "dates": lambda size: "".join(f"{n % 28 + 1}/3/{1000 + n % 8000} " for n in range(size // 10)) + "[Fuente 1]",
    "sentences": lambda size: "Son 99 días [Fuente 1]. " * (size // 24),
}


@pytest.mark.parametrize("written", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("read", [check, lambda text: CitationWatch().feed(text)], ids=["checked", "watched"])
def test_the_time_grows_as_the_answer_does(written: Callable[[int], str], read: Callable[[str], object]) -> None:
    def seconds(size: int) -> float:
        text = written(size)
        taken = []
        for _ in range(3):
            started = time.process_time()
            read(text)
            taken.append(time.process_time() - started)
        return min(taken)

    seconds(1_000)
    # Eight times the text: 64 times the time where it grows with the square. The summand is the clock's own noise.
    assert seconds(40_000) < 24 * seconds(5_000) + 0.02
