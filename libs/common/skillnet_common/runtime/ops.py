"""/livez, /readyz and /metrics of a process, on a port of their own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, generate_latest

from skillnet_common.errors import SkillnetError

ReadyCheck = Callable[[], Awaitable[None]]
"""Returns when the process can serve; raises with the reason when it cannot."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_CHECK_SECONDS = 5.0
_JSON = "application/json"


class OpsApp:
    """The ASGI app of the three endpoints. Liveness asks nobody: a lost server is no reason for a restart."""

    def __init__(self, ready: ReadyCheck) -> None:
        self._ready = ready

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:  # noqa: ARG002
        """Answers one request of ASGI."""
        status, body, kind = await self._respond(scope["path"])
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", kind.encode())]})
        await send({"type": "http.response.body", "body": body})

    async def _respond(self, path: str) -> tuple[int, bytes, str]:
        if path == "/livez":
            return 200, b'{"status":"alive"}', _JSON
        if path == "/metrics":
            return 200, generate_latest(REGISTRY), CONTENT_TYPE_LATEST
        if path == "/readyz":
            reason = await why_not_ready(self._ready)
            body = {"status": "ready"} if reason is None else {"status": "not ready", "reason": reason}
            return 200 if reason is None else 503, json.dumps(body).encode(), _JSON
        return 404, b'{"status":"not found"}', _JSON


async def why_not_ready(ready: ReadyCheck) -> str | None:
    """Runs the check with a time limit; None when ready, else the reason."""
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            await ready()
    except TimeoutError:
        return f"no answer within {_CHECK_SECONDS:g} s"
    except SkillnetError as error:
        return error.message
    except Exception as error:  # whatever keeps it from being ready is the answer
        return f"{type(error).__name__}: {error}"
    return None
