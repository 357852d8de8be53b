"""What counts as a vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.vectors import unit_vectors


def test_vectors_are_brought_to_length_1() -> None:
    vectors = unit_vectors([[3, 4], [0, -2]], 2, 2, "The test")
    assert vectors.dtype == np.float32
    assert np.allclose(vectors, [[0.6, 0.8], [0.0, -1.0]])
    assert unit_vectors(np.empty((0, 2)), 0, 2, "The test").shape == (0, 2)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ([[1.0, 2.0, 3.0]], "shape"),
        ([[1.0, 2.0], [1.0, 2.0]], "shape"),
        ([1.0, 2.0], "shape"),
        ([[1.0, float("nan")]], "finite"),
        ([[1.0, float("inf")]], "finite"),
        ([[0.0, 0.0]], "length 0"),
        ([["a", "b"]], "lists of numbers"),
        ([[1.0], [1.0, 2.0]], "lists of numbers"),
        ([None], "shape|lists of numbers"),
    ],
)
def test_anything_else_is_refused(raw: Any, why: str) -> None:
    with pytest.raises(PermanentFault, match=why) as raised:
        unit_vectors(raw, 1, 2, "The test")
    assert raised.value.code is ErrorCode.PROVIDER_FAILED
