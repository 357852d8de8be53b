"""How sure a mean is: percentile bootstrap over questions (Efron 1979). Seeded, so that the same figures come out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_SAMPLES = 2_000
_SEED = 20_261_201
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difference:
    """Second minus first over the same questions, and on how many of them either is ahead."""

    interval: Interval
    first_ahead: int
    second_ahead: int
    ties: int


def interval(values: Sequence[float]) -> Interval | None:
    """The mean of the values; None where there are none."""
    if not values:
        return None
    array = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(_SEED)
    # A row at a time: a matrix of all samples would take 8 bytes x samples x questions.
    means = [array[generator.integers(0, len(array), len(array))].mean() for _ in range(_SAMPLES)]
    low, high = np.percentile(means, [_LOW, _HIGH])
    return Interval(float(array.mean()), float(low), float(high))


def paired(first: Sequence[float], second: Sequence[float]) -> Difference | None:
    """Compares two configurations question by question; the sequences are of one length and order."""
    differences = [b - a for a, b in zip(first, second, strict=True)]
    found = interval(differences)
    if found is None:
        return None
    behind = sum(difference < 0 for difference in differences)
    ahead = sum(difference > 0 for difference in differences)
    return Difference(found, behind, ahead, len(differences) - behind - ahead)
