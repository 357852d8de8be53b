"""Late interaction: every token of the question against every token of a passage.

MaxSim (Khattab and Zaharia 2020, arXiv:2004.12832) over the token vectors of the embedding model itself. The
passage's side is one sign bit a value, the question's side stays in floats: an inner product with signs keeps the
order of cosines (asymmetric, as in Dong, Charikar and Li 2008).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import numpy.typing as npt

from skillnet_common.contracts.retrieval import Fusion
from skillnet_inference.vectors import Vectors
from skillnet_retriever.domain.fusion import RRF_K, Ranked

COMPARED = 50
"""The first candidates of the fused ranking are compared; the rest stay behind them."""
WEIGHT = 0.75
"""Weight beside a cosine; the best of those measured (docs/retrieval.md)."""

_DEVIATION_WEIGHT = 0.6
"""In standard deviations, as the weights of the legs (alpha)."""
_BYTE = 8
_BLOCK = 8
"""Passages at a time: their unpacked signs, about 3 MB, stay in the processor's cache."""
_SIGNS = 2 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) - 1
"""The eight values, 1 or -1, that a byte stands for."""


def max_sims(question: Vectors, passages: Sequence[bytes]) -> list[float]:
    """Of each passage the mean, over the question's tokens, of the best cosine to any of its tokens.

    `question`: float32 [tokens, dimension], of length 1; `passages`: sign bits, a token after the other.
    """
    blocks = [passages[start : start + _BLOCK] for start in range(0, len(passages), _BLOCK)]
    return [score for block in blocks for score in _block_scores(question, block)]


def with_late_scores(ranking: Sequence[Ranked], scores: Mapping[UUID, float], fusion: Fusion) -> list[Ranked]:
    """The ranking with the first `COMPARED` in the order of fused score and late score together.

    The late score counts by its distance from the mean, so that a passage without one keeps its fused score.
    """
    first, rest = ranking[:COMPARED], list(ranking[COMPARED:])
    compared = [ranked for ranked in first if ranked.candidate.chunk_id in scores]
    if not compared:
        return list(ranking)
    late = [scores[ranked.candidate.chunk_id] for ranked in compared]
    parts = _PARTS[fusion](late)
    mean = statistics.fmean(parts)
    mixed = [
        replace(ranked, fused=ranked.fused + part - mean, late=score)
        for ranked, part, score in zip(compared, parts, late, strict=True)
    ]
    without = [ranked for ranked in first if ranked.candidate.chunk_id not in scores]
    return sorted(mixed + without, key=lambda r: (-r.fused, r.candidate.chunk_id)) + rest


def _as_similarity(late: Sequence[float]) -> list[float]:
    return [WEIGHT * score for score in late]


def _as_rank(late: Sequence[float]) -> list[float]:
    """A third ranking beside those of the legs; equal ones share the better rank."""
    ranks = {score: rank for rank, score in reversed(list(enumerate(sorted(late, reverse=True), start=1)))}
    return [1 / (RRF_K + ranks[score]) for score in late]


def _as_deviation(late: Sequence[float]) -> list[float]:
    spread = statistics.pstdev(late)
    return [score / spread * _DEVIATION_WEIGHT if spread > 0 else 0.0 for score in late]


_PARTS: dict[Fusion, Callable[[Sequence[float]], list[float]]] = {
    Fusion.COVERAGE: _as_similarity,
    Fusion.RRF: _as_rank,
    Fusion.STANDARDISED: _as_deviation,
}
"""What a late score adds, in the way in which the fusion adds its legs."""


def _block_scores(question: Vectors, passages: Sequence[bytes]) -> Iterator[float]:
    dimension = question.shape[1]
    width = math.ceil(dimension / _BYTE)
    octets = np.frombuffer(b"".join(passages), np.uint8)
    signs: Vectors = _SIGNS.take(octets, axis=0).reshape(-1, width * _BYTE)[:, :dimension]
    cosines = signs @ question.T / math.sqrt(dimension)
    starts = np.cumsum([0, *(len(passage) // width for passage in passages[:-1])])
    best: npt.NDArray[np.float32] = np.maximum.reduceat(cosines, starts, axis=0)
    yield from best.mean(axis=1).tolist()
