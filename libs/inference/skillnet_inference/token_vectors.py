"""The vectors of a text's single tokens, for late interaction (Khattab and Zaharia 2020, arXiv:2004.12832).

They are the last hidden states of the pass that gives the text's vector: no second model and no second pass. Those of
passages are kept as one sign bit a value, those of questions stay as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skillnet_inference.vectors import Vectors

_SMALLEST_LENGTH = 1e-6


class EncodedPassages(NamedTuple):
    """Unit vectors, float32 [texts, dimension], and the sign bits of each text's tokens; None where none are made."""

    vectors: Vectors
    token_bits: list[bytes] | None


class EncodedTokens(NamedTuple):
    """A unit vector, float32 [dimension], and those of the text's tokens, float32 [tokens, dimension], centred."""

    vector: Vectors
    tokens: Vectors


def centred(tokens: Vectors, centre: Vectors) -> Vectors:
    """Unit vectors seen from the centre, of length 1 again: float32 [tokens, dimension]."""
    offsets = tokens - centre
    lengths = np.linalg.norm(offsets, axis=1, keepdims=True)
    return np.asarray(offsets / np.maximum(lengths, _SMALLEST_LENGTH), np.float32)


def sign_bits(tokens: Vectors) -> bytes:
    """One bit a value, 1 where it is above 0, packed token after token; a token fills whole bytes."""
    return np.packbits(tokens > 0, axis=1).tobytes()
