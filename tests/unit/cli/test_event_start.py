"""Where `--since` begins."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from skillnet_cli.event_tail import Start
from skillnet_common.errors import ErrorCode, SkillnetError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ID = "0199a2b4-0000-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (None, Start()),
        ("all", Start(oldest=True)),
        ("10s", Start(moment=NOW - timedelta(seconds=10))),
        ("10m", Start(moment=NOW - timedelta(minutes=10))),
        ("2h", Start(moment=NOW - timedelta(hours=2))),
        ("3d", Start(moment=NOW - timedelta(days=3))),
        ("999999d", Start(moment=datetime(1970, 1, 1, tzinfo=UTC))),
        ("2026-02-28T10:30:00Z", Start(moment=datetime(2026, 2, 28, 10, 30, tzinfo=UTC))),
        ("2026-02-28T10:30+02:00", Start(moment=datetime(2026, 2, 28, 8, 30, tzinfo=UTC))),
        ("2026-02-28", Start(moment=datetime(2026, 2, 28).astimezone(UTC))),
        ("0", Start(sequence=0)),
        ("1234", Start(sequence=1234)),
        (ID, Start(event_id=UUID(ID))),
    ],
)
def test_forms(since: str | None, expected: Start) -> None:
    assert Start.parse(since, NOW) == expected


@pytest.mark.parametrize("since", ["", "yesterday", "2w", "h", "-1", "1.5h", "2026-13-01", "9" * 30])
def test_anything_else_is_refused(since: str) -> None:
    with pytest.raises(SkillnetError) as refused:
        Start.parse(since, NOW)
    assert refused.value.code == ErrorCode.INVALID_REQUEST
