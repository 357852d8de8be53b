"""Merging the legs' candidates into one ranking."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Fusion
from skillnet_retriever.domain.candidates import Candidate, Pool

RRF_K = 60
"""Smoothing of reciprocal rank fusion (Cormack, Clarke and Buettcher 2009)."""
COVERAGE_WEIGHT = 0.2
"""Weight of the BM25 coverage beside the cosine; the best of those measured (docs/retrieval.md)."""
_GUARANTEED = 3
_MIDDLE = (0.3, 0.7)
_COVERING = 0.5


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its fused score; the order is what counts, the scale is the fusion's own.

    `late`: the late interaction that the fused score holds, `rerank` the reranker's score, None where there is none.
    """

    candidate: Candidate
    fused: float
    late: float | None = None
    rerank: float | None = None


def fuse(pool: Pool, fusion: Fusion, alpha: float) -> list[Ranked]:
    """Best first, ties by chunk id, leaders kept. `alpha` 0 ranks keyword hits alone, 1 semantic hits alone."""
    candidates = _eligible(pool.candidates, alpha)
    score = _SCORERS[fusion](pool, candidates, alpha)
    ranking = sorted(
        (Ranked(candidate, score(candidate)) for candidate in candidates),
        key=lambda ranked: (-ranked.fused, ranked.candidate.chunk_id),
    )
    return keep_leaders(pool, ranking, alpha)


def keep_leaders(pool: Pool, ranking: Sequence[Ranked], alpha: float) -> list[Ranked]:
    """For alpha in [0.3, 0.7] no leg's best is buried: the first semantic hit, and the first keyword hit that covers
    half of the question's idf, are among the first three."""
    kept = list(ranking)
    if _MIDDLE[0] <= alpha <= _MIDDLE[1]:
        _lift(kept, _leaders(pool, [ranked.candidate for ranked in kept]))
    return kept


def _eligible(candidates: Sequence[Candidate], alpha: float) -> list[Candidate]:
    if alpha <= 0:
        return [candidate for candidate in candidates if candidate.keyword_rank is not None]
    if alpha >= 1:
        return [candidate for candidate in candidates if candidate.semantic_rank is not None]
    return list(candidates)


Scorer = Callable[[Candidate], float]


def _coverage_scorer(pool: Pool, candidates: Sequence[Candidate], alpha: float) -> Scorer:  # noqa: ARG001
    """cosine + 0.2 x coverage at alpha 0.5; towards either end one part fades out."""
    semantic, keyword = min(1.0, 2 * alpha), min(1.0, 2 * (1 - alpha)) * COVERAGE_WEIGHT
    return lambda candidate: semantic * (candidate.cosine or 0.0) + keyword * pool.coverage(candidate)


def _reciprocal_rank_scorer(pool: Pool, candidates: Sequence[Candidate], alpha: float) -> Scorer:  # noqa: ARG001
    def score(candidate: Candidate) -> float:
        semantic = alpha / (RRF_K + candidate.semantic_rank) if candidate.semantic_rank else 0.0
        keyword = (1 - alpha) / (RRF_K + candidate.keyword_rank) if candidate.keyword_rank else 0.0
        return semantic + keyword

    return score


def _standardised_scorer(pool: Pool, candidates: Sequence[Candidate], alpha: float) -> Scorer:  # noqa: ARG001
    """Each leg's scores as standard deviations from its mean over the candidates."""
    cosine = _standardiser([candidate.cosine or 0.0 for candidate in candidates])
    bm25 = _standardiser([candidate.bm25 or 0.0 for candidate in candidates])
    return lambda candidate: alpha * cosine(candidate.cosine or 0.0) + (1 - alpha) * bm25(candidate.bm25 or 0.0)


def _standardiser(values: Sequence[float]) -> Callable[[float], float]:
    if len(values) < 2:
        return lambda value: 0.0  # noqa: ARG005 - one value has no deviation
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    return lambda value: (value - mean) / deviation if deviation > 0 else 0.0


_SCORERS: dict[Fusion, Callable[[Pool, Sequence[Candidate], float], Scorer]] = {
    Fusion.COVERAGE: _coverage_scorer,
    Fusion.RRF: _reciprocal_rank_scorer,
    Fusion.STANDARDISED: _standardised_scorer,
}


def _leaders(pool: Pool, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The first semantic hit, and the first keyword hit that covers half of the question's idf."""
    leaders = [candidate for candidate in candidates if candidate.semantic_rank == 1]
    by_words = sorted((c for c in candidates if c.keyword_rank is not None), key=lambda c: c.keyword_rank or 0)
    covering = next((c for c in by_words if pool.covered_share(c.matched) >= _COVERING), None)
    return leaders if covering is None else [*leaders, covering]


def _lift(ranking: list[Ranked], leaders: Sequence[Candidate]) -> None:
    """Moves buried leaders up to the last guaranteed places, in their own order."""
    wanted = {leader.chunk_id for leader in leaders}
    top, rest = ranking[:_GUARANTEED], ranking[_GUARANTEED:]
    buried = [ranked for ranked in rest if ranked.candidate.chunk_id in wanted]
    for ranked in buried:
        others = [place for place, r in enumerate(top) if r.candidate.chunk_id not in wanted]
        if not others:
            break
        rest.insert(0, top.pop(others[-1]))
        top.append(ranked)
    lifted = {ranked.candidate.chunk_id for ranked in top}
    ranking[:] = top + [ranked for ranked in rest if ranked.candidate.chunk_id not in lifted]
