"""Parts of an outline: what they are, and which of them a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from skillnet_common.contracts.retrieval import Strategy
from skillnet_retriever.domain.bm25 import Postings, SoughtTerm
from skillnet_retriever.domain.outline import (
    Link,
    OutlinedDocument,
    Part,
    PlacedChunk,
    RankedPart,
    Section,
    choose_parts,
    foremost,
    parts_of,
    rank_parts,
    with_links,
)
from skillnet_retriever.domain.routing import declined_route, outline_route

DOCUMENT = UUID(int=1)
LINKED = UUID(int=2)
COURSE_PATHS = [(), ("Caja",), ("Caja", "Abrir"), ("Caja", "Cerrar"), ("Almacén",), ("Almacén", "Recibir")]


def outlined(paths: Sequence[tuple[str, ...]], *, place: int = 1, document_id: UUID = DOCUMENT) -> OutlinedDocument:
    """A chunk of ten tokens in every section."""
    sections = tuple(Section(index, f"s{index}", path) for index, path in enumerate(paths))
    chunks = tuple(PlacedChunk((place << 32) | n, UUID(int=place * 1_000 + n), n, 10) for n in range(len(paths)))
    return OutlinedDocument(document_id, "Acogida", sections, chunks)


def indexes(part: Part) -> list[int]:
    return [chunk.key & 0xFFFFFFFF for chunk in part.chunks]


def postings(*rows: tuple[int, int, Sequence[tuple[int, int]]]) -> Postings:
    """(term, document, [(chunk index, frequency)]); every chunk has ten words."""
    entries = [(chunk << 32) | (frequency << 16) | 10 for _, _, held in rows for chunk, frequency in held]
    return Postings(
        np.array([row[0] for row in rows], dtype=np.int64),
        np.array([row[1] for row in rows], dtype=np.int64),
        np.array([len(row[2]) for row in rows], dtype=np.int64),
        np.array(entries, dtype=np.int64),
    )


def terms(*texts: str, has_forms: bool = False) -> list[SoughtTerm]:
    return [SoughtTerm(number, text, False, has_forms) for number, text in enumerate(texts, start=1)]


def ranked(parts: Sequence[Part], sought: Sequence[SoughtTerm], held: Postings) -> list[tuple[str, ...]]:
    return [one.part.path for one in rank_parts(parts, sought, held, lambda _part: 0.0)]


def test_modules_are_the_parts_of_a_course() -> None:
    parts = parts_of(outlined(COURSE_PATHS))
    assert [(part.path, part.headings, indexes(part)) for part in parts] == [
        ((), (), [0]),
        (("Caja",), ("Abrir", "Cerrar"), [1, 2, 3]),
        (("Almacén",), ("Recibir",), [4, 5]),
    ]
    assert parts[1].part_id == f"{DOCUMENT}/s1"


def test_where_one_heading_stands_over_all_its_sections_are_the_parts() -> None:
    parts = parts_of(outlined([(), ("Manual",), ("Manual", "A"), ("Manual", "A", "x"), ("Manual", "B")]))
    assert [(part.path, indexes(part)) for part in parts] == [
        ((), [0]),
        (("Manual",), [1]),
        (("Manual", "A"), [2, 3]),
        (("Manual", "B"), [4]),
    ]


def test_a_document_without_headings_is_one_part() -> None:
    (part,) = parts_of(outlined([()]))
    assert (part.path, part.name, indexes(part)) == ((), "Acogida", [0])


def test_documents_belong_to_the_module_of_their_lesson() -> None:
    course, manual = outlined(COURSE_PATHS), outlined([()], place=2, document_id=LINKED)
    links = [Link(2, 1, LINKED), Link(9, 9, LINKED), Link(1, 1, UUID(int=3))]
    parts = with_links(parts_of(course), course, links, {LINKED: manual})
    assert [len(part.chunks) for part in parts] == [1, 3, 3]
    assert parts[2].chunks[-1] is manual.chunks[0]


def test_in_a_course_of_one_module_they_belong_to_the_lesson() -> None:
    course, manual = outlined(COURSE_PATHS[:4]), outlined([()], place=2, document_id=LINKED)
    parts = with_links(parts_of(course), course, [Link(1, 2, LINKED)], {LINKED: manual})
    assert {part.path: len(part.chunks) for part in parts}["Caja", "Cerrar"] == 2


def test_a_part_counts_as_one_text() -> None:
    parts = parts_of(outlined(COURSE_PATHS))
    scattered = postings((1, 1, [(1, 1), (4, 1)]), (2, 1, [(2, 1)]))
    assert ranked(parts, terms("fondo", "caja"), scattered) == [("Caja",), ("Almacén",)]


def test_linked_documents_count_for_their_part() -> None:
    course, manual = outlined(COURSE_PATHS), outlined([()], place=2, document_id=LINKED)
    parts = with_links(parts_of(course), course, [Link(2, 1, LINKED)], {LINKED: manual})
    assert ranked(parts, terms("vale"), postings((1, 2, [(0, 1)]))) == [("Almacén",)]


def test_forms_of_a_word_count_once_in_a_chunk() -> None:
    parts = parts_of(outlined(COURSE_PATHS))
    twice = postings((1, 1, [(1, 2)]), (1, 1, [(1, 2)]))
    once = postings((1, 1, [(1, 2)]))
    scores = [
        rank_parts(parts, terms("caja", has_forms=True), held, lambda _: 0.0)[0].score for held in (twice, once)
    ]
    assert scores[0] == scores[1]


def test_words_that_no_part_holds_rank_nothing() -> None:
    assert ranked(parts_of(outlined(COURSE_PATHS)), terms("luna"), postings()) == []
    assert ranked(parts_of(outlined(COURSE_PATHS)), terms("luna"), postings((1, 7, [(0, 1)]))) == []


def test_the_best_passage_decides_between_parts_with_the_same_words() -> None:
    parts = parts_of(outlined(COURSE_PATHS))
    held = postings((1, 1, [(1, 1), (4, 1)]))
    best = rank_parts(parts, terms("fondo"), held, lambda part: 0.9 if part.path == ("Almacén",) else 0.1)
    assert best[0].part.path == ("Almacén",)


def test_parts_larger_than_an_entry_can_count_are_still_told_apart() -> None:
    course = outlined(COURSE_PATHS)
    huge = tuple(
        PlacedChunk(c.key, c.chunk_id, c.section_index, 200_000 if c.section_index == 1 else 10)
        for c in course.chunks
    )
    parts = parts_of(OutlinedDocument(DOCUMENT, "Acogida", course.sections, huge))
    assert ranked(parts, terms("fondo"), postings((1, 1, [(1, 1), (4, 1)]))) == [("Almacén",), ("Caja",)]


@pytest.mark.parametrize(
    ("scores", "most", "share", "expected"),
    [([], 3, 0.5, 0), ([1.0, 0.6, 0.4], 3, 0.5, 2), ([1.0, 0.9, 0.8], 2, 0.5, 2), ([1.0], 3, 1.0, 1)],
)
def test_parts_near_the_best_are_chosen_too(scores: list[float], most: int, share: float, expected: int) -> None:
    (part, *_) = parts_of(outlined(COURSE_PATHS))
    ranking = [RankedPart(part, score) for score in scores]
    assert len(choose_parts(ranking, most=most, share=share)) == expected


def test_of_many_parts_the_best_are_shown_in_reading_order() -> None:
    parts = parts_of(outlined([(), *((f"Módulo {number}",) for number in range(1, 8))]))
    ranking = [RankedPart(parts[6], 2.0), RankedPart(parts[4], 1.0)]
    shown = [(part.path[-1:], rank) for part, rank in foremost(parts, ranking, 4)]
    assert shown == [((), None), (("Módulo 1",), None), (("Módulo 4",), 2), (("Módulo 6",), 1)]
    assert [part for part, _ in foremost(parts, [], 3)] == parts[:3]


def test_the_route_names_what_is_read_and_who_chose() -> None:
    route = outline_route(["Caja", "Almacén"], in_course=True, are_modules=True, are_named=False)
    assert route.strategy is Strategy.OUTLINE
    assert "«Caja», «Almacén»" in route.reason
    assert "palabras" in route.reason
    named = outline_route(["Caja"], in_course=False, are_modules=False, are_named=True)
    assert "según los nombra la petición" in named.reason
    sections = outline_route(["Caja"], in_course=True, are_modules=False, are_named=False)
    assert sections.reason.startswith("El ámbito es un curso")
    assert sections.reason.endswith("la parte «Caja».")


@pytest.mark.parametrize(
    ("semantic", "may_embed", "strategy"),
    [(True, True, Strategy.HYBRID), (False, True, Strategy.KEYWORD), (True, False, Strategy.KEYWORD)],
)
def test_an_outline_that_does_not_fit_leaves_the_search(semantic: bool, may_embed: bool, strategy: Strategy) -> None:
    route = declined_route("Nada encaja.", semantic_model=semantic, may_embed=may_embed)
    assert (route.strategy, route.document) == (strategy, None)
    assert route.reason.startswith("Nada encaja. ")
