"""Parsing in a process of its own, which can be killed: a hostile or broken file costs that process only.

The child is a fresh interpreter (never a fork: MuPDF and threads do not survive one) in its own session,
with an environment that holds no secrets, bounded in memory, CPU time, wall time and output. It dies with the
task that awaits it and with the service, however that ends. It writes no file.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.codec import document_from_json
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, SkillnetError
from skillnet_parser.domain.language import with_language
from skillnet_parser.limits import ParseLimits

Progress = Callable[[int, int], None]

_LINE_LIMIT = 1024 * 1024
_STDERR_TAIL = 4096
_MEMORY_SIGNS = (b"MemoryError", b"bad_alloc", b"Cannot allocate memory", b"malloc")
_PASSED_VARIABLES = ("PATH", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT", "LD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV")


async def parse_file(
    path: Path, file_name: str, limits: ParseLimits, on_progress: Progress | None = None
) -> ParsedDocument:
    """Parses the file at `path`, called `file_name` by its sender, in a child process of its own.

    `on_progress(pages_done, pages_total)` is called now and then for formats with pages. Raises
    `PermanentFault` with the reason: besides what the file itself is at fault with, parse_timeout,
    parse_memory, parser_crashed, document_too_large. Raises `PassingFault(unavailable)` where the child was
    killed from outside, as the system does when it is short of memory.
    """
    async with Sandbox(limits, spare=False) as sandbox:
        return await sandbox.parse_file(path, file_name, on_progress)


class Sandbox:
    """Parses files, one child process each. With `spare` the next child is started ahead of the next file,
    so that loading the libraries (0.3 s) is not waited for. Use as an asynchronous context manager."""

    def __init__(self, limits: ParseLimits, *, spare: bool = True) -> None:
        self._limits = limits
        self._keeps_spare = spare
        self._spare: _Child | None = None

    async def __aenter__(self) -> Self:
        if self._keeps_spare:
            self._spare = await _Child.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        spare, self._spare = self._spare, None
        if spare is not None:
            await spare.kill()

    async def parse_file(self, path: Path, file_name: str, on_progress: Progress | None = None) -> ParsedDocument:
        """As the function `parse_file`, under this sandbox's limits."""
        spare, self._spare = self._spare, None
        if spare is not None:
            with contextlib.suppress(_KilledFromOutside):  # it may have been dead for long: take a fresh one
                return await self._parse_in(spare, path, file_name, on_progress)
        return await self._parse_in(await _Child.start(), path, file_name, on_progress)

    async def _parse_in(
        self, child: _Child, path: Path, file_name: str, on_progress: Progress | None
    ) -> ParsedDocument:
        try:
            if self._keeps_spare and self._spare is None:
                self._spare = await _Child.start()
            return await child.parse(path, file_name, self._limits, on_progress)
        finally:
            await child.kill()


class _KilledFromOutside(PassingFault):
    """Someone else ended the child: the system, short of memory, or an operator."""


class _Child:
    """One process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._errors = asyncio.create_task(self._keep_stderr_tail())

    @classmethod
    async def start(cls) -> _Child:
        """A process that loads the libraries and waits for its file."""
        environment = {name: os.environ[name] for name in _PASSED_VARIABLES if name in os.environ}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-B", "-X", "utf8", "-m", "skillnet_parser.child", str(os.getpid())),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**environment, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            start_new_session=True,
            limit=_LINE_LIMIT,
        )
        return cls(process)

    async def parse(
        self, path: Path, file_name: str, limits: ParseLimits, on_progress: Progress | None
    ) -> ParsedDocument:
        try:
            async with asyncio.timeout(limits.wall_seconds):
                await self._send(path, file_name, limits)
                payload = await self._receive(limits, on_progress)
        except TimeoutError:
            raise _timeout(f"{limits.wall_seconds:g} s") from None
        return await asyncio.to_thread(_decode, payload)

    async def kill(self) -> None:
        """Ends the process and all it may have started, and waits until it is gone."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        await asyncio.shield(self._process.wait())
        if self._process.stdout is not None:
            await self._process.stdout.read()  # what is left in the pipe; only at its end is it closed
        await self._errors

    async def _send(self, path: Path, file_name: str, limits: ParseLimits) -> None:
        request = {
            "path": os.fspath(path),
            "file_name": file_name,
            "limits": dataclasses.asdict(limits),
        }
        pipe = self._process.stdin
        if pipe is None:
            raise RuntimeError("the child was started without a pipe")
        try:
            pipe.write(json.dumps(request).encode() + b"\n")
            await pipe.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._explain_death() from None

    async def _receive(self, limits: ParseLimits, on_progress: Progress | None) -> bytes:
        pipe = self._process.stdout
        if pipe is None:
            raise RuntimeError("the child was started without a pipe")
        while line := await pipe.readline():
            message = json.loads(line)
            if "progress" in message:
                if on_progress is not None:
                    on_progress(*message["progress"])
            elif "fault" in message:
                raise _fault(message["fault"])
            else:
                return await self._receive_result(pipe, int(message["result"]), limits)
        raise await self._explain_death()

    async def _receive_result(self, pipe: asyncio.StreamReader, size: int, limits: ParseLimits) -> bytes:
        if size > limits.max_output_bytes:
            raise PermanentFault(
                ErrorCode.DOCUMENT_TOO_LARGE,
                f"The document's text takes {size} bytes; at most {limits.max_output_bytes} are kept. "
                "Split it into parts.",
                bytes=size,
                limit=limits.max_output_bytes,
            )
        try:
            return await pipe.readexactly(size)
        except asyncio.IncompleteReadError:
            raise await self._explain_death() from None

    async def _explain_death(self) -> SkillnetError:
        """The fault that fits how the process ended without an answer."""
        code = await self._process.wait()
        await self._errors
        tail = self._errors.result()
        if -code == signal.SIGXCPU:
            return _timeout("its share of processor time")
        if -code in (signal.SIGKILL, signal.SIGTERM):
            return _KilledFromOutside(ErrorCode.UNAVAILABLE, "The process that read the document was killed.")
        if any(sign in tail for sign in _MEMORY_SIGNS):
            return PermanentFault(
                ErrorCode.PARSE_MEMORY, "The document needs more memory than is allowed to read it."
            )
        return PermanentFault(
            ErrorCode.PARSER_CRASHED, "Reading the document failed in a way that is not understood.", exit_code=code
        )

    async def _keep_stderr_tail(self) -> bytes:
        pipe = self._process.stderr
        if pipe is None:
            raise RuntimeError("the child was started without a pipe")
        tail = b""
        while chunk := await pipe.read(_STDERR_TAIL):
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
