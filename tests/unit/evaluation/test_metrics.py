"""The figures against trec_eval's own code, on random rankings."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import RR, R, nDCG

from skillnet_evaluation.metrics import ndcg_at, recall_at, reciprocal_rank

UNITS = [f"d{number}" for number in range(40)]
rankings = st.lists(st.sampled_from(UNITS), unique=True, max_size=30)
relevant = st.dictionaries(st.sampled_from(UNITS), st.integers(1, 4), min_size=1, max_size=12)


@given(rankings, relevant)
def test_figures_are_those_of_trec_eval(ranking: list[str], gains: dict[str, int]) -> None:
    measures = [R @ 1, R @ 5, R @ 20, RR @ 10, nDCG @ 10]
    run = {"q": {unit: float(len(ranking) - place) for place, unit in enumerate(ranking)}}
    theirs = ir_measures.calc_aggregate(measures, {"q": gains}, run)
    floats = {unit: float(gain) for unit, gain in gains.items()}
    ours = {
        R @ 1: recall_at(ranking, floats, 1),
        R @ 5: recall_at(ranking, floats, 5),
        R @ 20: recall_at(ranking, floats, 20),
        RR @ 10: reciprocal_rank(ranking, floats, 10),
        nDCG @ 10: ndcg_at(ranking, floats, 10),
    }
    for measure, value in ours.items():
        assert value == pytest.approx(theirs[measure], abs=1e-9), str(measure)


def test_a_unit_that_comes_again_counts_where_it_came_first() -> None:
    gains = {"a": 1.0, "b": 1.0}
    assert ndcg_at(["a", "a", "b"], gains, 10) == ndcg_at(["a", "x", "b"], gains, 10)
    assert recall_at(["a", "a"], gains, 2) == 0.5
