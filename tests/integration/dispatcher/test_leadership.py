"""One leads, a spare waits, and a lost lead ends the loops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import asyncpg
import pytest
from tests.integration.dispatcher.conftest import Ground

from skillnet_dispatcher import leadership as leadership_module
from skillnet_dispatcher.leadership import Leadership
from skillnet_dispatcher.loop import Loop


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leadership_module, "_RETRY_SECONDS", 0.05)
    monkeypatch.setattr(leadership_module, "_GUARD_SECONDS", 0.05)


class Candidate:
    """A dispatcher with one loop that counts its steps."""

    def __init__(self, ground: Ground, *, fails: bool = False, every: float = 0.01) -> None:
        self.steps = 0
        self.ended = 0
        self._fails = fails
        self.hint = asyncio.Event()
        self.loop = Loop("count", self._count, every=every, hint=self.hint)
        self.leadership = Leadership(
            ground.urls.dispatcher, [self.loop], {"skillnet_work": self.hint}, on_end=self._end
        )

    async def _count(self) -> bool:
        self.steps += 1
        if self._fails and self.steps < 3:
            raise RuntimeError("a step that goes wrong")
        return False

    def _end(self) -> None:
        self.ended += 1

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.leadership.run())
        try:
            yield
        finally:
            self.leadership.stop()
            await asyncio.wait_for(task, timeout=20)


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - a condition of several objects
            await asyncio.sleep(0.01)


async def test_one_leads_and_the_spare_takes_over_at_a_stop(ground: Ground) -> None:
    first, second = Candidate(ground), Candidate(ground)
    async with second.running():
        async with first.running():
            await until(lambda: first.leadership.leads or second.leadership.leads)
            leader, spare = (first, second) if first.leadership.leads else (second, first)
            await until(lambda: leader.steps > 5)
            assert spare.steps == 0
            assert not spare.leadership.leads
            if leader is second:
                return  # the spare took the lead before it had a rival: nothing to hand over
        await until(lambda: second.steps > 0)
        assert not first.leadership.leads
        assert first.ended == 1


async def test_a_lost_connection_ends_the_loops_and_another_leads(ground: Ground) -> None:
    first, second = Candidate(ground), Candidate(ground)
    async with first.running():
        await until(lambda: first.leadership.leads)
        async with second.running():
            admin = await asyncpg.connect(ground.urls.admin)
            try:
                await admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE application_name = 'dispatcher-leader' AND pid IN"
                    " (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted)"
                )
            finally:
                await admin.close()
            await until(lambda: first.ended == 1)
            await until(lambda: first.leadership.leads != second.leadership.leads)


async def test_a_step_that_goes_wrong_does_not_end_its_loop(ground: Ground) -> None:
    candidate = Candidate(ground, fails=True)
    async with candidate.running():
        await until(lambda: candidate.steps > 4)
    assert candidate.loop.failures == 0


async def test_a_hint_wakes_a_loop_before_its_time(ground: Ground) -> None:
    candidate = Candidate(ground, every=60)
    async with candidate.running():
        await until(lambda: candidate.steps == 1)
        pipeline = await ground.pipeline()
        await pipeline.upload("manual", "text")
        await until(lambda: candidate.steps == 2)
