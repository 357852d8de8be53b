"""Intervals that come out the same, and comparisons of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from skillnet_evaluation.statistics import interval, paired


def test_the_interval_is_the_same_each_time_and_holds_the_mean() -> None:
    values = np.random.default_rng(1).random(200).tolist()
    first, second = interval(values), interval(values)
    assert first == second
    assert first is not None
    assert first.low < first.mean < first.high
    # of a mean of n uniform values: 1.96 x sqrt(1/12 / n) on either side
    assert first.high - first.low == pytest.approx(2 * 1.96 * np.sqrt(1 / 12 / 200), rel=0.15)


def test_no_values_have_no_interval() -> None:
    assert interval([]) is None
    assert paired([], []) is None


def test_pairs_show_what_means_hide() -> None:
    generator = np.random.default_rng(2)
    before = generator.random(300)
    after = before + 0.01
    difference = paired(before.tolist(), after.tolist())
    assert difference is not None
    assert difference.interval.low == pytest.approx(0.01)
    assert difference.second_ahead == 300
    assert difference.first_ahead == difference.ties == 0
