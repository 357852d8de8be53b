"""When a reranker is worth its time, and what its scores do to the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from skillnet_retriever.domain.fusion import Ranked


@dataclass(frozen=True, slots=True)
class RerankRule:
    """The first `candidates` are reranked where there are at least `min_candidates`, or where the second stands
    within `close_share` of the distance from the first to the last of them."""

    candidates: int
    min_candidates: int
    close_share: float

    def applies_to(self, ranking: Sequence[Ranked]) -> bool:
        """Whether the order of the best is in doubt."""
        best = ranking[: self.candidates]
        if len(best) < 2:
            return False
        if len(best) >= self.min_candidates:
            return True
        first, second, last = best[0].fused, best[1].fused, best[-1].fused
        return first - second <= self.close_share * (first - last)


def reranked(ranking: Sequence[Ranked], scores: Sequence[float]) -> list[Ranked]:
    """The ranking with its first ones, one for each score, in the order of the scores; ties stay as they stood.

    The fused scores keep their places, so that they still fall from the first to the last: a passage gets the one of
    the place it comes to, and its own score as `rerank`.
    """
    count = len(scores)
    order = sorted(range(count), key=lambda place: -scores[place])
    first = [replace(ranking[old], fused=ranking[new].fused, rerank=scores[old]) for new, old in enumerate(order)]
    return [*first, *ranking[count:]]
