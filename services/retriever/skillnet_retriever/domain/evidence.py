"""Whether the passages found can carry an answer, judged from the question's own scores."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.calibration import Calibration, Figure, Judge, Weight
from skillnet_common.contracts.retrieval import Evidence
from skillnet_retriever.domain.candidates import Candidate, Pool
from skillnet_retriever.domain.fusion import Ranked

_CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d.*\d)[\w./:,-]+")
_BEST = 3
"""How many of the best passages are looked at."""


_WORDS_MOSTLY = Judge(intercept=-3.0, weights={Figure.COVERAGE: Weight(mean=0.0, scale=1.0, weight=6.0)})
OTHER_MODEL = Calibration(with_tokens=_WORDS_MOSTLY, without_tokens=_WORDS_MOSTLY)
"""Cautious: the scale of a model that was never measured is unknown, so that words decide."""
WORDS_ALONE = 0.5
"""Without a semantic model one of the best passages must hold this share of the question's idf."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The figures, and whether they suffice."""

    evidence: Evidence
    sufficient: bool


def judge(pool: Pool, ranking: Sequence[Ranked], calibration: Calibration | None) -> Judgement:
    """`calibration` is None where the model is not semantic: then only words count."""
    best = [ranked.candidate for ranked in ranking[:_BEST]]
    evidence = Evidence(
        term_coverage=max((pool.covered_share(candidate.matched) for candidate in best), default=0.0),
        missing_terms=[term.text for term in pool.missing_terms(best)],
        terms=len(pool.terms),
        semantic_model=calibration is not None,
    )
    if names_absent_code(pool):
        return Judgement(evidence, sufficient=False)
    similar = sorted((c for c in pool.candidates if c.cosine is not None), key=_cosine, reverse=True)
    if calibration is None or not similar:
        covered = evidence.term_coverage or 0.0
        return Judgement(evidence, bool(best) and bool(pool.terms) and covered >= WORDS_ALONE)
    top, median = _cosine(similar[0]), statistics.median(map(_cosine, similar))
    measured = evidence.model_copy(
        update={
            "top_similarity": top,
            "similarity_margin": top - median,
            "other_language": not similar[0].same_language,
            **_late_figures(ranking),
        }
    )
    return Judgement(measured, bool(best) and calibration.suffices(measured))


def _late_figures(ranking: Sequence[Ranked]) -> dict[str, float]:
    compared = [ranked.late for ranked in ranking if ranked.late is not None]
    first = [ranked.late for ranked in ranking[:_BEST] if ranked.late is not None]
    if not first:
        return {}
    return {"late_interaction": max(first), "late_margin": max(first) - statistics.median(compared)}


def names_absent_code(pool: Pool) -> bool:
    """Whether the question names a code (letters and at least two digits) that nothing in the scope holds: what is
    said of another code, however alike, is no answer."""
    return any(term.chunk_count == 0 and _CODE.fullmatch(term.text) for term in pool.terms)


def _cosine(candidate: Candidate) -> float:
    return candidate.cosine or 0.0
