"""Retry-After comes in seconds or as a date."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from skillnet_common.retry_after import retry_after_seconds

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        ("Fri, 01 May 2026 12:00:09 GMT", 9.0),
        ("Fri, 01 May 2026 11:00:00 GMT", 0.0),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
def test_it_is_read(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, NOW) == seconds
