"""Whether the passages found can carry an answer, judged from the question's own scores."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Evidence
from skillnet_retriever.domain.candidates import Candidate, Pool
from skillnet_retriever.domain.fusion import Ranked

_BEST = 3
"""How many of the best passages are looked at together."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model of "the answer is among the passages" for one embedding model.

    logit = intercept + similarity x (top - unrelated) / spread + margin x (top - median) / spread
            + coverage x share of the question's idf the best passages hold.
    `unrelated` and `spread` are the mean and standard deviation of the cosine between questions and passages that
    have nothing to do with them: they make the figures of one model comparable with another's.
    """

    unrelated: float
    spread: float
    intercept: float
    similarity: float
    margin: float
    coverage: float

    def probability(self, top: float, median: float, coverage: float) -> float:
        """That the passages hold the answer, 0 to 1."""
        logit = (
            self.intercept
            + self.similarity * (top - self.unrelated) / self.spread
            + self.margin * (top - median) / self.spread
            + self.coverage * coverage
        )
        return 1 / (1 + math.exp(-logit))


E5_SMALL = Calibration(unrelated=0.79, spread=0.02, intercept=-6.0, similarity=1.0, margin=0.5, coverage=5.0)
OTHER_MODEL = Calibration(unrelated=0.0, spread=1.0, intercept=-2.0, similarity=0.0, margin=0.0, coverage=5.0)
WORDS_ALONE = 0.5
"""Without a semantic model the best passages must hold this share of the question's idf."""


def calibration_for(model_name: str) -> Calibration:
    """The calibration of a model by its name; a cautious one, of words mostly, where it was never measured."""
    return E5_SMALL if "multilingual-e5-small" in model_name else OTHER_MODEL


@dataclass(frozen=True, slots=True)
class Judgement:
    """The figures, and whether they suffice."""

    evidence: Evidence
    sufficient: bool


def judge(pool: Pool, ranking: Sequence[Ranked], calibration: Calibration | None) -> Judgement:
    """`calibration` is None where the model is not semantic: then only words count."""
    best = [ranked.candidate for ranked in ranking[:_BEST]]
    coverage = _coverage(pool, best)
    cosines = [candidate.cosine for candidate in pool.candidates if candidate.cosine is not None]
    top = max(cosines, default=None)
    median = statistics.median(cosines) if cosines else None
    evidence = Evidence(
        top_similarity=top,
        similarity_margin=top - median if top is not None and median is not None else None,
        term_coverage=coverage,
        missing_terms=[term.text for term in pool.missing_terms(best)],
        semantic_model=calibration is not None,
    )
    if calibration is None or top is None or median is None:
        return Judgement(evidence, bool(best) and bool(pool.terms) and coverage >= WORDS_ALONE)
    return Judgement(evidence, bool(best) and calibration.probability(top, median, coverage) >= 0.5)


def _coverage(pool: Pool, best: Sequence[Candidate]) -> float:
    held = 0
    for candidate in best:
        held |= candidate.matched
    return pool.covered_share(held)
