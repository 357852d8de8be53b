"""Checks that every vector passes before anyone stores or compares it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from skillnet_common.errors import ErrorCode, PermanentFault

Vectors = npt.NDArray[np.float32]

_SMALLEST_NORM = 1e-6


def unit_vectors(raw: npt.ArrayLike, count: int, dimension: int, source: str) -> Vectors:
    """The vectors as float32 [count, dimension] of length 1.

    Raises PermanentFault where shape, finiteness or length (not 0) is wrong; `source` names who made them.
    """
    try:
        vectors = np.asarray(raw, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise _refused(source, "values that are no equally long lists of numbers") from error
    if vectors.shape != (count, dimension):
        raise _refused(source, f"vectors of shape {vectors.shape} where ({count}, {dimension}) was expected")
    if not np.isfinite(vectors).all():
        raise _refused(source, "a vector that is not finite")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if count and float(norms.min()) < _SMALLEST_NORM:
        raise _refused(source, "a vector of length 0")
    return np.asarray(vectors / norms, dtype=np.float32)


def _refused(source: str, what: str) -> PermanentFault:
    return PermanentFault(ErrorCode.PROVIDER_FAILED, f"{source} gave {what}.")
