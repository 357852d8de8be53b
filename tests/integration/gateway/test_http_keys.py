"""API keys over HTTP: made, shown, revoked, and never wider than the key they are made with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from structlog.testing import capture_logs

from skillnet_common.auth import Authenticator, Scope, new_key, store_key
from skillnet_common.database import Database
from skillnet_common.errors import RequestError

from .conftest import RunningGateway

PATH = "/v1/keys"
Stored = Callable[..., Awaitable[tuple[httpx.AsyncClient, UUID]]]


@pytest.fixture
async def stored(gateway: RunningGateway, database: Database, org: UUID) -> Any:
    """Stores a key of the organisation; gives a client that uses it, and its id."""
    clients: list[httpx.AsyncClient] = []

    async def store(**fields: Any) -> tuple[httpx.AsyncClient, UUID]:
        key = new_key()
        key_id = await store_key(database, org, key, **{"name": "k", **fields})
        clients.append(gateway.client(key))
        return clients[-1], key_id

    yield store
    for client in clients:
        await client.aclose()


async def made(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    reply = await client.post(PATH, json={"name": "nueva", **fields})
    assert reply.status_code == 201, reply.text
    assert reply.headers["cache-control"] == "no-store"
    key: dict[str, Any] = reply.json()
    return key


async def refused(request: Awaitable[httpx.Response]) -> tuple[int, str]:
    reply = await request
    return reply.status_code, reply.json()["code"]


async def test_a_key_is_made_used_shown_and_revoked(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database
) -> None:
    expiry = datetime.now(UTC).replace(microsecond=0) + timedelta(days=2)
    with capture_logs() as logs:
        key = await made(
            client, scopes=["documents:read"], audience=["cajas"], expires_at=expiry.isoformat(), name="Lectora"
        )
    secret = key.pop("api_key")
    assert secret not in str(logs)
    me = (await client.get("/v1/me")).json()
    assert (key["name"], key["scopes"], key["audience"]) == ("Lectora", ["documents:read"], ["cajas"])
    assert (key["created_by"], key["revoked_at"], key["last_used_at"]) == (me["key_id"], None, None)
    assert datetime.fromisoformat(key["expires_at"]) == expiry
    assert secret.startswith(key["hint"])
    async with gateway.client(secret) as reader:
        assert (await reader.get("/v1/me")).json()["audience"] == ["cajas"]
    address = f"{PATH}/{key['key_id']}"
    shown = (await client.get(address)).json()
    assert shown["last_used_at"] is not None
    assert shown | {"last_used_at": None} == key
    listed = (await client.get(PATH)).json()["keys"]
    assert [one["name"] for one in listed] == ["test", "Lectora"]
    assert secret not in str(listed)
    for _ in range(2):
        assert (await client.delete(address)).status_code == 204
    assert (await client.get(address)).json()["revoked_at"] is not None
    with pytest.raises(RequestError):
        await Authenticator(database).verify(f"Bearer {secret}")


async def test_a_key_is_read_only_and_of_every_group_unless_told(client: httpx.AsyncClient) -> None:
    key = await made(client)
    assert (key["scopes"], key["audience"], key["expires_at"]) == (["documents:read"], None, None)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_only_administrators(stored: Stored, client: httpx.AsyncClient, method: str) -> None:
    writer, _ = await stored(scopes=[Scope.READ, Scope.WRITE])
    path = f"{PATH}/{(await made(client))['key_id']}" if method == "DELETE" else PATH
    request = writer.request(method, path, json={"name": "x"} if method == "POST" else None)
    assert await refused(request) == (403, "forbidden")


async def test_a_limited_administrator_does_not_widen(stored: Stored) -> None:
    limited, _ = await stored(audience=["cajas", "almacén"])
    for audience in (None, ["cocina"], ["cajas", "cocina"]):
        assert await refused(limited.post(PATH, json={"name": "x", "audience": audience})) == (403, "forbidden")
    assert (await made(limited, audience=["cajas"], scopes=["admin"]))["audience"] == ["cajas"]


async def test_a_limited_administrator_sees_and_revokes_only_what_is_within(
    stored: Stored, client: httpx.AsyncClient
) -> None:
    limited, own_id = await stored(audience=["cajas", "almacén"])
    _, all_id = await stored(name="de todo")
    within, beyond = await made(client, audience=["cajas"]), await made(client, audience=["cajas", "cocina"])
    listed = {one["key_id"] for one in (await limited.get(PATH)).json()["keys"]}
    assert listed == {str(own_id), within["key_id"]}
    for key_id in (all_id, beyond["key_id"]):
        assert await refused(limited.get(f"{PATH}/{key_id}")) == (404, "not_found")
        assert await refused(limited.delete(f"{PATH}/{key_id}?force=true")) == (404, "not_found")
    assert (await limited.delete(f"{PATH}/{within['key_id']}")).status_code == 204


async def test_a_key_makes_none_that_outlives_it(stored: Stored) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    brief, _ = await stored(expires_at=soon)
    for expires_at in (None, (soon + timedelta(seconds=1)).isoformat()):
        assert await refused(brief.post(PATH, json={"name": "x", "expires_at": expires_at})) == (403, "forbidden")
    await made(brief, expires_at=(soon - timedelta(minutes=1)).isoformat())


async def test_a_key_that_was_revoked_a_moment_ago_makes_no_other(stored: Stored, client: httpx.AsyncClient) -> None:
    revoked, key_id = await stored()
    assert (await revoked.get(PATH)).status_code == 200  # and is remembered as good
    assert (await client.delete(f"{PATH}/{key_id}")).status_code == 204
    assert await refused(revoked.post(PATH, json={"name": "x"})) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "/v1/organization", {"consents": {"llm": True}}),
        ("PUT", "/v1/organization/prompt", {"template": "{context} {question}"}),
        ("DELETE", "/v1/organization/prompt", None),
        ("DELETE", f"{PATH}/{UUID(int=7)}", None),
        ("POST", f"/v1/quarantine/{UUID(int=7)}/replay", None),
    ],
)
async def test_a_key_that_was_revoked_a_moment_ago_changes_nothing(
    stored: Stored, client: httpx.AsyncClient, method: str, path: str, body: Any
) -> None:
    revoked, key_id = await stored()
    assert (await revoked.get(PATH)).status_code == 200  # and is remembered as good
    assert (await client.delete(f"{PATH}/{key_id}")).status_code == 204
    assert await refused(revoked.request(method, path, json=body)) == (401, "unauthorized")
    assert await refused(revoked.get(PATH)) == (401, "unauthorized"), "it is remembered as good no longer"


async def test_the_last_administrators_key_is_kept_unless_forced(
    stored: Stored, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    own = (await client.get("/v1/me")).json()["key_id"]
    await stored(scopes=[Scope.READ, Scope.WRITE])
    await stored(audience=["cajas"])
    await stored(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    _, other = await stored()
    assert (await client.delete(f"{PATH}/{other}")).status_code == 204
    assert await refused(client.delete(f"{PATH}/{own}")) == (409, "last_admin_key")
    async with database.tenant(org) as connection:
        assert await connection.fetchval("SELECT revoked_at FROM api_keys WHERE key_id = $1", UUID(own)) is None
    assert (await client.delete(f"{PATH}/{own}?force=true")).status_code == 204


async def test_a_key_that_expires_sooner_takes_the_place_of_no_lasting_one(
    stored: Stored, client: httpx.AsyncClient
) -> None:
    own = (await client.get("/v1/me")).json()["key_id"]
    soon = datetime.now(UTC) + timedelta(hours=1)
    _, brief = await stored(expires_at=soon)
    _, briefer = await stored(expires_at=soon - timedelta(minutes=1))
    assert await refused(client.delete(f"{PATH}/{own}")) == (409, "last_admin_key")
    assert (await client.delete(f"{PATH}/{briefer}")).status_code == 204
    assert (await client.delete(f"{PATH}/{brief}")).status_code == 204


async def test_two_administrators_do_not_revoke_each_other_at_once(stored: Stored, client: httpx.AsyncClient) -> None:
    own = (await client.get("/v1/me")).json()["key_id"]
    colleague, other = await stored()
    await colleague.get("/v1/me")
    replies = await asyncio.gather(client.delete(f"{PATH}/{other}"), colleague.delete(f"{PATH}/{own}"))
    done, kept = sorted(reply.status_code for reply in replies)
    assert done == 204
    assert kept in {401, 409}  # it was looked up after it was revoked, or before


async def test_the_keys_of_another_tenant_are_out_of_reach(
    client: httpx.AsyncClient, database: Database, other_org: UUID
) -> None:
    theirs = await store_key(database, other_org, new_key(), name="theirs")
    assert "theirs" not in (await client.get(PATH)).text
    for method in ("GET", "DELETE"):
        for key_id in (theirs, uuid4()):
            assert await refused(client.request(method, f"{PATH}/{key_id}")) == (404, "not_found")
    async with database.tenant(other_org) as connection:
        assert await connection.fetchval("SELECT revoked_at FROM api_keys WHERE key_id = $1", theirs) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "a\nb"},
        {"name": "x" * 201},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"audience": []},
        {"audience": ["a,b"]},
        {"audience": ["*"]},
        {"audience": [""]},
        {"audience": ["a\0"]},
        {"audience": [" "]},
        {"audience": ["a\u2028b"]},
        {"audience": ["x" * 101]},
        {"expires_at": "mañana"},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "0001-01-01T00:00:00+14:00"},
        {"org_id": str(uuid4())},
    ],
)
async def test_keys_of_another_form(client: httpx.AsyncClient, fields: dict[str, Any]) -> None:
    assert await refused(client.post(PATH, json={"name": "x", **fields})) == (422, "invalid_request")
    assert len((await client.get(PATH)).json()["keys"]) == 1
