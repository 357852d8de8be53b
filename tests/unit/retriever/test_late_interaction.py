"""Comparing a question's tokens with the sign bits of passages, and what that does to a ranking."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.contracts.retrieval import Fusion
from skillnet_inference.token_vectors import sign_bits
from skillnet_inference.vectors import Vectors
from skillnet_retriever.domain.candidates import Candidate
from skillnet_retriever.domain.fusion import RRF_K, Ranked
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


ADDED = {
    Fusion.COVERAGE: [0.75 * 0.50, 0.75 * 0.60, 0.75 * 0.40],
    Fusion.RRF: [1 / (RRF_K + 2), 1 / (RRF_K + 1), 1 / (RRF_K + 3)],
    Fusion.STANDARDISED: [0.0, 0.6 * 1.5**0.5, -0.6 * 1.5**0.5],
}


@pytest.mark.parametrize("fusion", Fusion)
def test_it_is_added_in_the_way_in_which_the_fusion_adds_its_legs(fusion: Fusion) -> None:
    late = scores(0.50, 0.60, 0.40)
    found = with_late_scores([ranked(1, 2.0), ranked(2, 2.0), ranked(3, 2.0)], late, fusion)
    assert order(found) == [2, 1, 3]
    mean = sum(ADDED[fusion]) / 3
    added = {one.candidate.chunk_index: one.fused - 2.0 for one in found}
    assert added == pytest.approx({n: part - mean for n, part in enumerate(ADDED[fusion], start=1)})


def test_of_equal_late_scores_none_is_ahead() -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8), ranked(3, 0.7), ranked(4, 0.6)]
    found = with_late_scores(ranking, scores(0.5, 0.6, 0.6, 0.5), Fusion.RRF)
    added = {one.candidate.chunk_index: one.fused - (1 - one.candidate.chunk_index / 10) for one in found}
    assert added[2] == pytest.approx(added[3])
    assert added[1] == pytest.approx(added[4])


def test_each_shows_its_late_score_and_the_fused_one_holds_it() -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8)]
    best, second = with_late_scores(ranking, scores(0.5, 0.7), Fusion.COVERAGE)
    assert (best.candidate.chunk_index, best.late, second.late) == (2, 0.7, 0.5)
    assert best.fused > second.fused
    assert best.fused + second.fused == pytest.approx(1.7)


@pytest.mark.parametrize("fusion", Fusion)
def test_a_passage_without_tokens_keeps_its_fused_score(fusion: Fusion) -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8), ranked(3, 0.7)]
    late = {UUID(int=1): 0.4, UUID(int=3): 0.6}
    found = {one.candidate.chunk_index: one for one in with_late_scores(ranking, late, fusion)}
    assert (found[2].fused, found[2].late) == (0.8, None)
    assert found[1].fused < 0.9
    assert found[3].fused > 0.7


@pytest.mark.parametrize("fusion", Fusion)
@pytest.mark.parametrize("late", [{}, scores(0.5), scores(0.5, 0.5, 0.5)], ids=["none", "one", "equal ones"])
def test_what_cannot_tell_passages_apart_changes_nothing(late: dict[UUID, float], fusion: Fusion) -> None:
    ranking = [ranked(1, 0.9), ranked(2, 0.8), ranked(3, 0.7)]
    found = with_late_scores(ranking, late, fusion)
    assert order(found) == [1, 2, 3]
    assert [one.fused for one in found] == pytest.approx([0.9, 0.8, 0.7])


@pytest.mark.parametrize("fusion", [Fusion.COVERAGE, Fusion.STANDARDISED])
def test_what_was_not_compared_stays_behind_in_its_order(fusion: Fusion) -> None:
    ranking = [ranked(number, 1 - number / 1000) for number in range(1, COMPARED + 4)]
    late = {one.candidate.chunk_id: one.candidate.chunk_index / 100 for one in ranking}
    found = order(with_late_scores(ranking, late, fusion))
    assert found[0] == COMPARED
    assert found[COMPARED:] == [COMPARED + 1, COMPARED + 2, COMPARED + 3]


def test_ties_go_by_id() -> None:
    ranking = [ranked(2, 0.8), ranked(1, 0.8)]
    assert order(with_late_scores(ranking, scores(0.5, 0.5), Fusion.COVERAGE)) == [1, 2]
