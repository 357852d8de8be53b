"""The component of a process that answers requests of the bus."""

from __future__ import annotations

import asyncio

from skillnet_common.messaging.responder import Responder


class RespondingComponent:
    """Answers until it is told to stop; then what has been asked is still answered."""

    def __init__(self, responder: Responder) -> None:
        self._responder = responder
        self._stopping = asyncio.Event()
        self._listening = False

    async def check_listening(self) -> None:
        """Raises until the bus has taken the subscriptions."""
        if not self._listening:
            raise ConnectionError("not subscribed yet")

    async def run(self) -> None:
        """Subscribes, waits for the stop, drains."""
        await self._responder.start()
        self._listening = True
        await self._stopping.wait()
        await self._responder.stop()

    def stop(self) -> None:
        """Lets `run` end."""
        self._stopping.set()
