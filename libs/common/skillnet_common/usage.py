"""What an organisation uses, counted by day: with the transaction of a result, or by a meter."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from uuid import UUID

import structlog

from skillnet_common.contracts.usage import UsageKind
from skillnet_common.database.pool import Connection, Database

log = structlog.get_logger(__name__)

FLUSH_SECONDS = 5.0
"""A process that is killed loses what its meter counted in this time. Results count with their transaction."""

_SLOTS = 16
_MOST = 2**63 - 1
"""A counter stays at what its column holds: one that is beyond it must not keep the others from being written."""

# In one order, so that two writers never wait for each other's rows.
_ADD = """\
INSERT INTO usage_counts AS u (org_id, day, kind, estimated, slot, amount)
SELECT $1, c.day, c.kind, c.estimated, $2, c.amount
FROM unnest($3::date[], $4::text[], $5::boolean[], $6::bigint[]) AS c (day, kind, estimated, amount)
ORDER BY c.day, c.kind, c.estimated
ON CONFLICT (org_id, day, kind, estimated, slot) DO UPDATE
SET amount = least(u.amount::numeric + excluded.amount, 9223372036854775807)::bigint"""


@dataclass(frozen=True, slots=True)
class _Counted:
    day: date
    kind: UsageKind
    estimated: bool


async def add_usage(connection: Connection, org_id: UUID, amounts: Mapping[UsageKind, int]) -> None:
    """Counts in the open tenant transaction. Its last statement, since its rows stay locked until the commit."""
    today = _today()
    await _add(connection, org_id, {_Counted(today, kind, False): amount for kind, amount in amounts.items()})


class UsageMeter:
    """Counts in memory, at no cost to the request that is counted; `flush` adds it to the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._counts: defaultdict[UUID, Counter[_Counted]] = defaultdict(Counter)

    def count(self, org_id: UUID, kind: UsageKind, amount: int = 1, *, estimated: bool = False) -> None:
        """Adds to a counter of today."""
        self._counts[org_id][_Counted(_today(), kind, estimated)] += amount

    async def flush(self) -> None:
        """Writes what was counted, a transaction an organisation; what cannot be written is kept."""
        for org_id in list(self._counts):
            counts = self._counts.pop(org_id)
            try:
                async with self._database.tenant(org_id) as connection:
                    await _add(connection, org_id, counts)
            except Exception as error:  # whatever it is, figures must not end the service
                log.warning("usage_not_written", org_id=str(org_id), error=repr(error))
                self._counts[org_id].update(counts)


@asynccontextmanager
async def open_meter(database: Database, *, seconds: float = FLUSH_SECONDS) -> AsyncIterator[UsageMeter]:
    """A meter that is flushed every so many seconds, and once more at the end."""
    meter = UsageMeter(database)
    closing = asyncio.Event()
    task = asyncio.create_task(_flush_regularly(meter, closing, seconds))
    try:
        yield meter
    finally:
        closing.set()  # a flush on its way is not cut off: nobody could say whether it counted
        await task
        await meter.flush()


async def _flush_regularly(meter: UsageMeter, closing: asyncio.Event, seconds: float) -> None:
    while not closing.is_set():
        try:
            async with asyncio.timeout(seconds):
                await closing.wait()
        except TimeoutError:
            await meter.flush()


async def _add(connection: Connection, org_id: UUID, counts: Mapping[_Counted, int]) -> None:
    given = [(counted, amount) for counted, amount in counts.items() if amount > 0]
    if not given:
        return
    await connection.execute(
        _ADD,
        org_id,
        random.randrange(_SLOTS),  # noqa: S311 - spreads writers
        [counted.day for counted, _ in given],
        [str(counted.kind) for counted, _ in given],
        [counted.estimated for counted, _ in given],
        [min(amount, _MOST) for _, amount in given],
    )


def _today() -> date:
    return datetime.now(UTC).date()
