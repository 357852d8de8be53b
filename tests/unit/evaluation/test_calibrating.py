"""Judges of evidence are learnt from cases."""

from __future__ import annotations

import random

import pytest

from skillnet_common.calibration import WITH_TOKENS, Figure, figures_of
from skillnet_common.contracts.retrieval import Evidence
from skillnet_evaluation.calibrating import Case, TooFewCases, fit, rates


def case(
    similarity: float, *, answerable: bool, kind: str = "any", late: float | None = None, **more: object
) -> Case:
    evidence = Evidence.model_validate(
        {
            "top_similarity": similarity,
            "similarity_margin": 0.05,
            "term_coverage": 0.5,
            "terms": 4,
            "late_interaction": late,
            "late_margin": None if late is None else 0.1,
            **more,
        }
    )
    return Case(evidence, answerable, kind)


def drawn(
    count: int, mean: float, seed: int, *, answerable: bool, kind: str = "any", late: bool = False
) -> list[Case]:
    draw = random.Random(seed)  # noqa: S311 - data of a test
    similarities = [draw.gauss(mean, 0.02) for _ in range(count)]
    return [case(s, answerable=answerable, kind=kind, late=s / 2 if late else None) for s in similarities]


def test_what_is_apart_is_told_apart_and_few_answers_are_refused() -> None:
    fitted = drawn(300, 0.90, 1, answerable=True) + drawn(300, 0.80, 2, answerable=False, kind="off")
    calibration = fit(fitted, most_refused=0.05)
    others = drawn(300, 0.90, 3, answerable=True) + drawn(300, 0.80, 4, answerable=False, kind="off")
    found = rates(others, calibration)
    assert 0.90 <= found["any"] <= 0.99
    assert found["off"] >= 0.98
    assert calibration.without_tokens.weights[Figure.SIMILARITY].weight > 1


@pytest.mark.parametrize("most_refused", [0.0, 0.1, 0.3])
def test_the_threshold_refuses_as_many_as_it_may(most_refused: float) -> None:
    cases = drawn(200, 0.85, 1, answerable=True) + drawn(200, 0.83, 2, answerable=False, kind="off")
    assert rates(cases, fit(cases, most_refused=most_refused))["any"] == pytest.approx(1 - most_refused, abs=0.011)


def test_a_kind_weighs_the_same_however_many_cases_it_has() -> None:
    """Ten thousand easy cases do not drown the few that are hard."""
    hard = drawn(40, 0.87, 1, answerable=False, kind="near")
    answers = drawn(100, 0.90, 2, answerable=True)
    few = fit([*answers, *hard, *drawn(40, 0.70, 3, answerable=False, kind="off")], most_refused=0.05)
    many = fit([*answers, *hard, *drawn(4_000, 0.70, 3, answerable=False, kind="off")], most_refused=0.05)
    assert abs(rates(hard, few)["near"] - rates(hard, many)["near"]) <= 0.1


def test_late_interaction_has_a_judge_of_its_own() -> None:
    with_late = drawn(60, 0.9, 1, answerable=True, late=True) + drawn(60, 0.8, 2, answerable=False, late=True)
    calibration = fit(with_late, most_refused=0.05)
    assert set(calibration.with_tokens.weights) == set(WITH_TOKENS)
    assert Figure.LATE not in calibration.without_tokens.weights
    without = fit(drawn(60, 0.9, 1, answerable=True) + drawn(60, 0.8, 2, answerable=False), most_refused=0.05)
    assert without.with_tokens == without.without_tokens


def test_what_was_not_compared_by_meaning_is_no_case_and_never_suffices() -> None:
    cases = drawn(60, 0.9, 1, answerable=True) + drawn(60, 0.8, 2, answerable=False)
    unmeasured = [case(0.0, answerable=False, kind="code", top_similarity=None) for _ in range(500)]
    assert figures_of(unmeasured[0].evidence) == {}
    calibration = fit([*cases, *unmeasured], most_refused=0.05)
    assert calibration == fit(cases, most_refused=0.05)
    assert rates(unmeasured, calibration) == {"code": 1.0}


def test_one_sort_of_cases_teaches_nothing() -> None:
    with pytest.raises(TooFewCases):
        fit(drawn(100, 0.9, 1, answerable=True) + drawn(5, 0.8, 2, answerable=False), most_refused=0.05)
