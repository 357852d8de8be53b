"""The template of an organisation's prompts over HTTP, and in what an LLM is sent."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from structlog.testing import capture_logs

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database
from skillnet_gateway.templates import DEFAULT_TEMPLATE

from .conftest import RunGateway, RunningGateway
from .doubles import LlmServer, RetrieverDouble, llm_server, retriever_double

PATH = "/v1/organization/prompt"
TEMPLATE = "Trata de usted, en {language}.\n{context}\nPregunta: {question}"


async def set_to(client: httpx.AsyncClient, template: str) -> dict[str, Any]:
    reply = await client.put(PATH, json={"template": template})
    assert reply.status_code == 200, reply.text
    now: dict[str, Any] = reply.json()
    return now


async def test_a_template_is_set_reset_and_remembered(client: httpx.AsyncClient) -> None:
    default = {"template": DEFAULT_TEMPLATE, "is_default": True}
    before = (await client.get(PATH)).json()
    assert before == {**default, "version": 0, "created_at": None, "created_by": None}
    me = (await client.get("/v1/me")).json()["key_id"]
    with capture_logs() as logs:
        now = await set_to(client, TEMPLATE)
    assert (now["template"], now["version"], now["is_default"], now["created_by"]) == (TEMPLATE, 1, False, me)
    assert "usted" not in str(logs)
    assert (await client.get(PATH)).json() == now
    reset = (await client.delete(PATH)).json()
    assert (reset["template"], reset["version"], reset["is_default"]) == (DEFAULT_TEMPLATE, 2, True)
    await set_to(client, TEMPLATE)
    versions = (await client.get(f"{PATH}/versions")).json()["versions"]
    assert [(one["version"], one["template"]) for one in versions] == [(3, TEMPLATE), (2, None), (1, TEMPLATE)]


@pytest.mark.parametrize("template", ["", "x" * 8_001, "a\0{context}{question}", 3, None])
async def test_what_is_no_text_for_a_template(client: httpx.AsyncClient, template: Any) -> None:
    reply = await client.put(PATH, json={"template": template})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")


async def test_a_malformed_template_is_told_what_is_wrong(client: httpx.AsyncClient) -> None:
    reply = await client.put(PATH, json={"template": "{context} {pregunta}"})
    problem = reply.json()
    assert (reply.status_code, problem["code"]) == (422, "invalid_template")
    assert len(problem["details"]["problems"]) == 2
    assert (await client.get(PATH)).json()["version"] == 0


@pytest.mark.parametrize(
    ("method", "path"), [("GET", PATH), ("PUT", PATH), ("DELETE", PATH), ("GET", f"{PATH}/versions")]
)
async def test_only_administrators(
    gateway: RunningGateway, database: Database, org: UUID, method: str, path: str
) -> None:
    key = new_key()
    await store_key(database, org, key, name="k", scopes=[Scope.READ, Scope.WRITE])
    async with gateway.client(key) as writer:
        reply = await writer.request(method, path, json={"template": TEMPLATE} if method == "PUT" else None)
    assert (reply.status_code, reply.json()["code"]) == (403, "forbidden")


async def test_another_tenant_has_its_own(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, other_org: UUID
) -> None:
    await set_to(client, TEMPLATE)
    key = new_key()
    await store_key(database, other_org, key, name="k")
    async with gateway.client(key) as theirs:
        assert (await theirs.get(PATH)).json()["is_default"] is True
        assert (await theirs.get(f"{PATH}/versions")).json() == {"versions": []}
        await set_to(theirs, "Otra. {context}{question}")
    assert (await client.get(PATH)).json()["template"] == TEMPLATE


@pytest.fixture
async def retriever(nats_server: EmbeddedNats) -> AsyncIterator[RetrieverDouble]:
    async with retriever_double(nats_server) as double:
        yield double


@pytest.fixture
async def llm() -> AsyncIterator[LlmServer]:
    async with llm_server() as server:
        yield server


async def test_an_llm_is_asked_by_the_template_that_holds(
    run_gateway: RunGateway, tmp_path: Path, retriever: RetrieverDouble, llm: LlmServer, api_key: str
) -> None:
    question = "¿Cuál es el plazo? {context}"
    llm.script = ["Son 30 días [Fuente 1]."] * 3
    async with run_gateway(tmp_path, llm_api_base=llm.url, llm_model="m") as running, running.client(api_key) as http:
        await http.patch("/v1/organization", json={"llm_consent": True})
        for template in (None, TEMPLATE, None):
            await (http.delete(PATH) if template is None else set_to(http, template))
            await http.post("/v1/ask", json={"question": question, "language": "pt"})
    sent = [request["messages"][1]["content"] for request in llm.requests]
    assert ["Trata de usted, en portugués." in content for content in sent] == [False, True, False]
    for content in sent:
        assert "30 días naturales" in content
        assert f"-pregunta>\n{question}\n</" in content
    assert all("Responde en portugués" in request["messages"][0]["content"] for request in llm.requests)
