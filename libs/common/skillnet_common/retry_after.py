"""The pause that an HTTP server asks for."""

from __future__ import annotations

import math
from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """A Retry-After header, in seconds or as a date (RFC 9110, 10.2.3); None where it is missing or unreadable."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - now).total_seconds()
        except (TypeError, ValueError):  # not a date, or one without a time zone
            return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
