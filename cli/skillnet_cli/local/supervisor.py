"""Keeps the service processes of a machine running, and drains them in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path

from skillnet_cli.local.accounts import make_enterable
from skillnet_cli.local.instance import Instance
from skillnet_cli.local.service_process import ProcessStatus, RestartPolicy, ServiceProcess
from skillnet_common.errors import ErrorCode, SkillnetError

_POLL_SECONDS = 0.05


def _ignore() -> None:
    """Nobody wants to know of changes."""


class Supervisor:
    """Runs every replica of every service as a process of its own, with its output in `<log_folder>/<name>.log`.

    The first replica carries the service's name, the next ones `<name>-2` and so on. All processes end when this
    one dies, even by SIGKILL (on Linux). `on_change` is called whenever a status changes.
    """

    def __init__(
        self,
        log_folder: Path,
        *,
        policy: RestartPolicy | None = None,
        on_change: Callable[[], None] = _ignore,
    ) -> None:
        self._log_folder = log_folder
        self._policy = policy or RestartPolicy()
        self._on_change = on_change
        self._instances: list[Instance] = []
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def statuses(self) -> list[ProcessStatus]:
        """Every process as it is now."""
        return [instance.status for instance in self._instances]

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """One task a process. It ends only when its process cannot be kept running, with the reason as its error."""
        return list(self._tasks)

    async def start(self, services: Iterable[ServiceProcess], timeout: float = 180.0) -> None:
        """Start all and wait until each was ready once.

        Raises `start_failed`, with the last lines of the log, when one keeps ending or is not ready after
        `timeout` seconds. What runs then goes on running: call `stop` or `kill`.
        """
        make_enterable(self._log_folder)
        new = [
            Instance(service, number, self._log_folder, self._policy, self._on_change)
            for service in services
            for number in range(1, service.replicas + 1)
        ]
        self._instances += new
        self._tasks += [asyncio.create_task(instance.run(), name=instance.name) for instance in new]
        deadline = asyncio.get_running_loop().time() + timeout
        while not all(instance.was_ready for instance in new):
            self._raise_failure()
            if asyncio.get_running_loop().time() > deadline:
                raise _not_ready([instance for instance in new if not instance.was_ready], timeout)
            await asyncio.sleep(_POLL_SECONDS)

    async def stop(self) -> None:
        """Drain all, group after group in their stop order. A cancellation leaves the rest running: `kill` it."""
        await self._end_supervision()
        in_order = sorted(self._instances, key=lambda instance: instance.service.stop_order)
        for _, group in groupby(in_order, key=lambda instance: instance.service.stop_order):
            await asyncio.gather(*(instance.stop() for instance in group))

    async def kill(self) -> None:
        """End all at once."""
        await self._end_supervision()
        for instance in self._instances:
            instance.kill()

    async def _end_supervision(self) -> None:
        """Their errors, if any, were raised by `start` or seen by whoever waits on `tasks`."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def _raise_failure(self) -> None:
        for task in self._tasks:
            if task.done():
                task.result()


def _not_ready(instances: list[Instance], timeout: float) -> SkillnetError:
    logs = "\n".join(f"--- {instance.log_path}\n{instance.log_tail}" for instance in instances)
    names = ", ".join(instance.name for instance in instances)
    return SkillnetError(ErrorCode.START_FAILED, f"Not ready after {timeout:g} s: {names}.\n{logs}")
