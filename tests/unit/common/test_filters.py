"""Filters take any time that exists and refuse what the database cannot compare with."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from skillnet_common.contracts.retrieval import MAX_PAGE, Filters


@pytest.mark.parametrize("value", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_times_outside_of_utc_are_refused(value: str) -> None:
    with pytest.raises(ValidationError, match="outside the years"):
        Filters.model_validate({"updated_after": value})


def test_times_are_in_utc() -> None:
    filters = Filters.model_validate(
        {"updated_after": "2026-03-01T12:00:00", "updated_before": "2026-03-01T12:00:00+02:00"}
    )
    assert filters.updated_after == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert filters.updated_before == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_pages_fit_the_database() -> None:
    with pytest.raises(ValidationError):
        Filters(page_from=MAX_PAGE + 1)
