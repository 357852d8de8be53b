"""Kinds of text that say something of a document, as every request takes them."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

MAX_METADATA_BYTES = 16 * 1024
MAX_TITLE = 500


def _one_line(value: str) -> str:
    if any(unicodedata.category(character) in {"Cc", "Zl", "Zp"} for character in value):
        raise ValueError("must not contain control characters or line breaks")
    return value


def _no_comma(value: str) -> str:
    if "," in value or value == "*":
        raise ValueError("must be the name of a group: no comma, and not '*'")
    return value


OneLine = AfterValidator(_one_line)
Id = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True), OneLine]
Source = Annotated[str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True), OneLine]
Title = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TITLE, strip_whitespace=True), OneLine]
ExternalKey = Annotated[str, StringConstraints(min_length=1, max_length=1_000, strip_whitespace=True), OneLine]
Group = Annotated[
    str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True), OneLine, AfterValidator(_no_comma)
]
