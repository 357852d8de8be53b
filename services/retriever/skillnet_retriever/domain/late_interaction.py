"""Late interaction: every token of the question against every token of a passage.

MaxSim (Khattab and Zaharia 2020, arXiv:2004.12832) over the token vectors of the embedding model itself. The passage's
side is one sign bit a value, the question's side stays in floats: an inner product with signs keeps the order of
cosines (asymmetric, as in Dong, Charikar and Li 2008).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
import numpy.typing as npt

from skillnet_inference.vectors import Vectors
from skillnet_retriever.domain.fusion import Ranked

COMPARED = 50
"""The first candidates of the fused ranking are compared; the rest stay behind them."""
WEIGHT = 2.0
"""Weight beside the fused score, both in standard deviations; the best of those measured (docs/retrieval.md)."""

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


def with_late_scores(ranking: Sequence[Ranked], scores: Mapping[UUID, float]) -> list[Ranked]:
    """The ranking with the first `COMPARED` in the order of fused score and late score together.

    The late score's distance from its mean is brought to the spread of the fused scores, so that it has the same
    weight in every fusion. A passage without a late score keeps its fused score, as one of average lateness would.
    """
    first, rest = ranking[:COMPARED], list(ranking[COMPARED:])
    late = [scores[r.candidate.chunk_id] for r in first if r.candidate.chunk_id in scores]
    if not late:
        return list(ranking)
    mean, scale = statistics.fmean(late), _scale([r.fused for r in first], late)

    def mixed(ranked: Ranked) -> Ranked:
        own = scores.get(ranked.candidate.chunk_id)
        return ranked if own is None else replace(ranked, fused=ranked.fused + scale * (own - mean), late=own)

    return sorted(map(mixed, first), key=lambda r: (-r.fused, r.candidate.chunk_id)) + rest


def _scale(fused: Sequence[float], late: Sequence[float]) -> float:
    spread = statistics.pstdev(late)
    return WEIGHT * statistics.pstdev(fused) / spread if spread > 0 else 0.0


def _block_scores(question: Vectors, passages: Sequence[bytes]) -> Iterator[float]:
    dimension = question.shape[1]
    width = math.ceil(dimension / _BYTE)
    octets = np.frombuffer(b"".join(passages), np.uint8)
    signs: Vectors = _SIGNS.take(octets, axis=0).reshape(-1, width * _BYTE)[:, :dimension]
    cosines = signs @ question.T / math.sqrt(dimension)
    starts = np.cumsum([0, *(len(passage) // width for passage in passages[:-1])])
    best: npt.NDArray[np.float32] = np.maximum.reduceat(cosines, starts, axis=0)
    yield from best.mean(axis=1).tolist()
