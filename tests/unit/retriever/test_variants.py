"""Rankings of several wordings become one."""

from __future__ import annotations

from uuid import UUID

import pytest

from skillnet_retriever.domain.candidates import Candidate
from skillnet_retriever.domain.fusion import Ranked
from skillnet_retriever.domain.variants import merged


def ranking(*places: int) -> list[Ranked]:
    return [
        Ranked(Candidate(UUID(int=place), UUID(int=0), 1, place, 0.9, 3.0, 1, rank, rank), 1 / rank)
        for rank, place in enumerate(places, start=1)
    ]


def order(found: list[Ranked]) -> list[int]:
    return [ranked.candidate.chunk_index for ranked in found]


def test_without_others_nothing_changes() -> None:
    own = ranking(3, 1)
    assert merged(own, []) == own


def test_what_several_wordings_find_comes_first() -> None:
    found = merged(ranking(1, 2, 3), [ranking(3, 2), ranking(3, 4)])
    assert order(found) == [3, 2, 1, 4]
    assert found[0].fused == pytest.approx(1 / 63 + 2 / 61)


def test_what_only_another_wording_found_has_no_scores_of_this_one() -> None:
    (other,) = [one for one in merged(ranking(1), [ranking(2)]) if one.candidate.chunk_index == 2]
    assert (other.candidate.cosine, other.candidate.bm25, other.candidate.matched) == (None, None, 0)


def test_ties_are_broken_by_id() -> None:
    assert order(merged(ranking(2), [ranking(1)])) == [1, 2]
