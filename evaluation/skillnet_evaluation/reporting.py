"""From outcomes to the figures of configurations, slices and comparisons. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from skillnet_evaluation.asking import DEPTHS, Outcome, values
from skillnet_evaluation.questions import MISSPELT
from skillnet_evaluation.statistics import interval, paired

ALWAYS = (*(f"recall@{depth}" for depth in DEPTHS), "mrr@10", "ndcg@10", "page_accuracy")
"""Figures that every configuration and slice has; null where no question has it."""
_ALSO = ("span_recall", "answered", "citation_precision", "citation_recall")
_DECLINED = "no_answer_accuracy"


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of one configuration, each a mean over the questions that have it.

    Misspelt questions and those that nothing answers are sets of their own: they count in `slices` only, the latter
    in `no_answer_accuracy` too.
    """
    counted = _counted(outcomes)
    unanswerable = [outcome for outcome in outcomes if not outcome.question.is_answerable]
    return {
        "questions": len(counted),
        **_means(counted),
        _DECLINED: _rounded(_mean(values(unanswerable, _DECLINED))),
        "intervals": _intervals(counted, unanswerable),
        "search_ms": _times([outcome.took_ms for outcome in outcomes]),
        "wall_ms": _times([outcome.wall_ms for outcome in outcomes]),
        "slices": {
            name: {"questions": len(own), **_means(own), _DECLINED: _rounded(_mean(values(own, _DECLINED)))}
            for name, own in _slices(outcomes).items()
        },
    }


def comparison_of(first: Sequence[Outcome], second: Sequence[Outcome]) -> dict[str, Any]:
    """Second minus first, question by question, for every figure that both have."""
    compared = {}
    for name in (*ALWAYS, *_ALSO, _DECLINED):
        pairs = [
            (a.figures[name], b.figures[name])
            for a, b in zip(first, second, strict=True)
            if name in a.figures and name in b.figures and MISSPELT not in a.question.slices
        ]
        difference = paired([a for a, _ in pairs], [b for _, b in pairs])
        if difference is not None:
            compared[name] = {
                "difference": _rounded(difference.interval.mean),
                "low": _rounded(difference.interval.low),
                "high": _rounded(difference.interval.high),
                "first_ahead": difference.first_ahead,
                "second_ahead": difference.second_ahead,
                "ties": difference.ties,
            }
    return compared


def details_of(name: str, outcomes: Iterable[Outcome]) -> Iterable[dict[str, Any]]:
    """A line a question, for the analysis of errors."""
    for outcome in outcomes:
        question = outcome.question
        yield {
            "configuration": name,
            "id": question.id,
            "question": question.text,
            "slices": list(question.slices),
            "kind": question.kind,
            "gold": [asdict(answer) for answer in question.answers],
            "figures": outcome.figures,
            "ranking": list(outcome.units),
            "first": outcome.first,
            "rung": outcome.rung,
            "cited": list(outcome.cited),
            "took_ms": outcome.took_ms,
        }


def failures_of(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Answerable questions whose answer is not among the first five, and unanswerable ones that were answered."""
    return [
        outcome
        for outcome in outcomes
        if outcome.figures.get("recall@5", 1.0) < 1.0 or outcome.figures.get(_DECLINED, 1.0) < 1.0
    ]


def _counted(outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [one for one in outcomes if one.question.is_answerable and MISSPELT not in one.question.slices]


def _slices(outcomes: Sequence[Outcome]) -> Mapping[str, list[Outcome]]:
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        question = outcome.question
        for name in dict.fromkeys((*question.slices, *([question.kind] if question.kind else []))):
            found.setdefault(name, []).append(outcome)
    return dict(sorted(found.items()))


def _means(outcomes: Sequence[Outcome]) -> dict[str, float | None]:
    return {name: _rounded(_mean(values(outcomes, name))) for name in (*ALWAYS, *_ALSO)}


def _intervals(counted: Sequence[Outcome], unanswerable: Sequence[Outcome]) -> dict[str, list[float | None]]:
    found = {}
    for name in (*ALWAYS, *_ALSO, _DECLINED):
        known = interval(values(unanswerable if name == _DECLINED else counted, name))
        if known is not None:
            found[name] = [_rounded(known.low), _rounded(known.high)]
    return found


def _times(milliseconds: Sequence[float]) -> dict[str, float]:
    if not milliseconds:
        return {"p50": 0.0, "p95": 0.0}
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return {"p50": round(float(p50), 2), "p95": round(float(p95), 2)}


def _mean(found: Sequence[float]) -> float | None:
    return float(np.mean(found)) if found else None


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
