"""Ranking the candidates of two legs."""

from __future__ import annotations

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.contracts.retrieval import Fusion
from skillnet_retriever.domain.candidates import Candidate, Pool, QueryTerm
from skillnet_retriever.domain.fusion import RRF_K, fuse

TERMS = (QueryTerm(1, "plazo", 1.0, 5), QueryTerm(2, "devolución", 3.0, 1))


def candidate(
    number: int,
    cosine: float = 0.8,
    bm25: float | None = None,
    matched: int = 0,
    semantic_rank: int | None = None,
    keyword_rank: int | None = None,
) -> Candidate:
    return Candidate(UUID(int=number), UUID(int=0), 1, number, cosine, bm25, matched, semantic_rank, keyword_rank)


def order(pool: Pool, fusion: Fusion = Fusion.COVERAGE, alpha: float = 0.5) -> list[int]:
    return [ranked.candidate.chunk_index for ranked in fuse(pool, fusion, alpha)]


def test_coverage_adds_a_fifth_of_the_share_of_idf() -> None:
    pool = Pool((candidate(1, 0.90, semantic_rank=1), candidate(2, 0.85, 2.0, 0b110, 2, 1)), TERMS)
    best, second = fuse(pool, Fusion.COVERAGE, 0.5)
    assert best.candidate.chunk_index == 2
    assert best.fused == pytest.approx(0.85 + 0.2 * 2.0 / 4.0)
    assert second.fused == pytest.approx(0.90)


def test_reciprocal_rank_weighs_the_ranks() -> None:
    pool = Pool((candidate(1, semantic_rank=1), candidate(2, bm25=1.0, keyword_rank=1)), TERMS)
    scores = {r.candidate.chunk_index: r.fused for r in fuse(pool, Fusion.RRF, 0.25)}
    assert scores == pytest.approx({1: 0.25 / (RRF_K + 1), 2: 0.75 / (RRF_K + 1)})


def test_standardised_scores_have_the_legs_on_one_scale() -> None:
    pool = Pool((candidate(1, 0.90, 0.0, semantic_rank=1), candidate(2, 0.80, 30.0, 0b10, 2, 1)), TERMS)
    scores = [r.fused for r in fuse(pool, Fusion.STANDARDISED, 0.5)]
    assert scores == pytest.approx([0.0, 0.0])


def test_one_candidate_has_no_deviation() -> None:
    assert order(Pool((candidate(1, semantic_rank=1),), TERMS), Fusion.STANDARDISED) == [1]


@pytest.mark.parametrize("fusion", Fusion)
def test_the_ends_of_alpha_rank_one_leg(fusion: Fusion) -> None:
    pool = Pool(
        (
            candidate(1, 0.95, semantic_rank=1),
            candidate(2, 0.90, 1.0, 0b10, 2, 2),
            candidate(3, 0.10, 3.0, 0b110, None, 1),
        ),
        TERMS,
    )
    assert order(pool, fusion, 0.0) == [3, 2]
    assert order(pool, fusion, 1.0) == [1, 2]


def test_equal_scores_are_ordered_by_chunk_id() -> None:
    pool = Pool(tuple(candidate(n, 0.8, semantic_rank=n) for n in (4, 2, 9)), TERMS)
    assert order(pool)[1:] == [4, 9] or order(pool) == [2, 4, 9]


def test_a_keyword_hit_that_covers_little_is_not_lifted() -> None:
    crowd = [candidate(n, 0.9 - n / 1000, semantic_rank=n) for n in range(1, 30)]
    weak = candidate(40, 0.1, 0.5, 0b10, None, 1)  # holds a quarter of the idf
    assert order(Pool((*crowd, weak), TERMS))[-1] == 40
    strong = candidate(40, 0.1, 0.5, 0b100, None, 1)  # holds three quarters
    assert 40 in order(Pool((*crowd, strong), TERMS))[:3]


def test_outside_the_middle_nothing_is_lifted() -> None:
    crowd = [candidate(n, 0.9 - n / 1000, semantic_rank=n) for n in range(1, 30)]
    strong = candidate(40, 0.1, 0.5, 0b100, None, 1)
    assert order(Pool((*crowd, strong), TERMS), alpha=0.9)[-1] == 40


def test_nothing_found_is_nothing_ranked() -> None:
    assert fuse(Pool((), ()), Fusion.STANDARDISED, 0.5) == []


@st.composite
def pools(draw: st.DrawFn) -> Pool:
    count = draw(st.integers(1, 25))
    cosines = draw(st.lists(st.floats(-1, 1), min_size=count, max_size=count))
    bm25 = draw(st.lists(st.one_of(st.none(), st.floats(0.01, 4)), min_size=count, max_size=count))
    by_words = sorted((n for n in range(count) if bm25[n] is not None), key=lambda n: -(bm25[n] or 0))
    by_meaning = sorted(range(count), key=lambda n: -cosines[n])[: draw(st.integers(1, count))]
    matched = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    found = [
        candidate(
            n,
            cosines[n],
            bm25[n],
            matched[n] << 1 if bm25[n] is not None else 0,
            by_meaning.index(n) + 1 if n in by_meaning else None,
            by_words.index(n) + 1 if n in by_words else None,
        )
        for n in range(count)
        if n in by_words or n in by_meaning
    ]
    return Pool(tuple(draw(st.permutations(found))), TERMS)


@given(pools(), st.sampled_from(Fusion), st.floats(0.3, 0.7))
def test_neither_legs_best_is_below_the_third_place(pool: Pool, fusion: Fusion, alpha: float) -> None:
    ranking = [r.candidate for r in fuse(pool, fusion, alpha)]
    assert sorted(c.chunk_id for c in ranking) == sorted(c.chunk_id for c in pool.candidates)
    top = ranking[:3]
    assert any(c.semantic_rank == 1 for c in top)
    covering = [c for c in pool.candidates if c.keyword_rank and pool.covered_share(c.matched) >= 0.5]
    if covering:
        assert min(covering, key=lambda c: c.keyword_rank or 0) in top


@given(pools(), st.sampled_from(Fusion), st.floats(0, 1))
def test_the_order_does_not_depend_on_the_order_of_arrival(pool: Pool, fusion: Fusion, alpha: float) -> None:
    backwards = Pool(pool.candidates[::-1], pool.terms)
    assert order(pool, fusion, alpha) == order(backwards, fusion, alpha)
