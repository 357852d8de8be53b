"""Ctrl-C, SIGTERM and a closed terminal: the first asks to drain, the second to end at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(slots=True)
class StopSignals:
    """Two events that follow the signals received."""

    requested: asyncio.Event = field(default_factory=asyncio.Event)
    insisted: asyncio.Event = field(default_factory=asyncio.Event)

    def receive(self) -> None:
        """Note one more signal."""
        (self.insisted if self.requested.is_set() else self.requested).set()


@contextmanager
def stop_signals() -> Iterator[StopSignals]:
    """Listen to SIGINT, SIGTERM and SIGHUP on the running event loop instead of dying of them."""
    loop = asyncio.get_running_loop()
    signals = StopSignals()
    listened = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for number in listened:
        loop.add_signal_handler(number, signals.receive)
    try:
        yield signals
    finally:
        for number in listened:
            loop.remove_signal_handler(number)


async def run_unless(event: asyncio.Event, work: Coroutine[object, object, None]) -> None:
    """Run `work` to its end or its error, or cancel it once the event is set."""
    task = asyncio.create_task(work)
    waiter = asyncio.create_task(event.wait())
    try:
        await asyncio.wait({task, waiter}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
    finally:
        for each in (task, waiter):
            each.cancel()
        await asyncio.gather(task, waiter, return_exceptions=True)
