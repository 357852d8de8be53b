"""Errors over HTTP: RFC 9457 problem details."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from skillnet_common.contracts.base import Message

PROBLEM_MEDIA_TYPE = "application/problem+json"


class InvalidField(Message):
    """A field that does not have its form. `location`: query, path, header or body, then the names inside."""

    location: list[str | int]
    code: str
    message: str


class Problem(Message):
    """An error reply. `code` is one of `ErrorCode` and stable; `detail` is a sentence for a person."""

    type: str
    """A URN of the code: `urn:skillnet:error:<code>`."""
    title: str
    status: int
    detail: str
    code: str
    instance: str
    """The request's path."""
    request_id: str
    """Given back in `X-Request-Id`; the logs carry it."""
    errors: list[InvalidField] | None = None
    """The fields at fault, for `invalid_request`."""
    details: dict[str, Any] = Field(default_factory=dict)
    """More of what `code` is about, machine-readable."""
