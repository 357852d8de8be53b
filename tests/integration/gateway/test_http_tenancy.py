"""Every route, with another tenant's ids and without a key: taken from the app, so that none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.auth import new_key, store_key
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, RequestError

from .conftest import RunningGateway
from .doubles import retriever_double

PUBLIC = {"/", "/livez", "/readyz", "/metrics", "/openapi.json"}

BODIES: dict[str, Any] = {
    "/v1/search": {"query": "x"},
    "/v1/context": {"query": "x"},
    "/v1/ground": {"query": "x"},
    "/v1/ask": {"question": "x"},
}
"""A valid body for each route that takes JSON."""

OWN_DATA = {
    "/v1/me",
    "/v1/organization",
    "/v1/documents",
    "/v1/documents/bulk",
    "/v1/documents/reprocess",
    "/v1/courses",
    "/v1/courses/{course_id:path}",
    "/v1/quarantine",
    "/v1/keys",
    "/v1/usage",
    "/v1/organization/prompt",
    "/v1/organization/prompt/versions",
}
"""Routes without an id, or with one that a tenant chooses: they must show the caller's own data and nothing else."""


@dataclass(frozen=True)
class Route:
    """A method and a path of the app."""

    method: str
    path: str

    @property
    def names_a_document(self) -> bool:
        return "{document_id}" in self.path or "{work_id}" in self.path or "{key_id}" in self.path

    def at(self, document_id: str) -> str:
        return (
            self.path.replace("{document_id}", document_id)
            .replace("{work_id}", document_id)
            .replace("{key_id}", document_id)
            .replace("{chunk_id}", document_id)
            .replace("{course_id:path}", document_id)
            .replace("{version}", "1")
        )

    def body(self, document_id: str) -> dict[str, Any]:
        """Arguments for httpx; filters name the document where there is a body."""
        if self.path in BODIES:
            return {"json": BODIES[self.path] | {"filters": {"document_ids": [document_id]}}}
        if self.method == "PATCH":
            return {"json": {}}
        return {"content": b"de otro", "params": {"filename": "ajeno.md"}} if self.method in {"POST", "PUT"} else {}


def routes(gateway: RunningGateway) -> Iterator[Route]:
    for context in iter_route_contexts(gateway.api.routes):
        assert context.path is not None, "a mounted app would escape these tests"
        for method in (context.methods or set()) - {"HEAD"}:
            yield Route(method, context.path)


@pytest.fixture
async def foreign(gateway: RunningGateway, database: Database, other_org: UUID) -> str:
    """A document of another tenant, live."""
    key = new_key()
    await store_key(database, other_org, key, name="otra")
    async with gateway.client(key) as http:
        reply = await http.post("/v1/documents?filename=secreto.md&course_id=c1", content=b"el secreto")
    document_id: str = reply.json()["document_id"]
    return document_id


async def state_of(database: Database, org: UUID) -> list[Any]:
    async with database.tenant(org) as connection:
        rows = []
        for table in ("documents", "document_versions", "work", "courses", "course_documents", "outbox"):
            rows += await connection.fetch(f"SELECT * FROM {table}")
        return rows


async def test_every_route_but_the_public_ones_needs_a_key(gateway: RunningGateway) -> None:
    found = set(routes(gateway))
    assert {route.path for route in found if route.path in PUBLIC} == PUBLIC
    async with gateway.client(None) as http:
        for route in found:
            response = await http.request(route.method, route.at(str(uuid4())), **route.body(str(uuid4())))
            if route.path in PUBLIC:
                assert response.status_code == 200, route
            else:
                assert (response.status_code, response.json()["code"]) == (401, "unauthorized"), route


async def test_every_route_is_known_to_this_test(gateway: RunningGateway) -> None:
    """A new route must say here what it shows: a document by id, a body, or the caller's own data."""
    for route in routes(gateway):
        assert route.path in PUBLIC or route.names_a_document or route.path in BODIES or route.path in OWN_DATA, route


async def test_another_tenants_document_is_as_unknown_as_one_that_never_was(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, other_org: UUID, foreign: str
) -> None:
    before = await state_of(database, other_org)
    for route in routes(gateway):
        if not route.names_a_document:
            continue
        replies = []
        for document_id in (foreign, str(uuid4())):
            response = await client.request(route.method, route.at(document_id), **route.body(document_id))
            problem = response.json()
            assert (response.status_code, problem["code"]) == (404, "not_found"), route
            replies.append({name: problem[name] for name in problem if name not in {"instance", "request_id"}})
        assert replies[0] == replies[1], route
        assert "secreto" not in response.text
    assert await state_of(database, other_org) == before


async def test_lists_hold_nothing_of_another_tenant(
    client: httpx.AsyncClient, org: UUID, foreign: str, gateway: RunningGateway
) -> None:
    for filters in ({}, {"document_id": foreign}, {"external_key": "secreto.md"}, {"course_id": "c1"}):
        page = (await client.get("/v1/documents", params=filters)).json()
        assert page == {"documents": [], "next_cursor": None}
    assert (await client.get("/v1/courses")).json() == {"courses": [], "next_cursor": None}
    for method in ("GET", "DELETE"):
        assert (await client.request(method, "/v1/courses/c1")).status_code == 404
    assert (await client.get("/v1/me")).json()["org_id"] == str(org)


async def test_the_same_name_in_two_tenants_is_two_documents(
    client: httpx.AsyncClient, database: Database, other_org: UUID, foreign: str
) -> None:
    before = await state_of(database, other_org)
    reply = await client.post("/v1/documents?filename=secreto.md&course_id=c1", content=b"el secreto")
    assert (reply.status_code, reply.json()["version"]) == (201, 1)
    assert reply.json()["document_id"] != foreign
    assert await state_of(database, other_org) == before


async def test_an_idempotency_key_belongs_to_its_tenant(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, other_org: UUID
) -> None:
    key = new_key()
    await store_key(database, other_org, key, name="otra")
    headers = {"Idempotency-Key": "k1"}
    async with gateway.client(key) as other:
        first = await other.post("/v1/documents?filename=a.md", content=b"uno", headers=headers)
    second = await client.post("/v1/documents?filename=a.md", content=b"uno", headers=headers)
    assert second.json()["replayed"] is False
    assert second.json()["document_id"] != first.json()["document_id"]


async def test_questions_carry_the_callers_own_credential(
    gateway: RunningGateway, client: httpx.AsyncClient, nats_server: EmbeddedNats, api_key: str, foreign: str
) -> None:
    """The retriever takes the tenant from the credential; filters may name what they like."""
    async with retriever_double(nats_server) as double:
        double.reply = RequestError(ErrorCode.NOT_FOUND, "nada")
        for path, body in BODIES.items():
            await client.post(path, json=body | {"filters": {"document_ids": [foreign]}})
    assert len(double.asked) == len(BODIES)
    assert {headers["Authorization"] for _, _, headers in double.asked} == {f"Bearer {api_key}"}
