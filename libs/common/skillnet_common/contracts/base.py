"""The base of every message."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

_DEEPEST = 32


def require_storable(value: Any, *, depth: int = 0) -> None:
    """Refuses, with a ValueError, JSON that PostgreSQL cannot hold: NUL characters, halves of surrogate pairs,
    numbers that are not finite, or more than 32 levels."""
    if depth > _DEEPEST:
        raise ValueError(f"must not be nested deeper than {_DEEPEST} levels")
    match value:
        case str():
            _require_storable_text(value)
        case float() if not math.isfinite(value):
            raise ValueError("numbers must be finite")
        case dict():
            for key, item in value.items():
                require_storable(key, depth=depth + 1)
                require_storable(item, depth=depth + 1)
        case list() | tuple():
            for item in value:
                require_storable(item, depth=depth + 1)


def _require_storable_text(text: str) -> None:
    if "\0" in text:
        raise ValueError("text must not contain NUL characters")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("text must be valid Unicode")


class Message(BaseModel):
    """Frozen; unknown fields of a newer sender are ignored (a tolerant reader)."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Request(BaseModel):
    """Frozen; an unknown field in a request is an error, so that a misspelt filter is never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _refuse_what_no_database_can_hold(cls, data: Any) -> Any:
        require_storable(data)
        return data
