"""Row-level security binds every role that serves users, and an unset tenant is an error."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg
import pytest

from skillnet_common.database import Database, check_role
from skillnet_common.errors import PermanentFault

TENANT_TABLES_QUERY = """
    SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relispartition,
           EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant') AS has_policy
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id' AND NOT a.attisdropped
    WHERE c.relnamespace = 'skillnet'::regnamespace AND c.relkind IN ('r', 'p')
"""


async def tenant_tables(database: Database) -> list[asyncpg.Record]:
    async with database.system() as connection:
        rows: list[asyncpg.Record] = await connection.fetch(TENANT_TABLES_QUERY)
        return rows


async def test_every_table_with_a_tenant_is_protected(database: Database) -> None:
    tables = await tenant_tables(database)
    assert len(tables) > 12
    unprotected = [
        t["relname"] for t in tables if not (t["relrowsecurity"] and t["relforcerowsecurity"] and t["has_policy"])
    ]
    assert unprotected == []


async def test_every_key_leads_with_the_tenant(database: Database) -> None:
    async with database.system() as connection:
        keys = await connection.fetch(
            "SELECT c.relname,"
            " (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum = i.indkey[0]) AS lead"
            " FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
            " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'org_id'"
            " WHERE i.indisprimary AND c.relnamespace = 'skillnet'::regnamespace"
        )
    assert [key["relname"] for key in keys if key["lead"] != "org_id"] == []


async def test_unset_tenant_raises_on_every_table_even_an_empty_one(database: Database) -> None:
    for table in await tenant_tables(database):
        if table["relispartition"]:
            continue  # not granted: reached through its parent only
        async with database.system() as connection:
            with pytest.raises(asyncpg.PostgresError, match="no tenant is set"):
                await connection.fetch(f"SELECT 1 FROM {table['relname']}")


async def test_partitions_are_not_reachable_by_their_own_name(database: Database, org: UUID) -> None:
    partitions = [t["relname"] for t in await tenant_tables(database) if t["relispartition"]]
    assert partitions
    for name in partitions:
        async with database.tenant(org) as connection:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"SELECT 1 FROM {name}")


async def test_a_tenant_sees_only_its_own_rows_and_writes_no_others(
    database: Database, org: UUID, other_org: UUID
) -> None:
    async with database.tenant(org) as connection:
        assert [row["org_id"] for row in await connection.fetch("SELECT org_id FROM organizations")] == [org]
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(
                "INSERT INTO courses (org_id, course_id, title) VALUES ($1, 'c', 'c')", other_org
            )


async def test_the_tenant_ends_with_its_transaction(database: Database, org: UUID) -> None:
    async with database.tenant(org) as connection:
        await connection.fetch("SELECT 1 FROM documents")
    for _ in range(12):  # whichever connection of the pool it was
        async with database.system() as connection:
            with pytest.raises(asyncpg.PostgresError, match="no tenant is set"):
                await connection.fetch("SELECT 1 FROM documents")


async def test_audience_narrows_what_the_asker_sees(database: Database, org: UUID) -> None:
    async with database.tenant(org) as connection:
        for key, audience in (("open", None), ("kitchen", ["kitchen"]), ("office", ["office", "board"])):
            await connection.execute(
                "INSERT INTO documents (org_id, document_id, source, external_key, title, audience)"
                " VALUES ($1, $2, 'upload', $3, $3, $4)",
                org,
                uuid4(),
                key,
                audience,
            )

    async def seen(groups: list[str] | None) -> set[str]:
        async with database.tenant(org, audience=groups) as connection:
            return {row["external_key"] for row in await connection.fetch("SELECT external_key FROM documents")}

    assert await seen(None) == {"open", "kitchen", "office"}
    assert await seen([]) == {"open"}
    assert await seen(["kitchen"]) == {"open", "kitchen"}
    assert await seen(["board", "kitchen"]) == {"open", "kitchen", "office"}


async def test_a_role_that_could_see_everything_is_refused(postgres: object, database_urls: object) -> None:
    for url in (database_urls.admin, database_urls.migrator, database_urls.backup):  # type: ignore[attr-defined]
        strong = await Database.connect(url, size=1)
        try:
            with pytest.raises(PermanentFault, match="could read every tenant"):
                await check_role(strong)
        finally:
            await strong.close()


async def test_service_and_dispatcher_roles_are_accepted(database: Database, dispatcher_database: Database) -> None:
    await check_role(database)
    await check_role(dispatcher_database)


@pytest.mark.parametrize(
    "table", ["document_texts", "document_chunks", "document_sections", "api_keys", "organizations"]
)
async def test_the_dispatcher_sees_no_content(dispatcher_database: Database, table: str) -> None:
    async with dispatcher_database.system() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch(f"SELECT * FROM {table}")


async def test_the_dispatcher_cannot_read_full_text(dispatcher_database: Database) -> None:
    async with dispatcher_database.system() as connection:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetch("SELECT full_text FROM documents")


async def test_backup_reads_every_tenant(database_urls: object, org: UUID, other_org: UUID) -> None:
    connection = await asyncpg.connect(database_urls.backup)  # type: ignore[attr-defined]
    try:
        found = {row["org_id"] for row in await connection.fetch("SELECT org_id FROM organizations")}
    finally:
        await connection.close()
    assert {org, other_org} <= found


async def test_no_function_that_sees_all_tenants_is_open_to_everybody(database: Database) -> None:
    async with database.system() as connection:
        functions = await connection.fetch(
            "SELECT proname, has_function_privilege('skillnet_backup', oid, 'EXECUTE') AS open FROM pg_proc"
            " WHERE pronamespace = 'skillnet'::regnamespace AND prosecdef"
        )
    assert {"auth_lookup", "waiting_elsewhere", "waiting_tokens"} <= {row["proname"] for row in functions}
    assert [row["proname"] for row in functions if row["open"]] == []
