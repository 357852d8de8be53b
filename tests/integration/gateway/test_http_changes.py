"""`PATCH /v1/documents/{id}`: what is said of a document changes without its bytes."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database

from .conftest import RunningGateway
from .test_http_documents import make_live, put


async def outbox(database: Database, org: UUID) -> list[dict[str, Any]]:
    async with database.tenant(org) as connection:
        return [row["payload"] for row in await connection.fetch("SELECT payload FROM outbox ORDER BY outbox_seq")]


async def live(client: httpx.AsyncClient, database: Database, org: UUID, **more: Any) -> str:
    document_id: str = (await put(client, "a.md", **more))["document_id"]
    await make_live(database, org, document_id, 1)
    return f"/v1/documents/{document_id}"


async def test_only_what_is_given_changes_and_others_hear_of_it_once(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    path = await live(client, database, org, subject_id="s1", course_id="c1", metadata='{"a": 1}')
    change = {"title": "Nuevo", "taxonomy": "rrhh", "metadata": {"b": [2]}, "courses": ["c2", "c3"]}
    for _ in range(2):
        response = await client.patch(path, json=change)
        assert response.status_code == 200, response.text
    document = response.json()
    assert (document["title"], document["subject_id"], document["taxonomy"]) == ("Nuevo", "s1", "rrhh")
    assert (document["metadata"], document["courses"]) == ({"b": [2]}, ["c2", "c3"])
    assert document["newest_version"] == 1
    assert document == (await client.get(path)).json()
    events = await outbox(database, org)
    assert [(e["change"], e["title"], e["courses"], e["version"]) for e in events] == [
        ("metadata", "Nuevo", ["c2", "c3"], 1)
    ]


async def test_null_empties_a_field(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    path = await live(
        client,
        database,
        org,
        subject_id="s",
        entity_id="e",
        taxonomy="t",
        course_id="c1",
        audience="caja",
        metadata='{"a": 1}',
    )
    names = ("subject_id", "entity_id", "taxonomy", "courses", "audience", "metadata")
    full = (await client.patch(path, json={})).json()
    assert all(full[name] for name in names)
    emptied = (await client.patch(path, json=dict.fromkeys(names))).json()
    assert [emptied[name] for name in names] == [None, None, None, [], None, {}]


async def test_a_title_outlives_the_version_under_way(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    path = f"/v1/documents/{(await put(client, 'a.md'))['document_id']}"
    await client.patch(path, json={"title": "Dado"})
    document = (await client.get(path)).json()
    assert (document["title"], document["versions"][0]["title"]) == ("Dado", "Dado")
    assert await outbox(database, org) == [], "nobody knows the document yet"


@pytest.mark.parametrize(
    "body",
    [
        {"title": None},
        {"title": " "},
        {"title": "a\nb"},
        {"titel": "x"},
        {"audience": ["a,b"]},
        {"audience": ["*"]},
        {"audience": "caja"},
        {"courses": ["x"] * 101},
        {"metadata": [1]},
        {"metadata": {"a": "x" * 17_000}},
        {"metadata": {"a": "\0"}},
        {"language": "es"},
        [],
    ],
)
async def test_a_change_without_form_is_refused(
    client: httpx.AsyncClient, database: Database, org: UUID, body: Any
) -> None:
    path = await live(client, database, org)
    before = (await client.get(path)).json()
    response = await client.patch(path, json=body)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
    assert (await client.get(path)).json() == before


async def test_a_key_of_groups_changes_what_it_sees_within_its_groups(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    path = await live(client, database, org, audience=["caja"])
    own, foreign = new_key(), new_key()
    await store_key(database, org, own, name="caja", audience=["caja", "horno"])
    await store_key(database, org, foreign, name="otra", audience=["obrador"])
    async with gateway.client(foreign) as http:
        assert (await http.patch(path, json={"title": "x"})).status_code == 404
        assert (await http.patch(path, json={"audience": ["caja"]})).status_code == 403
    async with gateway.client(own) as http:
        for audience in (None, [], ["tienda"], ["caja", "tienda"]):
            response = await http.patch(path, json={"audience": audience})
            assert (response.status_code, response.json()["code"]) == (403, "forbidden"), audience
        changed = (await http.patch(path, json={"audience": ["horno"], "title": "Mío"})).json()
    assert (changed["audience"], changed["title"]) == (["horno"], "Mío")


@pytest.mark.parametrize("audience", [None, ["caja", "tienda"]], ids=["everybody's", "shared"])
async def test_a_key_of_groups_hides_a_document_from_no_others(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID, audience: list[str] | None
) -> None:
    path = await live(client, database, org, **({} if audience is None else {"audience": audience}))
    own = new_key()
    await store_key(database, org, own, name="caja", audience=["caja"])
    async with gateway.client(own) as http:
        replies = [
            await http.patch(path, json={"audience": ["caja"]}),
            await http.put(f"{path}/content", params={"audience": "caja"}, content=b"otro"),
        ]
        assert (await http.patch(path, json={"title": "Otro"})).status_code == 200
    for reply in replies:
        assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")
    assert (await client.get(path)).json()["audience"] == audience


async def test_a_key_that_may_not_read_is_shown_no_document(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    path = await live(client, database, org)
    key = new_key()
    await store_key(database, org, key, name="escritora", scopes=[Scope.WRITE])
    async with gateway.client(key) as http:
        for change in ({}, {"title": "x"}):
            response = await http.patch(path, json=change)
            assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    assert (await client.get(path)).json()["title"] != "x"


async def test_a_deleted_document_is_not_changed(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    path = await live(client, database, org)
    await client.delete(path)
    response = await client.patch(path, json={"title": "x"})
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


async def test_a_read_only_key_changes_nothing(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    path = await live(client, database, org)
    key = (await client.post("/v1/keys", json={"name": "lectora"})).json()["api_key"]
    async with gateway.client(key) as http:
        response = await http.patch(path, json={"title": "x"})
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
