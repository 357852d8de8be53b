"""The service's end of the fork server: it orders children and hears how they end."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import sys

from skillnet_parser.fork_messages import ENDED, FORK, KILL, ORDER

_PASSED_VARIABLES = ("PATH", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV")
_READ_SIZE = 4096
_ANSWER_SECONDS = 10.0
"""A server that takes longer to kill a child, or to end, hangs and is killed itself."""


class ForkServerGone(Exception):
    """The fork server has ended; another must be started."""


class Forks:
    """A running fork server. Its children die with it, and it dies with this process."""

    def __init__(self, process: asyncio.subprocess.Process, control: socket.socket) -> None:
        self._process = process
        self._control = control
        self._numbers = itertools.count()
        self._running: dict[int, asyncio.Future[int]] = {}
        self._heard = bytearray()
        self._gone = False
        asyncio.get_running_loop().add_reader(control, self._hear)

    @classmethod
    async def start(cls) -> Forks:
        """A fresh interpreter in a session of its own, with an environment that holds no secrets."""
        environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
        control, theirs = socket.socketpair()
        control.setblocking(False)
        with theirs:
            try:
                process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-I", "-B", "-X", "utf8", "-m", "skillnet_parser.fork_server"),
                    *(str(theirs.fileno()), str(os.getpid())),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    env={**environment, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
                    start_new_session=True,
                    pass_fds=(theirs.fileno(),),
                )
            except BaseException:
                control.close()
                raise
        return cls(process, control)

    @property
    def is_gone(self) -> bool:
        """It has ended and forks no more."""
        return self._gone

    def fork(self, channel: socket.socket, errors: socket.socket) -> tuple[int, asyncio.Future[int]]:
        """Orders a child that serves `channel`: its number, and its exit code (minus the signal) once it has ended.

        Both sockets may be closed afterwards. Raises ForkServerGone.
        """
        if self._gone:
            raise ForkServerGone
        number = next(self._numbers)
        try:
            socket.send_fds(self._control, [ORDER.pack(FORK, number)], [channel.fileno(), errors.fileno()])
        except (BrokenPipeError, ConnectionResetError):
            self._lose()
            raise ForkServerGone from None
        self._running[number] = asyncio.get_running_loop().create_future()
        return number, self._running[number]

    async def kill(self, number: int) -> None:
        """Has the child killed with all that it may have started, and waits until it is gone."""
        ended = self._running.get(number)
        if ended is None:
            return
        try:
            self._control.send(ORDER.pack(KILL, number))
            async with asyncio.timeout(_ANSWER_SECONDS):
                await asyncio.shield(ended)
        except (BrokenPipeError, ConnectionResetError):
            self._lose()
        except TimeoutError:
            self._process.kill()
            self._lose()

    async def close(self) -> None:
        """Ends the server and every child, and waits until it is gone."""
        self._lose()
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _hear(self) -> None:
        try:
            piece = self._control.recv(_READ_SIZE)
        except ConnectionResetError:
            piece = b""
        if not piece:
            self._lose()
            return
        self._heard += piece
        while len(self._heard) >= ENDED.size:
            number, code = ENDED.unpack_from(self._heard)
            del self._heard[: ENDED.size]
            self._running.pop(number).set_result(code)

    def _lose(self) -> None:
        """At the server's end its children are killed, as the system does by itself."""
        if self._gone:
            return
        self._gone = True
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        for ended in self._running.values():
            ended.set_result(-signal.SIGKILL)
        self._running.clear()
