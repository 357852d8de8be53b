"""Brings an embedded server that died back, on the same ports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from skillnet_cli.local import log_file
from skillnet_cli.local.server import EmbeddedServer
from skillnet_cli.local.service_process import ProcessStatus, RestartPolicy
from skillnet_common.errors import SkillnetError

_POLL_SECONDS = 0.1


class ServerWatch:
    """Watches one started server. `on_change` is called when it was restarted."""

    def __init__(
        self, name: str, server: EmbeddedServer, policy: RestartPolicy, on_change: Callable[[], None]
    ) -> None:
        self._name = name
        self._server = server
        self._policy = policy
        self._on_change = on_change
        self._restarts = 0

    @property
    def status(self) -> ProcessStatus:
        """The server as it is now."""
        pid = self._server.pid
        port = next(iter(self._server.ports.values()), None)
        return ProcessStatus(self._name, pid, port, pid is not None, self._restarts)

    async def run(self) -> None:
        """Restart the server at once whenever it dies; raises its error when `start_attempts` in a row fail."""
        failures = 0
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            if self._server.alive:
                log_file.rotate(self._server.log_path)
                continue
            try:
                await asyncio.to_thread(self._server.restart)
            except SkillnetError:
                failures += 1
                if failures >= self._policy.start_attempts:
                    raise
                await asyncio.sleep(self._policy.delay(failures))
            else:
                failures = 0
                self._restarts += 1
                self._on_change()
