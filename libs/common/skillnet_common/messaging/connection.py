"""A connection to NATS that reconnects for ever and never dies silently."""

from __future__ import annotations

import asyncio
import os
from urllib.parse import urlsplit

import nats
import structlog
from nats.aio.client import Client
from nats.errors import Error as NatsError
from nats.errors import NoServersError

from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_common.settings import CommonSettings

log = structlog.get_logger(__name__)

EX_SOFTWARE = 70


class Bus:
    """The connection of one process.

    When a connection is CLOSED for good, pull loops of the client spin without yielding and starve the event
    loop. So a close that nobody asked for ends the process, and its supervisor starts it anew.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.jetstream = client.jetstream(timeout=10)
        self._closing = False

    @classmethod
    async def connect(cls, settings: CommonSettings, name: str, *, patience: float = 30) -> Bus:
        """Connects, waiting up to `patience` seconds for a server that is still starting."""
        bus: Bus | None = None
        last_error: Exception | None = None

        async def on_closed() -> None:
            if bus is not None and not bus._closing:
                log.error("nats_closed_unexpectedly")
                os._exit(EX_SOFTWARE)

        async def on_error(error: Exception) -> None:
            nonlocal last_error
            # A reset connection says less than what the server said before it.
            if last_error is None or not isinstance(error, OSError):
                last_error = error
            log.warning("nats_error", error=repr(error))

        async def on_disconnected() -> None:
            log.warning("nats_disconnected")

        async def on_reconnected() -> None:
            log.info("nats_reconnected")

        password = settings.nats_password.get_secret_value() if settings.nats_password else None
        try:
            async with asyncio.timeout(patience):
                client = await nats.connect(
                    settings.nats_url,
                    name=name,
                    user=settings.nats_user,
                    password=password,
                    inbox_prefix=f"_INBOX_{settings.nats_user or 'any'}",
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=0.2,
                    closed_cb=on_closed,
                    error_cb=on_error,
                    disconnected_cb=on_disconnected,
                    reconnected_cb=on_reconnected,
                )
        except (NoServersError, NatsError, OSError, TimeoutError) as error:
            reason = last_error or error
            raise PassingFault(
                ErrorCode.UNAVAILABLE,
                f"NATS cannot be reached at {_address(settings.nats_url)}: {str(reason) or type(reason).__name__}",
            ) from error
        bus = cls(client)
        return bus

    async def close(self) -> None:
        """Flushes and closes. Workers and responders must have been stopped before: they drain by themselves."""
        self._closing = True
        if self.client.is_connected:
            try:
                await self.client.flush(timeout=5)
            except (NatsError, OSError, TimeoutError) as error:
                log.warning("flush_failed", error=repr(error))
        await self.client.close()


def _address(url: str) -> str:
    """Where the server is, without the user and the password that the URL may hold."""
    return urlsplit(url).netloc.rpartition("@")[2]
