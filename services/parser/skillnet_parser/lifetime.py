"""Processes that do not outlive the one that started them, and work done in such a process."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_READ_SIZE = 1024 * 1024
_WHOLE = b"\n"  # the last byte of an answer that was written to its end


def die_with(parent: int) -> None:
    """Linux kills this process with its parent, even by SIGKILL; elsewhere the CPU limit ends it."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it has gone already


class ProcessorAllowance:
    """Raises this process's own limit of processor time by what was spent on work that the limit is not for."""

    def __init__(self) -> None:
        self._base, self._most = resource.getrlimit(resource.RLIMIT_CPU)
        self._spent = 0.0

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Work that is not to be counted, once it has come to an end."""
        before = time.process_time()
        try:
            yield
        finally:
            self._spent += time.process_time() - before
            if self._base != resource.RLIM_INFINITY:
                raised = self._base + math.ceil(self._spent)
                limited = raised if self._most == resource.RLIM_INFINITY else min(raised, self._most)
                resource.setrlimit(resource.RLIMIT_CPU, (limited, self._most))


def run_forked(work: Callable[[], bytes], seconds: float) -> bytes | None:
    """What `work` returns, done in a fork of this process, which must have no other threads.

    None where it failed, crashed or took longer than `seconds` by the clock: this process goes on either way, and
    what the fork did to memory is gone with it. Its standard error is this process's.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _answer(work, writing, parent)
    os.close(writing)
    try:
        answer = _read_until(reading, time.monotonic() + seconds)
    finally:
        os.close(reading)
        os.kill(pid, signal.SIGKILL)  # not waited for yet: the number is still its own
        os.waitpid(pid, 0)
    return answer[: -len(_WHOLE)] if answer.endswith(_WHOLE) else None


def _answer(work: Callable[[], bytes], writing: int, parent: int) -> NoReturn:
    try:
        die_with(parent)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(work())
            pipe.write(_WHOLE)
        os._exit(0)
    except BaseException:  # told on standard error: the fork must not go on as a second parent
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
    finally:
        os._exit(1)


def _read_until(reading: int, deadline: float) -> bytes:
    """What comes before the end or the deadline, then or in part."""
    parts: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        part = os.read(reading, _READ_SIZE)
        if not part:
            break
        parts.append(part)
    return b"".join(parts)
