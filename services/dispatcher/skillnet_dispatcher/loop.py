"""A loop of the leader: a step again and again, whatever one of them ends with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from nats.errors import Error as NatsError

from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import SkillnetError
from skillnet_dispatcher.metrics import LOOP_FAILURES

log = structlog.get_logger(__name__)

Step = Callable[[], Awaitable[bool]]
"""Does a little; True where there is more to do at once."""

_LONGEST_PAUSE = 10.0
_COALESCE_SECONDS = 0.02
_EXPECTED = (SkillnetError, NatsError, TimeoutError, *CONNECTION_ERRORS)


@dataclass(slots=True)
class Loop:
    """Runs `step` every `every` seconds, sooner when `hint` is set."""

    name: str
    step: Step
    every: float
    hint: asyncio.Event | None = None
    failures: int = 0
    """Steps in a row that ended with an error."""

    async def run(self) -> None:
        """Runs until it is cancelled."""
        while True:
            more = await self._try_step()
            if self.failures:
                await asyncio.sleep(min(self.every * 2**self.failures, _LONGEST_PAUSE))
            elif not more:
                await self._pause()

    async def _try_step(self) -> bool:
        if self.hint is not None:
            self.hint.clear()
        try:
            more = await self.step()
        except Exception as error:  # the loop must outlive whatever befalls a step
            self.failures += 1
            LOOP_FAILURES.labels(self.name).inc()
            log.warning(
                "loop_step_failed",
                loop=self.name,
                failures=self.failures,
                error=repr(error),
                exc_info=not isinstance(error, _EXPECTED),
            )
            return False
        self.failures = 0
        return more

    async def _pause(self) -> None:
        if self.hint is None:
            await asyncio.sleep(self.every)
            return
        try:
            async with asyncio.timeout(self.every):
                await self.hint.wait()
        except TimeoutError:
            return
        await asyncio.sleep(_COALESCE_SECONDS)  # hints come in bursts
