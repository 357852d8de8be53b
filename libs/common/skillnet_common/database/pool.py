"""Connections, and the one way to touch tenant data: a transaction in which the tenant is set."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

import asyncpg
import structlog
from pgvector.asyncpg import register_vector

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault

log = structlog.get_logger(__name__)

if TYPE_CHECKING:
    Connection = asyncpg.pool.PoolConnectionProxy[Any] | asyncpg.Connection[Any]
else:
    Connection = asyncpg.Connection
Isolation = Literal["read_committed", "repeatable_read"]

EVERYTHING: tuple[str, ...] = ("*",)
"""The audience of services and administrators: every document of the organisation."""

_SET_TENANT = "SELECT set_config('skillnet.org_id', $1, true), set_config('skillnet.audience', $2, true)"

#: The server is away or going away: trying again later helps.
CONNECTION_ERRORS = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what the client says of a connection that was cut in the midst of a reply
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
)


class Database:
    """A pool of connections of one role.

    `tenant()` opens a transaction in which only one organisation's rows exist; `system()` one without a
    tenant, for the dispatcher's role and for tables that belong to no tenant.
    """

    def __init__(self, pool: asyncpg.Pool[Any]) -> None:
        self._pool = pool

    @classmethod
    async def connect(cls, url: str, *, size: int = 6, name: str = "skillnet", patience: float = 0) -> Database:
        """Opens the pool; waits up to `patience` seconds for a server that is still starting."""
        deadline = asyncio.get_running_loop().time() + patience
        while True:
            try:
                pool = await asyncpg.create_pool(
                    url,
                    min_size=1,
                    max_size=size,
                    init=_prepare,
                    reset=_keep,
                    server_settings={"application_name": name},
                    command_timeout=60,
                    timeout=10,
                )
            except CONNECTION_ERRORS as error:
                if asyncio.get_running_loop().time() >= deadline:
                    raise PassingFault(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be reached: {error}") from error
                await asyncio.sleep(0.2)
            else:
                return cls(pool)

    async def close(self) -> None:
        """Waits for running transactions, up to ten seconds."""
        try:
            await asyncio.wait_for(self._pool.close(), timeout=10)
        except TimeoutError:
            self._pool.terminate()

    @asynccontextmanager
    async def tenant(
        self,
        org_id: UUID,
        *,
        audience: Sequence[str] | None = EVERYTHING,
        isolation: Isolation = "read_committed",
        readonly: bool = False,
    ) -> AsyncIterator[Connection]:
        """A transaction of one organisation. `audience` lists the asker's groups; None sees everything."""
        groups = ",".join(EVERYTHING if audience is None else audience)
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation=isolation, readonly=readonly),
        ):
            await connection.execute(_SET_TENANT, str(org_id), groups)
            yield connection

    @asynccontextmanager
    async def snapshot(
        self, org_id: UUID, *, audience: Sequence[str] | None = EVERYTHING, settings: Mapping[str, str] | None = None
    ) -> AsyncIterator[Snapshot]:
        """A read-only REPEATABLE READ transaction of one organisation, opened in a single round trip.

        `settings` are of PostgreSQL and hold for this transaction.
        """
        tenant = {
            "skillnet.org_id": str(org_id),
            "skillnet.audience": ",".join(EVERYTHING if audience is None else audience),
        }
        every_setting = {**(settings or {}), **tenant}
        async with _reading(self._pool, every_setting) as connection:
            yield Snapshot(connection, self._pool, every_setting)

    @asynccontextmanager
    async def system(self) -> AsyncIterator[Connection]:
        """A transaction without a tenant: any table of tenant data raises in it, but for the dispatcher's role."""
        async with self._pool.acquire() as connection, connection.transaction():
            yield connection


class Snapshot:
    """One state of the database, read over `connection`, and over a second one beside it.

    No `connection.transaction()` inside.
    """

    def __init__(self, connection: Connection, pool: asyncpg.Pool[Any], settings: Mapping[str, str]) -> None:
        self.connection = connection
        self._pool = pool
        self._settings = settings

    async def share(self) -> str | None:
        """The name under which a second connection can join, so that two statements run at a time.

        None where no connection is free. Whoever took the last one gets None, so that those who wait for a second
        one while they hold a first cannot be all there are.
        """
        if self._pool.get_idle_size() == 0 and self._pool.get_size() >= self._pool.get_max_size():
            return None
        return str(await self.connection.fetchval("SELECT pg_export_snapshot()"))

    @asynccontextmanager
    async def joined(self, name: str) -> AsyncIterator[Connection]:
        """Another connection that sees the very same, while the first one's transaction lasts."""
        async with _reading(self._pool, self._settings, shared=name) as connection:
            yield connection


@asynccontextmanager
async def _reading(
    pool: asyncpg.Pool[Any], settings: Mapping[str, str], *, shared: str | None = None
) -> AsyncIterator[Connection]:
    calls = ", ".join(f"set_config({_literal(name)}, {_literal(value)}, true)" for name, value in settings.items())
    joining = f"SET TRANSACTION SNAPSHOT '{shared}'; " if shared else ""
    async with pool.acquire() as connection:
        await connection.execute(f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {joining}SELECT {calls}")
        try:
            yield connection
        finally:
            if not connection.is_closed():
                await connection.execute("ROLLBACK")  # nothing was written


def _literal(text: str) -> str:
    """In hexadecimal digits, where nothing needs escaping: several statements in one message take no parameters."""
    return f"convert_from(decode('{text.encode().hex()}', 'hex'), 'UTF8')"


async def _keep(_: Connection) -> None:
    """A connection goes back as it is, without a round trip: every setting and lock ends with its transaction, and
    asyncpg rolls back one that is still open."""


async def _prepare(connection: asyncpg.Connection[Any]) -> None:
    await register_vector(connection, schema="public")
    # jsonb travels as Python objects both ways: nobody encodes by hand.
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)


async def check_role(database: Database) -> None:
    """Refuses a role that row-level security does not bind: PermanentFault `misconfigured`."""
    async with database.system() as connection:
        role = await connection.fetchrow(
            "SELECT rolname, rolsuper OR rolbypassrls AS unbound,"
            " EXISTS (SELECT FROM pg_class WHERE relname = 'documents' AND relowner = pg_roles.oid) AS owner"
            " FROM pg_roles WHERE rolname = current_user"
        )
    if role is None or role["unbound"] or role["owner"]:
        name = role["rolname"] if role else "?"
        raise PermanentFault(
            ErrorCode.MISCONFIGURED,
            f"The database role {name!r} could read every tenant's data. Give DATABASE_URL the role"
            " skillnet_service (or skillnet_dispatcher for the dispatcher).",
        )
