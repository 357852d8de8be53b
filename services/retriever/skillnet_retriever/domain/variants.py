"""One ranking out of those of several wordings of a question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from skillnet_retriever.domain.candidates import Candidate
from skillnet_retriever.domain.fusion import RRF_K, Ranked


def merged(own: Sequence[Ranked], others: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """The rankings by reciprocal ranks (Cormack, Clarke and Buettcher 2009), ties by chunk id.

    `own` is the question's ranking. What only other wordings found keeps its place alone: scores and matched terms
    are those of another question.
    """
    if not others:
        return list(own)
    sums: dict[UUID, float] = defaultdict(float)
    for ranking in (own, *others):
        for rank, ranked in enumerate(ranking, start=1):
            sums[ranked.candidate.chunk_id] += 1 / (RRF_K + rank)
    known = {ranked.candidate.chunk_id: ranked for ranked in own}
    for ranking in others:
        for ranked in ranking:
            known.setdefault(ranked.candidate.chunk_id, Ranked(_unscored(ranked.candidate), 0.0))
    found = [replace(known[chunk_id], fused=total) for chunk_id, total in sums.items()]
    return sorted(found, key=lambda ranked: (-ranked.fused, ranked.candidate.chunk_id))


def _unscored(candidate: Candidate) -> Candidate:
    return replace(candidate, cosine=None, bm25=None, matched=0, semantic_rank=None, keyword_rank=None)
