"""One supervised process of a service: start, health, restart after a crash, stop."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from skillnet_cli.local import log_file
from skillnet_cli.local.ports import HOST, free_port
from skillnet_cli.local.service_process import ProcessStatus, RestartPolicy, ServiceProcess
from skillnet_cli.local.spawn import kill_group, spawn
from skillnet_common.errors import ErrorCode, SkillnetError

_POLL_SECONDS = 0.1
_PROBE_SECONDS = 2.0
_PROBE_TIMEOUT_SECONDS = 5.0
_EXIT_MISCONFIGURED = 78  # EX_CONFIG of sysexits.h: trying again cannot help


class Instance:
    """Keeps one process of a service running until it is stopped. `on_change` is called when its status changes."""

    def __init__(
        self,
        service: ServiceProcess,
        number: int,
        log_folder: Path,
        policy: RestartPolicy,
        on_change: Callable[[], None],
    ) -> None:
        self.service = service
        self.name = service.name if number == 1 else f"{service.name}-{number}"
        self.log_path = log_folder / f"{self.name}.log"
        self._policy = policy
        self._on_change = on_change
        self._process: subprocess.Popen[bytes] | None = None
        self._port: int | None = None
        self._ready = False
        self._was_ready = False
        self._restarts = 0
        self._log_start = 0

    @property
    def status(self) -> ProcessStatus:
        """The process as it is now."""
        return ProcessStatus(self.name, self._pid, self._port, self._ready, self._restarts)

    @property
    def was_ready(self) -> bool:
        """Whether the service has been ready at least once."""
        return self._was_ready

    @property
    def log_tail(self) -> str:
        """The last lines that the newest process wrote."""
        return log_file.last_lines(self.log_path, since=self._log_start)

    @property
    def _pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    async def run(self) -> None:
        """Start the process and start it again whenever it ends; returns only by an error or a cancellation.

        Raises `start_failed` when a process that was never ready keeps ending, or says that it is misconfigured.
        """
        failures = 0
        while True:
            started = time.monotonic()
            process = self._launch()
            await self._watch(process)
            failures = 1 if time.monotonic() - started >= self._policy.steady_seconds else failures + 1
            self._check_hopeless(process.returncode, failures)
            await asyncio.sleep(self._policy.delay(failures))
            self._restarts += 1

    async def stop(self) -> None:
        """SIGTERM, then SIGKILL for it and what it left behind when it takes longer than the service may."""
        process = self._process
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
        await _end_of(process, self.service.stop_seconds)
        self.kill()

    def kill(self) -> None:
        """End the process and its children at once."""
        process, self._process = self._process, None
        if process is not None:
            kill_group(process.pid)
            process.wait()
            self._set_ready(False)

    def _launch(self) -> subprocess.Popen[bytes]:
        self._port = free_port(self._port)
        self._log_start = log_file.size(self.log_path)
        self._process = spawn(
            self.service.argv,
            env={**self.service.env, self.service.port_variable: str(self._port)},
            log=self.log_path,
            death_signal=signal.SIGKILL,
        )
        self._on_change()
        return self._process

    async def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Follow the process's health until it ends."""
        next_probe = 0.0
        while process.poll() is None:
            if time.monotonic() >= next_probe:
                self._set_ready(await answers_ready(self._port))
                log_file.rotate(self.log_path)
                next_probe = time.monotonic() + (_PROBE_SECONDS if self._ready else 0.0)
            await asyncio.sleep(_POLL_SECONDS)
        kill_group(process.pid)
        self._ready = False
        self._on_change()

    def _set_ready(self, ready: bool) -> None:
        self._was_ready = self._was_ready or ready
        if ready != self._ready:
            self._ready = ready
            self._on_change()

    def _check_hopeless(self, exit_code: int, failures: int) -> None:
        if self._was_ready:
            return
        if exit_code == _EXIT_MISCONFIGURED or failures >= self._policy.start_attempts:
            times = "1 time" if failures == 1 else f"{failures} times"
            raise SkillnetError(
                ErrorCode.START_FAILED,
                f"{self.name} does not start: it ended {times}, last with {_ending(exit_code)}. "
                f"The end of its log {self.log_path}:\n{self.log_tail}",
                process=self.name,
            )


async def _end_of(process: subprocess.Popen[bytes], timeout: float) -> None:
    """Wait until the process ended, at most `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while process.poll() is None:
        if time.monotonic() > deadline:
            return
        await asyncio.sleep(_POLL_SECONDS / 2)


def _ending(exit_code: int) -> str:
    return f"signal {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"


async def answers_ready(port: int | None) -> bool:
    """Whether GET /readyz on the port is answered with 200."""
    try:
        async with asyncio.timeout(_PROBE_TIMEOUT_SECONDS):
            reader, writer = await asyncio.open_connection(HOST, port)
            try:
                writer.write(f"GET /readyz HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\n\r\n".encode())
                status_line = await reader.readline()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return False
    return status_line.split()[1:2] == [str(int(HTTPStatus.OK)).encode()]
