"""Makes a PostgreSQL and a NATS ready for the services: roles, migrations, the model, streams and consumers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg
import nats

from skillnet_common.database import bootstrap_roles, migrate
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_common.messaging.topology import ensure_topology

MIGRATOR = "skillnet_migrator"
SERVICE = "skillnet_service"
DISPATCHER = "skillnet_dispatcher"

_NO_ADMIN = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.ClientConfigurationError,
)

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
    """Roles, migrations and the first model; returns the slugs of the registered models. Safe to repeat.

    Raises PassingFault where PostgreSQL cannot be reached or a table is in use for too long, PermanentFault where
    DATABASE_ADMIN_URL does not serve or the database is not this version's.
    """
    try:
        await bootstrap_roles(access.admin_url, access.passwords)
        migrator_url = access.url(MIGRATOR)
        await migrate(migrator_url)
        if register_model is not None:
            await register_model(migrator_url)
        return await _model_slugs(migrator_url)
    except _NO_ADMIN as error:
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"DATABASE_ADMIN_URL must be a superuser's address of the database: {error}.",
        ) from error
    except (*CONNECTION_ERRORS, asyncpg.LockNotAvailableError) as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be prepared: {error}") from error


async def _model_slugs(migrator_url: str) -> list[str]:
    connection = await asyncpg.connect(migrator_url, timeout=10)
    try:
        rows = await connection.fetch("SELECT slug FROM skillnet.embedding_models ORDER BY model_id")
    finally:
        await connection.close()
    return [row["slug"] for row in rows]


async def prepare_bus(credentials: Mapping[str, str], model_slugs: list[str]) -> list[str]:
    """Streams and consumers, as the user of NATS_URL, NATS_USER and NATS_PASSWORD, who must be allowed everything.

    Returns the names of those that were missing. Raises PassingFault where NATS cannot be reached, PermanentFault
    where it is set up otherwise.
    """
    refusals: list[str] = []

    async def note(error: Exception) -> None:
        refusals.append(str(error))

    try:
        client = await nats.connect(
            credentials["NATS_URL"],
            user=credentials.get("NATS_USER"),
            password=credentials.get("NATS_PASSWORD"),
            name="skillnet-bootstrap",
            connect_timeout=10,
            allow_reconnect=False,
            max_reconnect_attempts=1,  # of this first connection
            reconnect_time_wait=0.2,
            error_cb=note,
        )
    except (OSError, nats.errors.Error) as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"NATS cannot be reached: {error}") from error
    try:
        return await ensure_topology(client.jetstream(timeout=5), model_slugs)
    except nats.errors.Error as error:
        if refusals:  # the server tells of a refusal beside the request, which then runs out of time
            raise PermanentFault(
                ErrorCode.MISCONFIGURED, f"NATS_USER must be the bus's administrator: {refusals[0]}."
            ) from error
        raise PassingFault(ErrorCode.UNAVAILABLE, f"NATS does not answer for its streams: {error}") from error
    finally:
        await client.close()
