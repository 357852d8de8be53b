"""What whoever scales the services may ask: how many tokens wait, and nothing else."""

from __future__ import annotations

from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.conftest import TEST_MODEL, create_database

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.database import migrate, register_first_model

SLUG = str(TEST_MODEL["slug"])
TENANT_TABLES = ("work", "documents", "document_chunks", "outbox", "organizations", "api_keys", "embedding_models")


async def add_work(connection: asyncpg.Connection, stage: str, cost: int, state: str, wait: str = "0 s") -> None:
    """A piece of work of an organisation of its own."""
    org_id, document_id = uuid4(), uuid4()
    embeds = stage == "embed"
    await connection.execute("INSERT INTO skillnet.organizations (org_id, name) VALUES ($1, 'x')", org_id)
    await connection.execute("SET session_replication_role = replica")  # the document's rows are not the subject
    await connection.execute(
        "INSERT INTO skillnet.work (org_id, stage, document_id, version, model_id, chunk_ids, cost, state,"
        " claim_token, not_before) VALUES ($1, $2, $3, 1, $4, $5, $6, $7, $8, now() + $9::text::interval)",
        org_id,
        stage,
        document_id,
        1 if embeds else None,
        [uuid4()] if embeds else [],
        cost,
        state,
        UUID(int=1) if state == "claimed" else None,
        wait,
    )
    await connection.execute("SET session_replication_role = origin")


async def test_the_monitor_is_told_the_tokens_of_all_tenants_and_sees_no_row(postgres: EmbeddedPostgres) -> None:
    urls = await create_database(postgres, f"monitor_{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    await register_first_model(urls.migrator, **TEST_MODEL)
    admin = await asyncpg.connect(urls.admin)
    monitor = await asyncpg.connect(urls.service.replace("skillnet_service", "skillnet_monitor"))
    try:
        assert await monitor.fetchval("SELECT waiting_tokens($1)", SLUG) == 0
        for cost, state in ((100, "waiting"), (20, "waiting"), (3, "released"), (4, "claimed"), (5, "done")):
            await add_work(admin, "embed", cost, state)
        await add_work(admin, "embed", 1_000, "waiting", wait="1 min")
        await add_work(admin, "parse", 7_000, "waiting")
        assert await monitor.fetchval("SELECT waiting_tokens($1)", SLUG) == 120
        assert await monitor.fetchval("SELECT waiting_tokens('another-model')") is None
        for table in TENANT_TABLES:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await monitor.fetch(f"SELECT 1 FROM {table}")
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await monitor.execute("CREATE TEMP TABLE notes (text text)")
    finally:
        await monitor.close()
        await admin.close()


async def test_no_service_is_told_what_others_have_waiting(postgres: EmbeddedPostgres) -> None:
    urls = await create_database(postgres, f"monitor_{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    for url in (urls.service, urls.dispatcher, urls.backup):
        connection = await asyncpg.connect(url)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.fetchval("SELECT waiting_tokens($1)", SLUG)
        await connection.close()
