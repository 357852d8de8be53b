"""The database and the bus of a stack: embedded ones, or those that the environment names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from skillnet_bootstrap.provision import DatabaseAccess, create_database
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.private_file import kept_passwords
from skillnet_common.database import ROLES
from skillnet_common.messaging.permissions import service_users

DATABASE_NAME = "skillnet"
ADMIN_USER = "admin"


class DatabaseBackend:
    """PostgreSQL in `<data>/postgres`, or the one of DATABASE_ADMIN_URL (else DATABASE_URL), a superuser's address.

    The passwords of the roles are generated once and kept in `<data>/database_passwords.json`; that of a role which
    DATABASE_URL names is taken from there.
    """

    def __init__(self, data_folder: Path, environment: Mapping[str, str], *, fast: bool) -> None:
        self._passwords_path = data_folder / "database_passwords.json"
        self._role_url = environment.get("DATABASE_URL", "")
        self._external_url = environment.get("DATABASE_ADMIN_URL") or self._role_url
        self.server = None if self._external_url else EmbeddedPostgres(data_folder / "postgres", fast=fast)

    async def start(self) -> DatabaseAccess:
        """Start the server if it is ours, and tell how to reach the database."""
        if self.server is None:
            return DatabaseAccess(self._external_url, self._passwords())
        await asyncio.to_thread(self.server.start)
        await create_database(self.server.admin_url, DATABASE_NAME)
        return DatabaseAccess(self.server.url(DATABASE_NAME), self._passwords())

    def _passwords(self) -> dict[str, str]:
        passwords = kept_passwords(self._passwords_path, ROLES)
        given = urlsplit(self._role_url)
        if given.username in ROLES and given.password:
            passwords[given.username] = unquote(given.password)
        return passwords


class BusBackend:
    """nats-server in `<data>/nats` with a user for each service, or that of NATS_URL (NATS_USER, NATS_PASSWORD)."""

    def __init__(self, data_folder: Path, environment: Mapping[str, str]) -> None:
        names = ("NATS_URL", "NATS_USER", "NATS_PASSWORD")
        self._external = {name: environment[name] for name in names if name in environment}
        embedded = "NATS_URL" not in self._external
        users = {user.name: user for user in service_users()}
        self.server = EmbeddedNats(data_folder / "nats", users) if embedded else None

    async def start(self) -> None:
        """Start the server if it is ours."""
        if self.server is not None:
            await asyncio.to_thread(self.server.start)

    def environment_of(self, user: str) -> Mapping[str, str]:
        """NATS_URL, NATS_USER and NATS_PASSWORD of a service or another user."""
        if self.server is None:
            return self._external
        credentials = self.server.users[user]
        return {
            "NATS_URL": self.server.url,
            "NATS_USER": credentials.name,
            "NATS_PASSWORD": credentials.password,
        }
