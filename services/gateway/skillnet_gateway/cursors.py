"""Cursors: a place in a list, opaque to the caller."""

from __future__ import annotations

import base64
import json
from typing import Any

from skillnet_common.errors import ErrorCode, RequestError


def write_cursor(*place: int | str) -> str:
    """The place as text that fits into an address."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> list[Any]:
    """The parts of the place, of whatever kinds; RequestError `invalid_request` where there are none."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        place = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, RecursionError) as error:
        raise foreign_cursor() from error
    if not isinstance(place, list):
        raise foreign_cursor()
    return place


def foreign_cursor() -> RequestError:
    """Where a cursor is not one of this list."""
    return RequestError(ErrorCode.INVALID_REQUEST, "This cursor is not one that a list has given.")
