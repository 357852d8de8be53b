"""Claims whose lease ran out: their worker is dead or cut off."""

from __future__ import annotations

import asyncpg
import structlog

from skillnet_common.database import Database, Queries
from skillnet_common.errors import ErrorCode
from skillnet_common.versions import fail_version
from skillnet_common.versions.locks import version_state
from skillnet_dispatcher.metrics import RECOVERED

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "reap.sql")


class Reap:
    """Makes such work wait again; work that was attempted too often fails its version."""

    def __init__(self, database: Database, *, max_attempts: int) -> None:
        self._database = database
        self._max_attempts = max_attempts

    async def step(self) -> bool:
        """One pass over the expired claims."""
        async with self._database.system() as connection:
            status = await connection.execute(_SQL.wait_again, self._max_attempts)
            exhausted = await connection.fetch(_SQL.exhausted, self._max_attempts)
        count = int(status.rpartition(" ")[2])
        if count:
            RECOVERED.labels("lease_expired").inc(count)
            log.warning("claims_expired", pieces=count)
        for row in exhausted:
            await self._give_up(row)
        return False

    async def _give_up(self, row: asyncpg.Record) -> None:
        message = f"Given up after {row['attempts']} attempts: each time the worker vanished while it was at it."
        async with self._database.system() as connection:
            await version_state(connection, row["org_id"], row["document_id"], row["version"])
            status = await connection.execute(_SQL.quarantine, row["org_id"], row["work_id"], message)
            if status != "UPDATE 1":
                return  # its worker came back, or somebody else claimed it
            await fail_version(
                connection,
                row["org_id"],
                row["document_id"],
                row["version"],
                stage=row["stage"],
                code=ErrorCode.ATTEMPTS_EXHAUSTED,
                message=message,
            )
        RECOVERED.labels("given_up").inc()
        log.error("work_quarantined", work_id=str(row["work_id"]), stage=row["stage"], version=row["version"])
