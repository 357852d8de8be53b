"""When passages are reranked, and what comes of their scores."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_retriever.domain.candidates import Candidate
from skillnet_retriever.domain.fusion import Ranked
from skillnet_retriever.domain.reranking import RerankRule, reranked

RULE = RerankRule(candidates=5, min_candidates=4, close_share=0.2)


def ranking(*fused: float) -> list[Ranked]:
    return [
        Ranked(Candidate(UUID(int=place), UUID(int=0), 1, place, None, None, 0, None, None), score)
        for place, score in enumerate(fused)
    ]


@pytest.mark.parametrize(
    ("fused", "applies"),
    [
        ((), False),
        ((0.9,), False),
        ((0.9, 0.5, 0.4), False),
        ((0.9, 0.85, 0.4), True),
        ((0.9, 0.9), True),
        ((0.9, 0.5, 0.4, 0.3), True),
    ],
)
def test_many_or_close_ones_are_reranked(fused: tuple[float, ...], applies: bool) -> None:
    assert RULE.applies_to(ranking(*fused)) is applies


def test_the_order_is_that_of_the_scores_and_the_fused_scores_keep_their_places() -> None:
    found = reranked(ranking(0.9, 0.8, 0.7, 0.6), [0.1, 5.0, -2.0])
    assert [one.candidate.chunk_index for one in found] == [1, 0, 2, 3]
    assert [one.fused for one in found] == [0.9, 0.8, 0.7, 0.6]
    assert [one.rerank for one in found] == [5.0, 0.1, -2.0, None]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8), st.integers(0, 4))
def test_nothing_is_lost_and_ties_stay(scores: list[int], more: int) -> None:
    before = ranking(*(1 - place / 100 for place in range(len(scores) + more)))
    after = reranked(before, [float(score) for score in scores])
    assert sorted(one.candidate.chunk_id for one in after) == sorted(one.candidate.chunk_id for one in before)
    assert [one.fused for one in after] == [one.fused for one in before]
    keys = [(-(one.rerank or 0), one.candidate.chunk_index) for one in after[: len(scores)]]
    assert keys == sorted(keys)
