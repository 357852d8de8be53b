"""Routes that take JSON: a body that is too large is refused before it is held in memory."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.types import Message

from skillnet_common.errors import ErrorCode, RequestError

MAX_JSON_BYTES = 256 * 1024


class BoundedRoute(APIRoute):
    """Reads at most `max_bytes` of body: 413 beyond."""

    max_bytes = MAX_JSON_BYTES

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The framework's handler behind the bound. Raises RequestError `payload_too_large`."""
        handle = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            read: Message = {
                "type": "http.request",
                "body": await _read_bounded(request, self.max_bytes),
                "more_body": False,
            }
            replayed = iter([read])

            async def replay() -> Message:
                # Behind the body comes what the server tells: that the caller has left.
                return next(replayed, None) or await request.receive()

            return await handle(Request(request.scope, replay))

        return bounded


async def _read_bounded(request: Request, max_bytes: int) -> bytes:
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > max_bytes:
            raise RequestError(
                ErrorCode.PAYLOAD_TOO_LARGE, f"The body is larger than {max_bytes} bytes.", max_bytes=max_bytes
            )
    return bytes(body)
