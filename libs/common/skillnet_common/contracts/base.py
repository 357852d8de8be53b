"""The base of every message."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Frozen; unknown fields of a newer sender are ignored (a tolerant reader)."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Request(BaseModel):
    """Frozen; an unknown field in a request is an error, so that a misspelt filter is never ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
