"""API keys: the tenant comes from the credential."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from skillnet_common.auth import Authenticator, Scope, hash_key, new_key, store_key
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, RequestError


async def refusal(database: Database, header: str | None) -> ErrorCode:
    with pytest.raises(RequestError) as caught:
        await Authenticator(database).verify(header)
    return caught.value.code


async def test_a_key_names_its_tenant_and_rights(database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="reader", scopes=[Scope.READ], audience=["kitchen"])
    principal = await Authenticator(database).verify(f"Bearer {key}")
    assert (principal.org_id, principal.scopes, principal.audience) == (
        org,
        frozenset({"documents:read"}),
        ("kitchen",),
    )
    principal.require(Scope.READ)
    with pytest.raises(RequestError) as caught:
        principal.require(Scope.WRITE)
    assert caught.value.code is ErrorCode.FORBIDDEN


async def test_only_the_hash_is_stored(database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="k")
    async with database.tenant(org) as connection:
        row = await connection.fetchrow("SELECT * FROM api_keys WHERE name = 'k'")
    assert row is not None
    assert row["key_hash"] == hash_key(key)
    assert key not in str(dict(row))


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic abc", "sk_abc", "Bearer sk_wrong"])
async def test_what_is_no_known_key_is_refused(database: Database, header: str | None) -> None:
    assert await refusal(database, header) is ErrorCode.UNAUTHORIZED


async def test_expired_and_revoked_keys_are_refused(database: Database, org: UUID) -> None:
    expired, revoked = new_key(), new_key()
    await store_key(database, org, expired, name="e", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    await store_key(database, org, revoked, name="r")
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE api_keys SET revoked_at = now() WHERE name = 'r'")
    assert await refusal(database, f"Bearer {expired}") is ErrorCode.UNAUTHORIZED
    assert await refusal(database, f"Bearer {revoked}") is ErrorCode.UNAUTHORIZED


async def test_the_use_of_a_key_is_noted_but_not_at_every_request(database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="k")
    authenticator = Authenticator(database)

    async def last_used() -> datetime | None:
        async with database.tenant(org) as connection:
            moment: datetime | None = await connection.fetchval("SELECT last_used_at FROM api_keys WHERE name = 'k'")
        return moment

    assert await last_used() is None
    await authenticator.verify(f"Bearer {key}")
    first = await last_used()
    assert first is not None
    for again in (authenticator, Authenticator(database)):
        await again.verify(f"Bearer {key}")
        assert await last_used() == first
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE api_keys SET last_used_at = now() - interval '1 hour'")
    await Authenticator(database).verify(f"Bearer {key}")
    assert (later := await last_used()) is not None
    assert later >= first
