"""Figures of the queues and of the outbox, for dashboards and alarms."""

from __future__ import annotations

from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database, Queries
from skillnet_dispatcher.metrics import OUTBOX_LAG, OUTBOX_ROWS, QUEUE_OLDEST, QUEUE_ROWS, VERSIONS_STALLED

_SQL = Queries(__package__, "observe.sql")
_STATES = ("waiting", "released", "claimed")


class Observe:
    """Sets the gauges; `forget` clears them when another process leads and sets its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def step(self) -> bool:
        """Counts once."""
        async with self._database.system() as connection:
            queues = await connection.fetch(_SQL.queues)
            outbox = await connection.fetchrow(_SQL.outbox)
            stalled = await connection.fetchval(_SQL.stalled)
        VERSIONS_STALLED.set(stalled)
        pieces = {(row["stage"], row["state"]): row["pieces"] for row in queues}
        oldest = {row["stage"]: row["oldest_seconds"] for row in queues if row["state"] == "waiting"}
        for stage in Stage:
            for state in _STATES:
                QUEUE_ROWS.labels(stage, state).set(pieces.get((stage, state), 0))
            QUEUE_OLDEST.labels(stage).set(max(oldest.get(stage, 0.0), 0.0))
        if outbox is not None:
            OUTBOX_ROWS.set(outbox["events"])
            OUTBOX_LAG.set(outbox["lag_seconds"])
        return False


def forget() -> None:
    """Clears the gauges."""
    QUEUE_ROWS.clear()
    QUEUE_OLDEST.clear()
    for gauge in (OUTBOX_ROWS, OUTBOX_LAG, VERSIONS_STALLED):
        gauge.set(0)
