"""BM25 over packed postings, against the formula taken chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from skillnet_retriever.domain.bm25 import Postings, SoughtTerm, WordScores

MEAN = 20.0
CHUNKS = 9


def postings(rows: Sequence[tuple[int, int, list[tuple[int, int, int]]]]) -> Postings:
    """Rows of (term, document, [(chunk index, frequency, words), ...])."""
    entries = [(chunk << 32) | (frequency << 16) | words for *_, own in rows for chunk, frequency, words in own]
    columns = ([row[0] for row in rows], [row[1] for row in rows], [len(row[2]) for row in rows], entries)
    return Postings(*(np.array(column, dtype=np.int64) for column in columns))


def expected(known: int, frequency: int, words: int) -> float:
    idf = math.log(1 + (CHUNKS - known + 0.5) / (known + 0.5))
    return idf * frequency / (frequency + 1.2 * (0.25 + 0.75 * words / MEAN))


def scored(sought: Sequence[SoughtTerm], found: Postings) -> WordScores:
    return WordScores(sought, found, chunks=CHUNKS, mean_words=MEAN)


def test_a_chunk_gets_the_sum_over_its_terms_and_their_bits() -> None:
    found = postings([(1, 1, [(0, 2, 30), (2, 1, 10)]), (2, 1, [(2, 3, 10)]), (1, 3, [(1, 1, 20)])])
    scores = scored([SoughtTerm(1, "a", False, False), SoughtTerm(2, "b", False, False)], found)
    hits = {(hit.document, hit.chunk_index): hit for hit in scores.best(10, None)}
    assert hits.keys() == {(1, 0), (1, 2), (3, 1)}
    assert hits[1, 2].bm25 == pytest.approx(expected(3, 1, 10) + expected(1, 3, 10), rel=1e-6)
    assert hits[1, 0].bm25 == pytest.approx(expected(3, 2, 30), rel=1e-6)
    assert (hits[1, 2].matched, hits[3, 1].matched) == (0b110, 0b10)
    assert [term.chunk_count for term in scores.terms] == [3, 1]


def test_forms_of_a_term_count_once_by_the_most_frequent() -> None:
    found = postings([(1, 1, [(0, 1, 20), (1, 4, 20)]), (1, 1, [(0, 3, 20)])])
    scores = scored([SoughtTerm(1, "a", False, True)], found)
    assert scores.terms[0].chunk_count == 2
    hit = scores.of(1, 0)
    assert hit is not None
    assert hit.bm25 == pytest.approx(expected(2, 3, 20), rel=1e-6)


def test_an_unknown_term_counts_unless_it_is_optional() -> None:
    nothing = postings([])
    scores = scored([SoughtTerm(1, "a", False, False), SoughtTerm(2, "b", True, False)], nothing)
    assert [(term.text, term.chunk_count) for term in scores.terms] == [("a", 0)]
    assert scores.best(5, None) == []
    assert scores.of(1, 0) is None


def test_the_best_are_cut_in_the_order_of_reading_where_they_tie() -> None:
    found = postings([(1, 2, [(0, 1, 20), (1, 1, 20), (2, 1, 20), (3, 2, 20)])])
    best = scored([SoughtTerm(1, "a", False, False)], found).best(3, None)
    assert [hit.chunk_index for hit in best] == [3, 0, 1]


def test_only_allowed_chunks_appear() -> None:
    found = postings([(1, 2, [(0, 1, 20), (1, 1, 20)])])
    allowed = np.array([(2 << 32) | 1, (2 << 32) | 7, (9 << 32) | 0], dtype=np.int64)
    best = scored([SoughtTerm(1, "a", False, False)], found).best(3, allowed)
    assert [(hit.document, hit.chunk_index) for hit in best] == [(2, 1)]


@pytest.mark.parametrize(("document", "chunk_index"), [(1, 0), (2, 5), (3, 0)])
def test_a_chunk_without_a_term_has_no_score(document: int, chunk_index: int) -> None:
    scores = scored([SoughtTerm(1, "a", False, False)], postings([(1, 2, [(1, 1, 20)])]))
    assert scores.of(document, chunk_index) is None
