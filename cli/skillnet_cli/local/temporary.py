"""Servers and folders that vanish after use, for tests and trials. Many may run side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from skillnet_cli.local.accounts import remove_tree, running_as_root, temporary_parent, unprivileged_account
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.messaging.users import NatsUser


@contextmanager
def temporary_folder(name: str = "skillnet") -> Iterator[Path]:
    """A new folder, removed at the end, that the user who runs PostgreSQL can enter (not so tmp_path)."""
    account = unprivileged_account() if running_as_root() else None
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=temporary_parent(account)))
    if account is not None:
        folder.chmod(0o711)
    try:
        yield folder
    finally:
        remove_tree(folder)


@contextmanager
def temporary_postgres(settings: Mapping[str, str] | None = None) -> Iterator[EmbeddedPostgres]:
    """A running PostgreSQL with an empty cluster."""
    with (
        temporary_folder("skillnet-postgres") as folder,
        EmbeddedPostgres(folder, fast=True, settings=settings) as server,
    ):
        yield server


@contextmanager
def temporary_nats(users: Mapping[str, NatsUser] | None = None) -> Iterator[EmbeddedNats]:
    """A running nats-server with an empty store."""
    with temporary_folder("skillnet-nats") as folder, EmbeddedNats(folder, users) as server:
        yield server
