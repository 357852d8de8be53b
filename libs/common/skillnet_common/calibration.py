"""When what was found can carry an answer: a logistic model of the search's figures, fitted to an embedding model."""

from __future__ import annotations

import math
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from skillnet_common.contracts.retrieval import Evidence


class Figure(StrEnum):
    """A figure of a search that the model looks at."""

    SIMILARITY = "similarity"
    """The best cosine."""
    MARGIN = "margin"
    """The best cosine above the median of the candidates."""
    COVERAGE = "coverage"
    """Share of the question's idf that one of the best passages holds."""
    TERMS = "terms"
    """The logarithm of the number of the question's terms, and one: a long question is near to nothing."""
    OTHER_LANGUAGE = "other_language"
    """1 where the nearest passage is in another language than the question: cosines are lower, words tell less."""
    LATE = "late"
    """The best late interaction of the first passages."""
    LATE_MARGIN = "late_margin"
    """That above the median of the compared passages."""


WITHOUT_TOKENS = (Figure.SIMILARITY, Figure.MARGIN, Figure.COVERAGE, Figure.TERMS, Figure.OTHER_LANGUAGE)
WITH_TOKENS = (*WITHOUT_TOKENS, Figure.LATE, Figure.LATE_MARGIN)


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Weight(_Frozen):
    """What a figure adds to the logit: `weight` for each `scale` above `mean`."""

    mean: float
    scale: float = Field(gt=0)
    weight: float


class Judge(_Frozen):
    """The logit is linear in the figures; `threshold` is the least probability that suffices."""

    intercept: float
    weights: dict[Figure, Weight]
    threshold: float = Field(default=0.5, ge=0, le=1)

    def probability(self, figures: dict[Figure, float]) -> float:
        """That the passages hold the answer, 0 to 1."""
        logit = self.intercept + sum(
            weight.weight * (figures[name] - weight.mean) / weight.scale for name, weight in self.weights.items()
        )
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, logit))))


class Calibration(_Frozen):
    """The judges of one embedding model: of searches with late interaction and of those without."""

    with_tokens: Judge
    without_tokens: Judge

    def suffices(self, evidence: Evidence) -> bool:
        """Whether an answer can stand on what was found; not where nothing was compared by meaning."""
        figures = figures_of(evidence)
        if not figures:
            return False
        judge = self.with_tokens if Figure.LATE in figures else self.without_tokens
        return judge.probability(figures) >= judge.threshold


def figures_of(evidence: Evidence) -> dict[Figure, float]:
    """What the judges look at: nothing where no cosine was measured, as where a code is missing, which decides alone.
    The two of late interaction are missing where no tokens were compared."""
    if evidence.top_similarity is None or evidence.similarity_margin is None:
        return {}
    figures = {
        Figure.SIMILARITY: evidence.top_similarity,
        Figure.MARGIN: evidence.similarity_margin,
        Figure.COVERAGE: evidence.term_coverage or 0.0,
        Figure.TERMS: math.log1p(evidence.terms),
        Figure.OTHER_LANGUAGE: float(evidence.other_language),
    }
    if evidence.late_interaction is not None and evidence.late_margin is not None:
        figures |= {Figure.LATE: evidence.late_interaction, Figure.LATE_MARGIN: evidence.late_margin}
    return figures
