"""One owner per folder: an advisory lock which the kernel releases when the owner dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from skillnet_common.errors import ErrorCode, SkillnetError

_PATIENCE_SECONDS = 0.5


def is_locked(folder: Path, name: str) -> bool:
    """Whether a `FolderLock` of that name is held by any process."""
    try:
        descriptor = os.open(folder / name, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _lock_soon(descriptor: int) -> bool:
    """Try for a moment: whoever asks `is_locked` holds a shared lock for an instant."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        else:
            return True


class FolderLock:
    """An exclusive lock on `<folder>/<name>`. `owner` says in errors what holds it."""

    def __init__(self, folder: Path, name: str, owner: str) -> None:
        self._path = folder / name
        self._owner = owner
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock; `already_running` with the holder's process id when another holds it."""
        if self._descriptor is not None:
            raise self._taken(os.getpid())
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if not _lock_soon(descriptor):
            holder = os.read(descriptor, 20).decode("ascii", errors="replace").strip()
            os.close(descriptor)
            raise self._taken(holder)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode("ascii"), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Give the lock back; nothing happens when it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _taken(self, holder: int | str) -> SkillnetError:
        return SkillnetError(
            ErrorCode.ALREADY_RUNNING,
            f"{self._owner} already runs in {self._path.parent} (process {holder or 'unknown'}). "
            "Stop it first, or choose another data folder.",
        )
