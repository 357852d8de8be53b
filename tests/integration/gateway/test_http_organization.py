"""The organisation's name and its consent to an LLM, over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx
import pytest
from structlog.testing import capture_logs

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database

from .conftest import RunningGateway

PATH = "/v1/organization"


async def test_consent_is_given_and_withdrawn(client: httpx.AsyncClient, org: UUID) -> None:
    none = {"llm": False, "embedding": False, "rerank": False}
    before = {
        "org_id": str(org),
        "name": "Panadería de prueba",
        "llm_consent": False,
        "consents": none,
        "chunks": {"max_tokens": 512, "min_tokens": 50, "overlap_sentences": 2, "model_window": 512, "own": []},
    }
    assert (await client.get(PATH)).json() == before
    for consent in (True, False, True):
        with capture_logs() as logs:
            reply = await client.patch(PATH, json={"llm_consent": consent})
        assert (reply.status_code, reply.json()) == (
            200,
            before | {"llm_consent": consent, "consents": none | {"llm": consent}},
        )
        assert (await client.get("/v1/me")).json()["llm_consent"] is consent
        (entry,) = [entry for entry in logs if entry["event"] == "organization_changed"]
        assert (entry["org_id"], entry["llm_consent"]) == (str(org), consent)
        assert entry["key_id"]
    assert (await client.patch(PATH, json={})).json()["llm_consent"] is True


@pytest.mark.parametrize("kind", ["llm", "embedding", "rerank"])
async def test_each_consent_stands_alone(client: httpx.AsyncClient, kind: str) -> None:
    for consent in (True, False):
        reply = (await client.patch(PATH, json={"consents": {kind: consent}})).json()
        assert reply["consents"] == {"llm": False, "embedding": False, "rerank": False, kind: consent}
        assert (await client.get("/v1/me")).json()["consents"] == reply["consents"]


async def test_a_new_name_leaves_other_settings_alone(
    client: httpx.AsyncClient, database: Database, org: UUID, other_org: UUID
) -> None:
    async with database.tenant(org) as connection:
        await connection.execute("""UPDATE organizations SET settings = '{"other": 1, "llm_consent": true}'""")
    reply = await client.patch(PATH, json={"name": "La Espiga"})
    assert (reply.json()["name"], reply.json()["consents"]["llm"]) == ("La Espiga", True)
    async with database.tenant(org) as connection:
        settings = await connection.fetchval("SELECT settings FROM organizations")
    assert settings == {"other": 1, "llm_consent": True}
    async with database.tenant(other_org) as connection:
        assert await connection.fetchval("SELECT name FROM organizations") == "La competencia"


@pytest.mark.parametrize(
    "change",
    [
        {"llm_consent": "yes"},
        {"llm_consent": 1},
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 201},
        {"name": "a\nb"},
        {"name": "a\0b"},
        {"consent": True},
        {"consents": {"llm": "yes"}},
        {"consents": {"lm": True}},
        {"consents": True},
        {"llm_consent": True, "consents": {"llm": False}},
        [],
    ],
)
async def test_changes_of_another_form(client: httpx.AsyncClient, change: Any) -> None:
    before = (await client.get(PATH)).json()
    reply = await client.patch(PATH, json=change)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")
    assert (await client.get(PATH)).json() == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", PATH, {"consents": {"llm": True}}),
        ("PUT", f"{PATH}/prompt", {"template": "{context}{question}"}),
        ("DELETE", f"{PATH}/prompt", None),
    ],
)
async def test_an_administrator_of_some_groups_changes_nothing_for_all(
    gateway: RunningGateway,
    client: httpx.AsyncClient,
    database: Database,
    org: UUID,
    method: str,
    path: str,
    body: Any,
) -> None:
    key = new_key()
    await store_key(database, org, key, name="de cajas", audience=["cajas"])
    before = (await client.get(PATH)).json(), (await client.get(f"{PATH}/prompt")).json()
    async with gateway.client(key) as limited:
        reply = await limited.request(method, path, json=body)
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
    assert ((await client.get(PATH)).json(), (await client.get(f"{PATH}/prompt")).json()) == before


@pytest.mark.parametrize("method", ["GET", "PATCH"])
async def test_only_administrators(gateway: RunningGateway, database: Database, org: UUID, method: str) -> None:
    key = new_key()
    await store_key(database, org, key, name="redactora", scopes=[Scope.READ, Scope.WRITE])
    async with gateway.client(key) as writer:
        reply = await writer.request(method, PATH, json={"llm_consent": True} if method == "PATCH" else None)
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
