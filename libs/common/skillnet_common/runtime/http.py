"""An ASGI server whose signals and lifetime belong to the process, not to the server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Generator
from typing import Any

import uvicorn


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class HttpServer:
    """Serves an ASGI app. With port 0 the system chooses one: `port` tells which after `start`."""

    def __init__(self, app: Any, *, host: str, port: int, drain_seconds: float = 5) -> None:
        self._host = host
        self.port = port
        config = uvicorn.Config(
            app,
            log_config=None,
            lifespan="off",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=int(drain_seconds),
        )
        self._server = _Server(config)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listens; OSError where the port is taken."""
        listener = socket.create_server((self._host, self.port), backlog=512)
        # asyncio does this only for sockets that name their protocol; without it head and body of a reply wait
        # 40 ms for each other.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port = listener.getsockname()[1]
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))
        while not self._server.started:
            if self._task.done():
                await self._task
                raise OSError(f"the HTTP server on port {self.port} did not start")
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Takes no more connections and lets running requests end."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task
