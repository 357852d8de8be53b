"""Large tenants' vector indexes, kept by the clock beside the services: see `skillnet_bootstrap.indexes`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from skillnet_bootstrap.provision import DISPATCHER, MIGRATOR, DatabaseAccess
from skillnet_cli.local import log_file

_PAUSE_SECONDS = 600.0


class IndexUpkeep:
    """A pass every ten minutes, as a process of its own. One that fails says why in the log, and the next tries
    again: without an index a search is slower, and finds the same."""

    def __init__(
        self, access: DatabaseAccess, environment: Mapping[str, str], log: Path, *, pause: float = _PAUSE_SECONDS
    ) -> None:
        self._environment = {
            **environment,
            "DATABASE_MIGRATOR_URL": access.url(MIGRATOR),
            "DATABASE_DISPATCHER_URL": access.url(DISPATCHER),
        }
        self._environment.pop("DATABASE_ADMIN_URL", None)
        self._log = log
        self._pause = pause

    async def run(self) -> None:
        """Until it is cancelled; a pass under way is ended then, and what it left is cleared away by the next."""
        while True:
            await asyncio.sleep(self._pause)
            await self._one_pass()

    async def _one_pass(self) -> None:
        log_file.rotate(self._log)
        with self._log.open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "skillnet_bootstrap.indexes",
                env=self._environment,
                stdout=output,
                stderr=output,
            )
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
