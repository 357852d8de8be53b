"""API keys: the tenant comes from the credential."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from skillnet_common.auth import Authenticator, Scope, hash_key, list_keys, new_key, revoke_key, store_key
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


async def test_keys_are_listed_and_revoked(database: Database, org: UUID, other_org: UUID) -> None:
    kept, revoked, expiry = new_key(), new_key(), datetime.now(UTC) + timedelta(days=1)
    await store_key(database, org, kept, name="kept", scopes=[Scope.READ], audience=["kitchen"], expires_at=expiry)
    key_id = await store_key(database, org, revoked, name="revoked")
    await store_key(database, other_org, new_key(), name="theirs")
    with pytest.raises(RequestError) as caught:
        await revoke_key(database, other_org, key_id)
    assert caught.value.code is ErrorCode.NOT_FOUND
    await revoke_key(database, org, key_id)
    one, two = await list_keys(database, org)
    assert (one.name, one.scopes, one.audience) == ("kept", ["documents:read"], ["kitchen"])
    assert (one.expires_at, one.revoked_at) == (expiry, None)
    assert (two.key_id, two.name, two.audience) == (key_id, "revoked", None)
    assert revoked.startswith(two.hint)
    assert two.revoked_at is not None
    await revoke_key(database, org, key_id)
    assert (await list_keys(database, org))[1] == two
    assert await refusal(database, f"Bearer {revoked}") is ErrorCode.UNAUTHORIZED
    assert (await Authenticator(database).verify(f"Bearer {kept}")).org_id == org
    with pytest.raises(RequestError):
        await revoke_key(database, org, uuid4())
