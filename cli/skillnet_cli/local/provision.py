"""Makes a PostgreSQL and a NATS ready for the services: roles, migrations, the model, streams and consumers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg
import nats

from skillnet_common.database import bootstrap_roles, migrate
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.topology import ensure_topology

MIGRATOR = "skillnet_migrator"
SERVICE = "skillnet_service"
DISPATCHER = "skillnet_dispatcher"

RegisterModel = Callable[[str], Awaitable[object]]
"""Registers the configured embedding model, given the migrator's address of the database."""


@dataclass(frozen=True, slots=True)
class DatabaseAccess:
    """A database: its superuser's address and the passwords of the roles that log in."""

    admin_url: str = field(repr=False)
    passwords: dict[str, str] = field(repr=False)

    def url(self, role: str) -> str:
        """The address of the database for a role."""
        parts = urlsplit(self.admin_url)
        host = parts.netloc.rpartition("@")[2]
        netloc = f"{quote(role, safe='')}:{quote(self.passwords[role], safe='')}@{host}"
        return urlunsplit(parts._replace(netloc=netloc))


async def create_database(admin_url: str, name: str) -> None:
    """Create the database unless it exists; `admin_url` is the superuser's of another database."""
    connection = await asyncpg.connect(admin_url, timeout=10)
    try:
        if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name):
            await connection.execute(await connection.fetchval("SELECT format('CREATE DATABASE %I', $1::text)", name))
    finally:
        await connection.close()


async def prepare_database(access: DatabaseAccess, register_model: RegisterModel | None) -> list[str]:
    """Roles, migrations and the first model; returns the slugs of the registered models. Safe to repeat."""
    try:
        await bootstrap_roles(access.admin_url, access.passwords)
    except asyncpg.InsufficientPrivilegeError as error:
        raise SkillnetError(
            ErrorCode.MISCONFIGURED,
            f"DATABASE_ADMIN_URL must be a superuser's address of the database: {error}.",
        ) from error
    except (OSError, asyncpg.PostgresError) as error:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be prepared: {error}") from error
    migrator_url = access.url(MIGRATOR)
    await migrate(migrator_url)
    if register_model is not None:
        await register_model(migrator_url)
    return await _model_slugs(migrator_url)


async def _model_slugs(migrator_url: str) -> list[str]:
    connection = await asyncpg.connect(migrator_url, timeout=10)
    try:
        rows = await connection.fetch("SELECT slug FROM skillnet.embedding_models ORDER BY model_id")
    finally:
        await connection.close()
    return [row["slug"] for row in rows]


async def prepare_bus(credentials: Mapping[str, str], model_slugs: list[str]) -> None:
    """Streams and consumers, as the user of NATS_URL, NATS_USER and NATS_PASSWORD, who must be allowed everything."""
    try:
        client = await nats.connect(
            credentials["NATS_URL"],
            user=credentials.get("NATS_USER"),
            password=credentials.get("NATS_PASSWORD"),
            name="skillnet-bootstrap",
            connect_timeout=10,
            max_reconnect_attempts=3,
        )
    except (OSError, nats.errors.Error) as error:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"NATS cannot be reached: {error}") from error
    try:
        await ensure_topology(client.jetstream(timeout=10), model_slugs)
    finally:
        await client.close()
