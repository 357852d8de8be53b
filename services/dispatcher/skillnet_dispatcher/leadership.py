"""One leader: an advisory lock of PostgreSQL, held on a connection of its own for as long as the loops run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import structlog

from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_dispatcher.loop import Loop
from skillnet_dispatcher.metrics import LEADER

log = structlog.get_logger(__name__)

_TRY_LOCK = "SELECT pg_try_advisory_lock(hashtext('skillnet dispatcher'))"
_RETRY_SECONDS = 0.5
_GUARD_SECONDS = 1.0
_TIMEOUT_SECONDS = 5.0
_CLOSE_SECONDS = 2.0
# A leader whose machine vanished keeps the lock until the server finds out.
_KEEPALIVE = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"}


class LeadershipLost(Exception):
    """The connection that held the lock is gone: another process may lead by now."""


class Leadership:
    """A component that waits for its turn to lead, and runs the loops while it leads.

    `hints` maps a channel of NOTIFY to the event it sets: a wake-up, never the truth. For a moment two processes
    may both think that they lead; every step is harmless when repeated, so that is no fault.
    """

    def __init__(
        self,
        url: str,
        loops: Sequence[Loop],
        hints: Mapping[str, asyncio.Event],
        *,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._url = url
        self._loops = loops
        self._hints = hints
        self._on_end = on_end
        self._stopping = asyncio.Event()
        self.leads = False

    def stop(self) -> None:
        """Gives the lead away. A step under way is cut short, which its repetition makes good."""
        self._stopping.set()

    async def run(self) -> None:
        """Runs until `stop`."""
        campaign = asyncio.create_task(self._campaign())
        stop = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({campaign, stop}, return_when=asyncio.FIRST_COMPLETED)
            if campaign.done():
                campaign.result()
        finally:
            for task in (campaign, stop):
                task.cancel()
            await asyncio.gather(campaign, stop, return_exceptions=True)

    async def _campaign(self) -> None:
        while True:
            try:
                async with self._connection() as connection:
                    await _await_lock(connection)
                    await self._lead(connection)
            except (*CONNECTION_ERRORS, asyncpg.PostgresError, TimeoutError) as error:
                log.warning("no_connection_to_lead_by", error=repr(error))
                await asyncio.sleep(_RETRY_SECONDS)

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.Connection[Any]]:
        connection = await asyncpg.connect(
            self._url,
            timeout=_TIMEOUT_SECONDS,
            server_settings={"application_name": "dispatcher-leader", **_KEEPALIVE},
        )
        try:
            yield connection
        finally:
            await _close(connection)

    async def _lead(self, connection: asyncpg.Connection[Any]) -> None:
        for channel, hint in self._hints.items():
            await connection.add_listener(channel, _setter(hint))
        log.info("leading")
        self._set_leads(True)
        try:
            async with asyncio.TaskGroup() as group:
                for loop in self._loops:
                    group.create_task(loop.run(), name=loop.name)
                group.create_task(_guard(connection))
        except* LeadershipLost:
            log.warning("leadership_lost")
        finally:
            self._set_leads(False)
            self._on_end()

    def _set_leads(self, leads: bool) -> None:
        self.leads = leads
        LEADER.set(leads)


async def _await_lock(connection: asyncpg.Connection[Any]) -> None:
    # Asked for again and again: a statement that blocks would hide a dead connection.
    locked = False
    while not locked:
        locked = await connection.fetchval(_TRY_LOCK, timeout=_TIMEOUT_SECONDS)
        if not locked:
            await asyncio.sleep(_RETRY_SECONDS)


async def _guard(connection: asyncpg.Connection[Any]) -> None:
    """Raises LeadershipLost when the connection, and with it the lock, is gone."""
    while True:
        await asyncio.sleep(_GUARD_SECONDS)
        try:
            await connection.fetchval("SELECT 1", timeout=_TIMEOUT_SECONDS)
        except (*CONNECTION_ERRORS, asyncpg.PostgresError, TimeoutError) as error:
            raise LeadershipLost from error


async def _close(connection: asyncpg.Connection[Any]) -> None:
    try:
        await connection.close(timeout=_CLOSE_SECONDS)
    except (*CONNECTION_ERRORS, asyncpg.PostgresError, TimeoutError):
        connection.terminate()


def _setter(hint: asyncio.Event) -> Any:
    def on_notify(*_: object) -> None:
        hint.set()

    return on_notify
