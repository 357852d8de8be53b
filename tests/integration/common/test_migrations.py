"""Migrations: once each, under a lock, never changed afterwards."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import asyncpg
import pytest
from tests.conftest import TEST_MODEL, DatabaseUrls, create_database

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.database import ROLES, bootstrap_roles, migrate, register_first_model
from skillnet_common.database.migrations import migration_files
from skillnet_common.errors import PermanentFault


@pytest.fixture
async def empty(postgres: EmbeddedPostgres) -> DatabaseUrls:
    return await create_database(postgres, f"migrations-{uuid4().hex[:8]}")


async def test_from_empty_and_again(empty: DatabaseUrls) -> None:
    names = [name for name, _ in migration_files()]
    assert await migrate(empty.migrator) == names
    assert await migrate(empty.migrator) == []


async def test_two_at_once_apply_each_once(empty: DatabaseUrls) -> None:
    first, second = await asyncio.gather(migrate(empty.migrator), migrate(empty.migrator))
    assert sorted(first + second) == [name for name, _ in migration_files()]


async def test_a_changed_migration_is_refused(empty: DatabaseUrls) -> None:
    await migrate(empty.migrator)
    connection = await asyncpg.connect(empty.migrator)
    await connection.execute("UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0001%'")
    await connection.close()
    with pytest.raises(PermanentFault, match="was changed after"):
        await migrate(empty.migrator)


async def test_a_newer_database_is_refused(empty: DatabaseUrls) -> None:
    await migrate(empty.migrator)
    connection = await asyncpg.connect(empty.migrator)
    await connection.execute("INSERT INTO schema_migrations (name, sha256) VALUES ('9999_future.sql', 'x')")
    await connection.close()
    with pytest.raises(PermanentFault, match="does not know"):
        await migrate(empty.migrator)


async def test_bootstrap_can_be_repeated_and_changes_passwords(empty: DatabaseUrls) -> None:
    passwords = dict.fromkeys(ROLES, "secret")
    await bootstrap_roles(empty.admin, passwords)
    await migrate(empty.migrator)
    await bootstrap_roles(empty.admin, passwords)


async def test_the_first_model_serves_and_the_registry_rules_from_then_on(empty: DatabaseUrls) -> None:
    await migrate(empty.migrator)
    first = await register_first_model(empty.migrator, **TEST_MODEL)
    other = {**TEST_MODEL, "slug": "other", "fingerprint": "other", "dimension": 8}
    assert await register_first_model(empty.migrator, **other) == first


async def test_services_cannot_touch_the_schema(empty: DatabaseUrls) -> None:
    await migrate(empty.migrator)
    for url in (empty.service, empty.dispatcher, empty.backup):
        connection = await asyncpg.connect(url)
        try:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("CREATE TABLE skillnet.intruder (id integer)")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute("ALTER TABLE documents DISABLE ROW LEVEL SECURITY")
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetchval("SELECT register_model('a', 'b', 'c', 3, '{}')")
        finally:
            await connection.close()
