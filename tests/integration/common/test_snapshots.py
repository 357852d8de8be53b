"""Two connections that see one state of the database, and a pool that never comes to a standstill."""

from __future__ import annotations

import asyncio
from uuid import UUID

import asyncpg
import pytest
from tests.conftest import DatabaseUrls

from skillnet_common.database import Database

_SECONDS = 30
_COUNT = "SELECT count(*) FROM api_keys"
_ADD = (
    "INSERT INTO api_keys (org_id, key_hash, key_hint, name, scopes)"
    " VALUES ($1, sha256(gen_random_uuid()::text::bytea), 'sk_', 'x', '{}')"
)


async def test_a_joined_connection_sees_what_the_first_one_sees(database: Database, org: UUID) -> None:
    async with database.snapshot(org) as snapshot:
        before = await snapshot.connection.fetchval(_COUNT)
        async with database.tenant(org) as connection:
            await connection.execute(_ADD, org)
        name = await snapshot.share()
        assert name is not None
        async with snapshot.joined(name) as beside:
            assert await beside.fetchval(_COUNT) == before
            assert await beside.fetchval("SELECT current_org()") == org
            with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
                await beside.execute(_ADD, org)
    async with database.snapshot(org) as later:
        assert await later.connection.fetchval(_COUNT) == before + 1


async def test_whoever_has_the_last_connection_shares_with_nobody(database_urls: DatabaseUrls, org: UUID) -> None:
    database = await Database.connect(database_urls.service, size=2)
    try:
        async with database.snapshot(org) as first, database.snapshot(org) as second:
            assert await first.share() is None
            assert await second.share() is None
    finally:
        await database.close()


async def test_many_snapshots_that_want_a_second_connection_all_end(database_urls: DatabaseUrls, org: UUID) -> None:
    database = await Database.connect(database_urls.service, size=3)
    shared = 0

    async def read() -> None:
        nonlocal shared
        async with database.snapshot(org) as snapshot:
            await asyncio.sleep(0)
            name = await snapshot.share()
            if name is not None:
                shared += 1
                async with snapshot.joined(name) as beside:
                    await asyncio.gather(snapshot.connection.fetchval(_COUNT), beside.fetchval(_COUNT))

    try:
        await asyncio.wait_for(asyncio.gather(*(read() for _ in range(60))), _SECONDS)
        await asyncio.wait_for(read(), _SECONDS)
    finally:
        await database.close()
    assert shared > 0
