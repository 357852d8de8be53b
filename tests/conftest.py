"""Real servers for the whole test session: PostgreSQL 18 with pgvector, and nats-server, from their wheels.

Under pytest-xdist every worker has servers of its own. A test gets an organisation of its own, so that tests
share a database without seeing each other.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from hypothesis import settings

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_nats, temporary_postgres
from skillnet_common.auth import create_organization, new_key, store_key
from skillnet_common.database import ROLES, Database, bootstrap_roles, migrate, register_first_model
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.topology import ensure_topology
from skillnet_common.settings import CommonSettings

# A loaded machine makes any example slow: what a property costs is no part of it.
settings.register_profile("shared-machine", deadline=None)
settings.load_profile("shared-machine")

TEST_MODEL: dict[str, Any] = {
    "slug": "test-model",
    "fingerprint": "test",
    "name": "test",
    "dimension": 4,
    "identity": {"window": 512},
}
"""A registered model of four dimensions, for tests that need vectors but no encoder."""


@dataclass(frozen=True)
class DatabaseUrls:
    """The addresses of one test database, a role each."""

    admin: str
    migrator: str
    service: str
    dispatcher: str
    backup: str


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real documents and questions; a test that needs them is skipped where they are absent."""
    default = Path(__file__).parent.parent.parent / "shared" / "data"
    folder = Path(os.environ.get("SKILLNET_SHARED_DATA", default))
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}; set SKILLNET_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A running server, thrown away at the end."""
    with temporary_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def nats_server() -> Iterator[EmbeddedNats]:
    """A running server with the users of every service."""
    with temporary_nats({user.name: user for user in service_users()}) as server:
        yield server


async def create_database(postgres: EmbeddedPostgres, name: str) -> DatabaseUrls:
    """An empty database with roles and extension, not yet migrated."""
    connection = await asyncpg.connect(postgres.admin_url)
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close()
    passwords = dict.fromkeys(ROLES, "secret")
    await bootstrap_roles(postgres.url(name), passwords)
    return DatabaseUrls(
        admin=postgres.url(name),
        migrator=postgres.url(name, "skillnet_migrator", "secret"),
        service=postgres.url(name, "skillnet_service", "secret"),
        dispatcher=postgres.url(name, "skillnet_dispatcher", "secret"),
        backup=postgres.url(name, "skillnet_backup", "secret"),
    )


@pytest.fixture(scope="session")
async def database_urls(postgres: EmbeddedPostgres) -> DatabaseUrls:
    """The session's database: migrated, with `TEST_MODEL` registered and serving."""
    urls = await create_database(postgres, "tests")
    await migrate(urls.migrator)
    await register_first_model(urls.migrator, **TEST_MODEL)
    return urls


@pytest.fixture(scope="session")
async def database(database_urls: DatabaseUrls) -> AsyncIterator[Database]:
    """A pool of the role `skillnet_service`."""
    pool = await Database.connect(database_urls.service, size=10)
    yield pool
    await pool.close()


@pytest.fixture(scope="session")
async def dispatcher_database(database_urls: DatabaseUrls) -> AsyncIterator[Database]:
    """A pool of the role `skillnet_dispatcher`."""
    pool = await Database.connect(database_urls.dispatcher, size=4)
    yield pool
    await pool.close()


@pytest.fixture
async def org(database: Database) -> UUID:
    """A fresh organisation."""
    org_id = uuid4()
    await create_organization(database, org_id, "Panadería de prueba")
    return org_id


@pytest.fixture
async def other_org(database: Database) -> UUID:
    """Another tenant, whose data must stay out of reach."""
    org_id = uuid4()
    await create_organization(database, org_id, "La competencia")
    return org_id


@pytest.fixture
async def api_key(database: Database, org: UUID) -> str:
    """A key of `org` with every scope."""
    key = new_key()
    await store_key(database, org, key, name="test")
    return key


@pytest.fixture(scope="session")
async def topology(nats_server: EmbeddedNats) -> list[str]:
    """Streams and consumers, created by the bootstrap's user."""
    bus = await Bus.connect(CommonSettings(nats_url=nats_server.url_for("admin")), "bootstrap")
    try:
        return await ensure_topology(bus.jetstream, [str(TEST_MODEL["slug"])])
    finally:
        await bus.close()
