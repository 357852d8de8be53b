"""How numbers are stored and multiplied."""

from __future__ import annotations

from enum import StrEnum


class Precision(StrEnum):
    """Arithmetic of the matrix products."""

    INT8 = "int8"
    FP32 = "fp32"


class TablePrecision(StrEnum):
    """Storage of the token table, which is only looked up."""

    INT8 = "int8"
    FP32 = "fp32"
