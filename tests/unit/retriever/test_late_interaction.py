"""Comparing a question's tokens with the sign bits of passages, and what that does to a ranking."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_inference.token_vectors import sign_bits
from skillnet_inference.vectors import Vectors
from skillnet_retriever.domain.candidates import Candidate
from skillnet_retriever.domain.fusion import Ranked
from skillnet_retriever.domain.late_interaction import COMPARED, max_sims, with_late_scores


def tokens(seed: int, count: int, dimension: int = 384) -> Vectors:
    values = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: Vectors = values / np.linalg.norm(values, axis=1, keepdims=True)
    return unit


def reference(question: Vectors, passage: Vectors) -> float:
    """MaxSim as it is written, a pair of tokens at a time."""
    signs = np.where(passage > 0, 1.0, -1.0)
    cosines = [[float(q @ s) / (np.linalg.norm(q) * np.linalg.norm(s)) for s in signs] for q in question]
    return float(np.mean([max(row) for row in cosines]))


def ranked(number: int, fused: float) -> Ranked:
    return Ranked(Candidate(UUID(int=number), UUID(int=0), 1, number, 0.8, None, 0, number, None), fused)


def order(ranking: list[Ranked]) -> list[int]:
    return [one.candidate.chunk_index for one in ranking]


def scores(*late: float) -> dict[UUID, float]:
    return {UUID(int=number): score for number, score in enumerate(late, start=1)}


@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=20),
    st.integers(1, 6),
    st.sampled_from([4, 8, 100, 384]),
    st.integers(0, 1000),
)
def test_scores_are_those_of_the_definition(counts: list[int], asked: int, dimension: int, seed: int) -> None:
    question = tokens(seed, asked, dimension)
    passages = [tokens(seed + place + 1, count, dimension) for place, count in enumerate(counts)]
    found = max_sims(question, [sign_bits(passage) for passage in passages])
    assert found == pytest.approx([reference(question, passage) for passage in passages], abs=1e-5)


def test_nothing_to_compare() -> None:
    assert max_sims(tokens(1, 3), []) == []


def test_a_passage_that_holds_the_questions_tokens_is_the_closest() -> None:
    question = tokens(1, 5)
    others = [tokens(seed, 40) for seed in range(2, 12)]
    own = np.concatenate([others[0][:20], question])
    found = max_sims(question, [sign_bits(passage) for passage in [*others, own]])
    assert int(np.argmax(found)) == len(others)
    assert found[-1] > 0.7


@pytest.mark.parametrize("unit", [1.0, 0.001, 40.0], ids=["cosine", "reciprocal ranks", "standardised"])
def test_the_late_score_weighs_the_same_whatever_the_fusions_scale(unit: float) -> None:
    ranking = [ranked(1, 0.90 * unit), ranked(2, 0.89 * unit), ranked(3, 0.50 * unit)]
    assert order(with_late_scores(ranking, scores(0.50, 0.60, 0.40))) == [2, 1, 3]


def test_each_shows_its_late_score_and_the_fused_one_holds_it() -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8)]
    best, second = with_late_scores(ranking, scores(0.5, 0.7))
    assert (best.candidate.chunk_index, best.late, second.late) == (2, 0.7, 0.5)
    assert best.fused > second.fused
    assert best.fused + second.fused == pytest.approx(1.7)


def test_a_passage_without_tokens_keeps_its_fused_score() -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8), ranked(3, 0.7)]
    late = {UUID(int=1): 0.4, UUID(int=3): 0.6}
    found = {one.candidate.chunk_index: one for one in with_late_scores(ranking, late)}
    assert (found[2].fused, found[2].late) == (0.8, None)
    assert found[1].fused < 0.9
    assert found[3].fused > 0.7


@pytest.mark.parametrize("late", [{}, scores(0.5), scores(0.5, 0.5, 0.5)], ids=["none", "one", "equal ones"])
def test_what_cannot_tell_passages_apart_changes_no_order(late: dict[UUID, float]) -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8), ranked(3, 0.7)]
    found = with_late_scores(ranking, late)
    assert [(one.candidate, one.fused) for one in found] == [(one.candidate, one.fused) for one in ranking]


def test_what_was_not_compared_stays_behind_in_its_order() -> None:
    ranking = [ranked(number, 1 - number / 1000) for number in range(1, COMPARED + 4)]
    late = {one.candidate.chunk_id: one.candidate.chunk_index / 100 for one in ranking}
    found = order(with_late_scores(ranking, late))
    assert found[0] == COMPARED
    assert found[COMPARED:] == [COMPARED + 1, COMPARED + 2, COMPARED + 3]


def test_ties_go_by_id() -> None:
    ranking = [ranked(2, 0.8), ranked(1, 0.8)]
    assert order(with_late_scores(ranking, scores(0.5, 0.5))) == [1, 2]
