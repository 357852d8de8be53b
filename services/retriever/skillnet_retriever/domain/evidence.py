"""Whether the passages found can carry an answer, judged from the question's own scores."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Evidence
from skillnet_retriever.domain.candidates import Candidate, Pool
from skillnet_retriever.domain.fusion import Ranked

_CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d.*\d)[\w./:,-]+")
_BEST = 3
"""How many of the best passages are looked at."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A logistic model: the logit of "the answer is among the passages" is linear in three figures.

    `similarity` weighs how far the best cosine stands above that of unrelated texts, `margin` how far above the
    median of the candidates (both in the calibration's `spread`), `coverage` the share of the question's idf that
    one of the best passages holds.
    """

    intercept: float
    similarity: float
    margin: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weights for one embedding model. `unrelated` and `spread` are the cosine of texts that have nothing to do
    with each other and its deviation: the scale of the model. Across languages cosines are lower and words tell
    less, so that a passage in another language than the question's is judged by weights of its own."""

    unrelated: float
    spread: float
    same_language: Weights
    across_languages: Weights

    def probability(self, top: float, median: float, coverage: float, *, same_language: bool) -> float:
        """That the passages hold the answer, 0 to 1."""
        weights = self.same_language if same_language else self.across_languages
        logit = (
            weights.intercept
            + weights.similarity * (top - self.unrelated) / self.spread
            + weights.margin * (top - median) / self.spread
            + weights.coverage * coverage
        )
        return 1 / (1 + math.exp(-logit))


E5_SMALL = Calibration(
    unrelated=0.79,
    spread=0.02,
    same_language=Weights(intercept=-8.70, similarity=1.39, margin=1.03, coverage=6.15),
    across_languages=Weights(intercept=-0.92, similarity=2.02, margin=0.19, coverage=8.81),
)
"""Fitted to XQuAD's questions in Spanish and English over Spanish texts, in scopes of 5 to 240 passages with and
without the answer, and to staff's questions over the example documents (docs/retrieval.md has the error rates)."""
_WORDS_MOSTLY = Weights(intercept=-3.0, similarity=0.0, margin=0.0, coverage=6.0)
OTHER_MODEL = Calibration(unrelated=0.0, spread=1.0, same_language=_WORDS_MOSTLY, across_languages=_WORDS_MOSTLY)
"""Cautious: the scale of a model that was never measured is unknown, so that words decide."""
WORDS_ALONE = 0.5
"""Without a semantic model one of the best passages must hold this share of the question's idf."""


def calibration_for(model_name: str) -> Calibration:
    """The calibration of a model by its name."""
    return E5_SMALL if "multilingual-e5-small" in model_name else OTHER_MODEL


@dataclass(frozen=True, slots=True)
class Judgement:
    """The figures, and whether they suffice."""

    evidence: Evidence
    sufficient: bool


def judge(pool: Pool, ranking: Sequence[Ranked], calibration: Calibration | None) -> Judgement:
    """`calibration` is None where the model is not semantic: then only words count."""
    best = [ranked.candidate for ranked in ranking[:_BEST]]
    coverage = max((pool.covered_share(candidate.matched) for candidate in best), default=0.0)
    similar = sorted((c for c in pool.candidates if c.cosine is not None), key=_cosine, reverse=True)
    evidence = Evidence(
        term_coverage=coverage,
        missing_terms=[term.text for term in pool.missing_terms(best)],
        semantic_model=calibration is not None,
    )
    if _names_absent_code(pool):
        return Judgement(evidence, sufficient=False)
    if calibration is None or not similar:
        return Judgement(evidence, bool(best) and bool(pool.terms) and coverage >= WORDS_ALONE)
    top, median = _cosine(similar[0]), statistics.median(map(_cosine, similar))
    probability = calibration.probability(top, median, coverage, same_language=similar[0].same_language)
    measured = evidence.model_copy(update={"top_similarity": top, "similarity_margin": top - median})
    return Judgement(measured, bool(best) and probability >= 0.5)


def _names_absent_code(pool: Pool) -> bool:
    """Whether the question names a code (letters and at least two digits) that nothing in the scope holds: what is
    said of another code, however alike, is no answer."""
    return any(term.chunk_count == 0 and _CODE.fullmatch(term.text) for term in pool.terms)


def _cosine(candidate: Candidate) -> float:
    return candidate.cosine or 0.0
