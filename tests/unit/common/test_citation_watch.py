"""Citations are told of as soon as their mark is complete, wherever the pieces are cut."""

from __future__ import annotations

from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.answers import CitationWatch, check_citations
from skillnet_common.contracts.retrieval import Source

ANSWER = (
    "Tienes 30 días [Fuente 2]. (Véase el anexo) Con tique **[Fuente 1]**, y en [rebajas] igual"
    " [Fuentes 2 y 3: Manual, pág. 4]. Lo demás (fuente 7) no."
)


def watched(pieces: list[str]) -> list[int]:
    watch = CitationWatch()
    return [number for piece in pieces for number in watch.feed(piece)]


@given(st.lists(st.integers(0, len(ANSWER)), max_size=12))
def test_cuts_change_nothing(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(ANSWER)]
    pieces = [ANSWER[start:end] for start, end in pairwise(places)]
    assert watched(pieces) == [2, 1, 3, 7]


def test_each_is_told_of_once_and_at_the_piece_that_completes_it() -> None:
    watch = CitationWatch()
    told = [watch.feed(piece) for piece in ("Son 30 días [Fu", "ente 1", "]", " y [Fuente 1]", ".")]
    assert told == [[], [], [1], [], []]


def test_the_numbers_are_those_of_the_final_check(source: Source) -> None:
    final = check_citations(ANSWER, [source.model_copy(update={"number": number}) for number in (1, 2, 3, 7)])
    assert watched(list(ANSWER)) == final.citations


@pytest.mark.parametrize("text", ["[Fuente", "[Fuente ", "[Fuente 1", "Fuente 1]", "[1]", "[" * 1000 + "Fuente 1"])
def test_what_is_no_mark_is_no_citation(text: str) -> None:
    assert watched(list(text)) == []


def test_a_bracket_that_never_closes_is_not_kept_for_ever() -> None:
    watch = CitationWatch()
    for _ in range(1_000):
        watch.feed("[palabras sin fin ")
    assert watch.feed(" [Fuente 4]") == [4]


@pytest.fixture
def source() -> Source:
    return Source(
        number=1,
        label="Fuente 1: Manual",
        document_id=UUID(int=1),
        version=1,
        document_title="Manual",
        section_path=[],
        page_start=None,
        page_end=None,
        chunk_ids=[UUID(int=2)],
        char_start=0,
        char_end=10,
        text="Tienes 30 días",
    )
