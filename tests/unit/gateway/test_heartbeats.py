"""Signs of life between the events of a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from skillnet_gateway.server_sent import with_heartbeats


class Source:
    """Events after pauses; knows whether it was closed."""

    def __init__(self, *pauses: float, fault: Exception | None = None) -> None:
        self._pauses = pauses
        self._fault = fault
        self.closed = False

    async def events(self) -> AsyncGenerator[int, None]:
        try:
            for number, pause in enumerate(self._pauses):
                await asyncio.sleep(pause)
                yield number
            if self._fault is not None:
                raise self._fault
        finally:
            self.closed = True


async def test_silence_is_filled_and_no_event_is_lost() -> None:
    source = Source(0, 0.12, 0)
    found = [event async for event in with_heartbeats(source.events(), 0.03)]
    assert [event for event in found if event is not None] == [0, 1, 2]
    assert found[1] is None
    assert found.count(None) >= 2
    assert source.closed


async def test_a_fault_comes_through() -> None:
    source = Source(0, fault=ValueError("roto"))
    with pytest.raises(ValueError, match="roto"):
        [event async for event in with_heartbeats(source.events(), 1)]


async def test_a_reader_that_leaves_closes_what_it_read_from() -> None:
    source = Source(0, 60)
    events = with_heartbeats(source.events(), 0.01)
    assert await anext(events) == 0
    assert await anext(events) is None
    await events.aclose()
    assert source.closed
