"""Servers and folders that vanish after use, for tests and trials. Many may run side by side."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from skillnet_cli.local.accounts import remove_tree, running_as_root, temporary_parent, unprivileged_account
from skillnet_cli.local.folder_lock import FolderLock, is_locked
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.messaging.users import NatsUser

_MEMORY = Path("/dev/shm")  # noqa: S108
_IN_USE = ".in-use.lock"
_MEMORY_BYTES = 4 * 1024**3


@contextmanager
def temporary_folder(name: str = "skillnet", *, in_memory: bool = False) -> Iterator[Path]:
    """A new folder, removed at the end, that the user who runs PostgreSQL can enter (not so tmp_path of root).

    `in_memory` asks for a file system in memory, several times faster to fill, where the machine has room for it.
    """
    account = unprivileged_account() if running_as_root() else None
    parent = _MEMORY if in_memory and _has_room_in_memory() else temporary_parent(account)
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))
    if account is not None:
        folder.chmod(0o711)
    lock = FolderLock(folder, _IN_USE, "A test")
    lock.acquire()
    _remove_abandoned(parent)
    try:
        yield folder
    finally:
        remove_tree(folder)
        lock.release()


def _remove_abandoned(parent: Path) -> None:
    """Remove the folders of processes that were killed: in memory nothing else would before the next reboot."""
    for marker in parent.glob(f"*/{_IN_USE}"):
        with suppress(FileNotFoundError):  # another process may be removing it too
            if marker.stat().st_uid == os.geteuid() and not is_locked(marker.parent, _IN_USE):
                shutil.rmtree(marker.parent)


def _has_room_in_memory() -> bool:
    return os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free >= _MEMORY_BYTES


@contextmanager
def temporary_postgres(settings: Mapping[str, str] | None = None) -> Iterator[EmbeddedPostgres]:
    """A running PostgreSQL with an empty cluster."""
    with (
        temporary_folder("skillnet-postgres", in_memory=True) as folder,
        EmbeddedPostgres(folder, fast=True, settings=settings) as server,
    ):
        yield server


@contextmanager
def temporary_nats(users: Mapping[str, NatsUser] | None = None) -> Iterator[EmbeddedNats]:
    """A running nats-server with an empty store."""
    with (
        temporary_folder("skillnet-nats", in_memory=True) as folder,
        EmbeddedNats(folder, users) as server,
    ):
        yield server
