"""Parsing in a process of its own, which can be killed: a hostile or broken file costs that process only.

The child is forked by a small server that has the libraries loaded (never by the service: MuPDF and threads do not
survive a fork), in its own session, with an environment that holds no secrets, bounded in memory, CPU time, wall
time and output. It dies with the task that awaits it and with the service, however that ends. It writes no file.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.codec import document_from_json
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, SkillnetError
from skillnet_parser.domain.language import with_language
from skillnet_parser.forks import Forks, ForkServerGone
from skillnet_parser.limits import ParseLimits

Progress = Callable[[int, int], None]

_LINE_LIMIT = 1024 * 1024
_STDERR_TAIL = 4096
_MEMORY_SIGNS = (b"MemoryError", b"bad_alloc", b"Cannot allocate memory", b"malloc")


async def parse_file(
    path: Path, file_name: str, limits: ParseLimits, on_progress: Progress | None = None
) -> ParsedDocument:
    """Parses the file at `path`, called `file_name` by its sender, in a child process of its own.

    `on_progress(pages_done, pages_total)` is called now and then for formats with pages. Raises
    `PermanentFault` with the reason: besides what the file itself is at fault with, parse_timeout,
    parse_memory, parser_crashed, document_too_large. Raises `PassingFault(unavailable)` where the child was
    killed from outside, as the system does when it is short of memory.
    """
    async with Sandbox(limits) as sandbox:
        return await sandbox.parse_file(path, file_name, on_progress)


class Sandbox:
    """Parses files, one child process each, as many at a time as it is asked to. Use as an asynchronous context
    manager; the fork server that it keeps is started anew where it ended."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits
        self._forks: Forks | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        self._forks = await Forks.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        forks, self._forks = self._forks, None
        if forks is not None:
            await forks.close()

    async def parse_file(self, path: Path, file_name: str, on_progress: Progress | None = None) -> ParsedDocument:
        """As the function `parse_file`, under this sandbox's limits."""
        child = await self._fork()
        try:
            return await child.parse(path, file_name, self._limits, on_progress)
        finally:
            await child.kill()

    async def _fork(self) -> _Child:
        with contextlib.suppress(ForkServerGone):  # it may have been dead for long: take a fresh one
            return await _Child.start(await self._running_forks())
        return await _Child.start(await self._running_forks())

    async def _running_forks(self) -> Forks:
        async with self._starting:
            if self._forks is None or self._forks.is_gone:
                if self._forks is not None:
                    await self._forks.close()
                self._forks = await Forks.start()
            return self._forks


class _Child:
    """One process, the channel to it, and its standard error."""

    def __init__(
        self,
        forks: Forks,
        number: int,
        ended: asyncio.Future[int],
        channel: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        errors: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        self._forks = forks
        self._number = number
        self._ended = ended
        self._answers, self._requests = channel
        self._errors, self._errors_end = errors
        self._tail = asyncio.create_task(self._keep_stderr_tail())

    @classmethod
    async def start(cls, forks: Forks) -> _Child:
        """A process that waits for its file. Raises ForkServerGone."""
        (ours, theirs), (our_errors, their_errors) = socket.socketpair(), socket.socketpair()
        with theirs, their_errors, contextlib.ExitStack() as undo:
            for end in (ours, our_errors):
                undo.callback(end.close)
            channel = await asyncio.open_connection(sock=ours, limit=_LINE_LIMIT)
            undo.callback(channel[1].close)
            errors = await asyncio.open_connection(sock=our_errors)
            undo.callback(errors[1].close)
            number, ended = forks.fork(theirs, their_errors)
            undo.pop_all()
        return cls(forks, number, ended, channel, errors)

    async def parse(
        self, path: Path, file_name: str, limits: ParseLimits, on_progress: Progress | None
    ) -> ParsedDocument:
        try:
            async with asyncio.timeout(limits.patience):
                await self._send(path, file_name, limits)
                payload = await self._receive(limits, on_progress)
        except TimeoutError:
            raise _timeout(f"{limits.patience:g} s") from None
        except (ConnectionError, asyncio.IncompleteReadError):
            raise await self._explain_death() from None
        return await asyncio.to_thread(_decode, payload)

    async def kill(self) -> None:
        """Ends the process and all it may have started, and waits until it is gone."""
        await self._forks.kill(self._number)
        await self._tail
        for end in (self._requests, self._errors_end):
            end.close()
            with contextlib.suppress(ConnectionError):  # of what the child had not read or we had not
                await end.wait_closed()

    async def _send(self, path: Path, file_name: str, limits: ParseLimits) -> None:
        request = {
            "path": os.fspath(path),
            "file_name": file_name,
            "limits": dataclasses.asdict(limits),
        }
        self._requests.write(json.dumps(request).encode() + b"\n")
        await self._requests.drain()

    async def _receive(self, limits: ParseLimits, on_progress: Progress | None) -> bytes:
        while line := await self._answers.readline():
            message = json.loads(line)
            if "progress" in message:
                if on_progress is not None:
                    on_progress(*message["progress"])
            elif "fault" in message:
                raise _fault(message["fault"])
            else:
                return await self._receive_result(int(message["result"]), limits)
        raise await self._explain_death()

    async def _receive_result(self, size: int, limits: ParseLimits) -> bytes:
        if size > limits.max_output_bytes:
            raise PermanentFault(
                ErrorCode.DOCUMENT_TOO_LARGE,
                f"The document's text takes {size} bytes; at most {limits.max_output_bytes} are kept. "
                "Split it into parts.",
                bytes=size,
                limit=limits.max_output_bytes,
            )
        return await self._answers.readexactly(size)

    async def _explain_death(self) -> SkillnetError:
        """The fault that fits how the process ended without an answer."""
        code = await asyncio.shield(self._ended)
        tail = await asyncio.shield(self._tail)
        if -code == signal.SIGXCPU:
            return _timeout("its share of processor time")
        if -code in (signal.SIGKILL, signal.SIGTERM):
            return PassingFault(ErrorCode.UNAVAILABLE, "The process that read the document was killed.")
        if any(sign in tail for sign in _MEMORY_SIGNS):
            return PermanentFault(
                ErrorCode.PARSE_MEMORY, "The document needs more memory than is allowed to read it."
            )
        return PermanentFault(
            ErrorCode.PARSER_CRASHED, "Reading the document failed in a way that is not understood.", exit_code=code
        )

    async def _keep_stderr_tail(self) -> bytes:
        tail = b""
        while chunk := await self._errors.read(_STDERR_TAIL):
            tail = (tail + chunk)[-_STDERR_TAIL:]
        return tail


def _decode(payload: bytes) -> ParsedDocument:
    """The child's document and its language: the model that tells it is loaded once here, not once a file."""
    return with_language(document_from_json(payload))


def _fault(fields: dict[str, Any]) -> PermanentFault:
    return PermanentFault(ErrorCode(fields["code"]), fields["message"], **fields["details"])


def _timeout(spent: str) -> PermanentFault:
    return PermanentFault(
        ErrorCode.PARSE_TIMEOUT, f"The document could not be read within {spent}. Split it or simplify it."
    )
