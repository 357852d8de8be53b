"""Figures of one ranking against what is relevant. Pure.

A ranking is a list of unit ids, best first; `gains` gives each relevant unit its gain (above 0). Repeated ids count
where they stand first. The definitions are those of trec_eval (Järvelin and Kekäläinen 2002 for nDCG, with linear
gains), against which a test holds them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence


def recall_at(ranking: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """Share of the relevant units among the first `depth`, 0 to 1."""
    return len(set(ranking[:depth]) & gains.keys()) / len(gains)


def reciprocal_rank(ranking: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """1 / rank of the first relevant unit; 0 where the first `depth` have none."""
    return next((1 / rank for rank, unit in enumerate(ranking[:depth], start=1) if unit in gains), 0.0)


def ndcg_at(ranking: Sequence[str], gains: Mapping[str, float], depth: int) -> float:
    """Discounted cumulative gain of the first `depth`, as a share of the best possible one."""
    seen: set[str] = set()
    found = 0.0
    for place, unit in enumerate(ranking[:depth]):
        if unit not in seen:
            found += gains.get(unit, 0.0) / math.log2(place + 2)
            seen.add(unit)
    best = sum(gain / math.log2(place + 2) for place, gain in enumerate(sorted(gains.values(), reverse=True)[:depth]))
    return found / best
