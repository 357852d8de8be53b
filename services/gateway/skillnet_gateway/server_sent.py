"""Server-Sent Events: how they are written, and signs of life between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from dataclasses import dataclass
from typing import TypeVar

from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from starlette.types import Receive, Scope, Send

EVENT_STREAM = "text/event-stream"
HEARTBEAT = ": heartbeat\n\n"
"""A comment: readers pass over it, and proxies see that the connection is alive."""

Event = TypeVar("Event")

_pumps: set[asyncio.Task[None]] = set()
"""Kept here until they have ended: the event loop itself only refers to tasks weakly."""


@dataclass(frozen=True, slots=True)
class _End:
    error: Exception | None = None


def written(kind: str, data: BaseModel, *, event_id: str | None = None) -> str:
    """One event. In ASCII, since many a reader takes U+2028 and its like, which documents hold, for a line's end."""
    name = "" if event_id is None else f"id: {event_id}\n"
    return f"{name}event: {kind}\ndata: {data.model_dump_json(ensure_ascii=True)}\n\n"


class PlacedStream(StreamingResponse):
    """A streamed reply that holds something, and gives it back however it ends, also where nobody read a word."""

    def __init__(self, pieces: AsyncGenerator[str, None], place: ExitStack, media_type: str) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(pieces, media_type=media_type, headers=headers)
        self._place = place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replies."""
        with self._place:
            await super().__call__(scope, receive, send)


async def with_heartbeats(events: AsyncGenerator[Event, None], seconds: float) -> AsyncGenerator[Event | None, None]:
    """The events, and None each time that `seconds` have gone by without one. Closes `events` at the end.

    They are read in a task of their own. The server cancels the task of a reader that has left at every `await`, so
    that nothing could be closed in it: an LLM would write on for nobody, on a connection that is never free again.
    """
    coming: asyncio.Queue[Event | _End] = asyncio.Queue(maxsize=1)
    pump = asyncio.create_task(_pump(events, coming))
    _pumps.add(pump)
    pump.add_done_callback(_pumps.discard)
    try:
        while True:
            try:
                async with asyncio.timeout(seconds):
                    event = await coming.get()
            except TimeoutError:
                yield None
                continue
            if isinstance(event, _End):
                if event.error is not None:
                    raise event.error
                return
            yield event
    finally:
        pump.cancel()
        await asyncio.wait({pump})


async def _pump(events: AsyncGenerator[Event, None], coming: asyncio.Queue[Event | _End]) -> None:
    try:
        async with aclosing(events):
            async for event in events:
                await coming.put(event)
    except Exception as error:  # the reader raises it
        await coming.put(_End(error))
    else:
        await coming.put(_End())
