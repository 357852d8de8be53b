"""What an organisation has used, from its counters, and what it stores now."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

from skillnet_common.contracts.usage import Storage, Usage, UsageCount, UsageKind, UsageTotal
from skillnet_common.database import Database, Queries
from skillnet_common.errors import ErrorCode, RequestError

DEFAULT_DAYS = 30
MAX_DAYS = 366

_KNOWN = frozenset(UsageKind)
"""A newer release may count what this one does not know."""

_SQL = Queries(__package__, "account.sql")


class UsageReports:
    """Reads what `skillnet_common.usage` has counted."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(self, org_id: UUID, first: date | None, last: date | None) -> Usage:
        """The days asked for, both included; by default the last thirty. Raises RequestError `invalid_request` where
        there is none between them, or more than a year."""
        first, last = _days(first, last)
        async with self._database.tenant(org_id, readonly=True) as connection:
            rows = await connection.fetch(_SQL.usage, org_id, first, last)
            storage = await connection.fetchrow(_SQL.storage, org_id)
        if storage is None:
            raise LookupError("an aggregate returned no row")
        days = [UsageCount(**row) for row in rows if row["kind"] in _KNOWN]
        return Usage(
            first_day=first, last_day=last, days=days, totals=list(_totals(days)), storage=Storage(**storage)
        )


def _days(first: date | None, last: date | None) -> tuple[date, date]:
    last = last or max(datetime.now(UTC).date(), first or date.min)
    if first is None:
        first = last - timedelta(days=min(DEFAULT_DAYS - 1, (last - date.min).days))
    if not 0 <= (last - first).days < MAX_DAYS:
        raise RequestError(
            ErrorCode.INVALID_REQUEST, f"`from` must not be after `to`, nor more than {MAX_DAYS} days before it."
        )
    return first, last


def _totals(days: Iterable[UsageCount]) -> Iterable[UsageTotal]:
    listed = list(days)
    for kind in UsageKind:
        of_kind = [count for count in listed if count.kind is kind]
        if of_kind:
            yield UsageTotal(
                kind=kind,
                amount=sum(count.amount for count in of_kind),
                estimated=sum(count.estimated for count in of_kind),
            )
