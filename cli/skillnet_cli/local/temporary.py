"""Servers and folders that vanish after use, for tests and trials. Many may run side by side."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from skillnet_cli.local.accounts import remove_tree, running_as_root, temporary_parent, unprivileged_account
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.messaging.users import NatsUser

_MEMORY = Path("/dev/shm")  # noqa: S108
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
    try:
        yield folder
    finally:
        remove_tree(folder)


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
