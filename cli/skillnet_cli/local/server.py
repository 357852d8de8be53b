"""What the two embedded servers share: a locked folder, remembered free ports, start, restart, stop."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from skillnet_cli.local import log_file
from skillnet_cli.local.accounts import make_enterable
from skillnet_cli.local.folder_lock import FolderLock
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.private_file import write_private
from skillnet_cli.local.spawn import Account, kill_group, spawn
from skillnet_common.errors import ErrorCode, SkillnetError

_PORT_ATTEMPTS = 5
_LINGER_SECONDS = 15.0
_POLL_SECONDS = 0.01


class EmbeddedServer(ABC):
    """A server program that this process starts, owns and stops; it dies with this process.

    Every method blocks and may be called from any thread. Used as a context manager it starts and stops.
    `folder` holds its data, its log and its remembered ports, and belongs to one running server at a time.
    """

    title: ClassVar[str]
    port_names: ClassVar[tuple[str, ...]]
    stop_signal: ClassVar[signal.Signals]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports: dict[str, int] = {}
        self.notices: list[str] = []
        """Sentences for the person who starts the server, such as where the data went."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: FolderLock | None = None
        self._mutex = threading.RLock()
        self._log_start = 0

    # -- what each server defines

    @property
    @abstractmethod
    def log_path(self) -> Path:
        """The file that the server's output is appended to."""

    @abstractmethod
    def _prepare(self) -> None:
        """Create or check everything the server needs before its first start; called with the lock held."""

    @abstractmethod
    def _command(self) -> Sequence[str]:
        """The program and its arguments for the ports chosen."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether the server that was just started accepts work."""

    @abstractmethod
    def _lingering_process(self) -> int | None:
        """The process id of an earlier server that still uses the folder, if there is one."""

    @property
    def _account(self) -> Account | None:
        """The user to run the server as; this process's own when None."""
        return None

    @property
    def _environment(self) -> Mapping[str, str]:
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    # -- life cycle

    @property
    def pid(self) -> int | None:
        """The server's process id; None when it does not run."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    @property
    def alive(self) -> bool:
        """Whether the server's process runs."""
        return self.pid is not None

    def start(self, timeout: float = 60.0) -> None:
        """Start on free ports (those of last time if still free) and wait until the server accepts work.

        Raises `already_running` when another process runs a server in the folder, `start_failed` with the
        last lines of the log when the server ends or is not ready after `timeout` seconds.
        """
        with self._mutex:
            self.notices.clear()
            try:
                self._take_folder()
                self._start_in_folder(timeout)
            except PermissionError as error:
                raise SkillnetError(
                    ErrorCode.MISCONFIGURED,
                    f"{self.title} cannot use {self.folder}: {error}. Choose a data folder of your own.",
                ) from error

    def restart(self, timeout: float = 60.0) -> None:
        """Bring a server that died back on the same ports, so that its clients can reconnect."""
        with self._mutex:
            if self._lock is None:
                raise SkillnetError(ErrorCode.START_FAILED, f"{self.title} was not started here.")
            self._end_process(signal.SIGKILL, timeout)
            self._await_lingering()
            self._launch(timeout)

    def stop(self, timeout: float = 30.0) -> None:
        """Stop cleanly, by force after `timeout` seconds. Nothing happens when the server does not run."""
        with self._mutex:
            self._end_process(self.stop_signal, timeout)
            self._release_folder()

    def kill(self) -> None:
        """Stop at once, as a crash would; the data survives. A start, restart or stop under way ends early."""
        if (process := self._process) is not None:
            process.kill()
        with self._mutex:
            self._end_process(signal.SIGKILL, _LINGER_SECONDS)
            self._release_folder()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    # -- the folder

    def _take_folder(self) -> None:
        make_enterable(self.folder)
        lock = self._lock or FolderLock(self.folder, "owner.lock", self.title)
        lock.acquire()
        self._lock = lock

    def _start_in_folder(self, timeout: float) -> None:
        try:
            self._prepare()
            self._await_lingering()
            self._start_on_free_ports(timeout)
        except BaseException:
            self.kill()
            raise

    def _release_folder(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _await_lingering(self) -> None:
        """Wait for the server of an owner that was killed: it got its stop signal and may be finishing."""
        deadline = time.monotonic() + _LINGER_SECONDS
        while (pid := self._lingering_process()) is not None:
            if time.monotonic() > deadline:
                raise SkillnetError(
                    ErrorCode.ALREADY_RUNNING,
                    f"Process {pid} still runs {self.title} on {self.folder}. Stop it first.",
                )
            time.sleep(_POLL_SECONDS)

    # -- ports

    def _start_on_free_ports(self, timeout: float) -> None:
        remembered = self._remembered_ports()
        for attempt in range(1, _PORT_ATTEMPTS + 1):
            self.ports = {name: free_port(remembered.get(name)) for name in self.port_names}
            try:
                self._launch(timeout)
            except SkillnetError:
                if attempt == _PORT_ATTEMPTS or not self._port_was_taken():
                    raise
                remembered = {}
            else:
                write_private(self._ports_path, json.dumps(self.ports))
                return

    @property
    def _ports_path(self) -> Path:
        return self.folder / "ports.json"

    def _remembered_ports(self) -> dict[str, int]:
        if not self._ports_path.exists():
            return {}
        ports: dict[str, int] = json.loads(self._ports_path.read_text(encoding="utf-8"))
        return ports

    def _port_was_taken(self) -> bool:
        return "address already in use" in self._log_tail().lower()

    # -- the process

    def _launch(self, timeout: float) -> None:
        log_file.rotate(self.log_path)
        self._log_start = log_file.size(self.log_path)
        self._process = spawn(
            self._command(),
            env=self._environment,
            log=self.log_path,
            death_signal=self.stop_signal,
            account=self._account,
        )
        self._await_ready(self._process, timeout)

    def _await_ready(self, process: subprocess.Popen[bytes], timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while not self._is_ready():
            if process.poll() is not None:
                raise self._start_error(f"{self.title} ended at its start (exit code {process.returncode})")
            if time.monotonic() > deadline:
                self._end_process(signal.SIGKILL, _LINGER_SECONDS)
                raise self._start_error(f"{self.title} was not ready after {timeout:g} s")
            time.sleep(_POLL_SECONDS)

    def _start_error(self, what: str) -> SkillnetError:
        return SkillnetError(
            ErrorCode.START_FAILED, f"{what}. The end of its log {self.log_path}:\n{self._log_tail()}"
        )

    def _log_tail(self) -> str:
        return log_file.last_lines(self.log_path, since=self._log_start)

    def _end_process(self, first_signal: signal.Signals, timeout: float) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.send_signal(first_signal)
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        kill_group(process.pid)
