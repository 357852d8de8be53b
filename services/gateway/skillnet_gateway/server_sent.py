"""Server-Sent Events: how they are written, and signs of life between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import TypeVar

from pydantic import BaseModel

EVENT_STREAM = "text/event-stream"
HEARTBEAT = ": heartbeat\n\n"
"""A comment: readers pass over it, and proxies see that the connection is alive."""

Event = TypeVar("Event")


def written(kind: str, data: BaseModel) -> str:
    """One event. In ASCII, since many a reader takes U+2028 and its like, which documents hold, for a line's end."""
    return f"event: {kind}\ndata: {data.model_dump_json(ensure_ascii=True)}\n\n"


async def with_heartbeats(events: AsyncGenerator[Event, None], seconds: float) -> AsyncGenerator[Event | None, None]:
    """The events, and None each time that `seconds` have gone by without one. Closes `events` at the end."""
    coming: asyncio.Task[Event | None] | None = None
    try:
        while True:
            coming = coming or asyncio.create_task(_next(events))
            done, _ = await asyncio.wait({coming}, timeout=seconds)
            if not done:
                yield None
                continue
            event = coming.result()
            coming = None
            if event is None:
                return
            yield event
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)
        await events.aclose()


async def _next(events: AsyncGenerator[Event, None]) -> Event | None:
    return await anext(events, None)
