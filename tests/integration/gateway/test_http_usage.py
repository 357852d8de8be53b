"""What an organisation has used: counted where it happens, told over HTTP, seen by nobody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi.responses import JSONResponse

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database
from skillnet_common.messaging.requester import PURPOSE_HEADER

from .conftest import RunGateway, RunningGateway
from .doubles import LlmServer, RetrieverDouble, llm_server, retriever_double

PATH = "/v1/usage"
QUESTION = "¿Cuál es el plazo de devolución?"


async def report(client: httpx.AsyncClient, **days: str) -> dict[str, Any]:
    reply = await client.get(PATH, params=days)
    assert reply.status_code == 200, reply.text
    usage: dict[str, Any] = reply.json()
    return usage


def totals(usage: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {one["kind"]: (one["amount"], one["estimated"]) for one in usage["totals"]}


async def put(database: Database, org: UUID, day: date, kind: str, amount: int, *, estimated: bool = False) -> None:
    async with database.tenant(org) as connection:
        for slot in (0, 7):
            await connection.execute(
                "INSERT INTO usage_counts VALUES ($1, $2, $3, $4, $5, $6)", org, day, kind, estimated, slot, amount
            )


async def test_counters_are_summed_by_day_and_altogether(
    client: httpx.AsyncClient, database: Database, org: UUID, other_org: UUID
) -> None:
    first, second = date(2026, 3, 1), date(2026, 3, 2)
    await put(database, org, first, "ask", 2)
    await put(database, org, second, "ask", 5)
    await put(database, org, second, "llm_prompt_tokens", 100)
    await put(database, org, second, "llm_prompt_tokens", 7, estimated=True)
    await put(database, org, date(2026, 2, 28), "ask", 1_000)
    await put(database, other_org, first, "ask", 1_000)
    usage = await report(client, **{"from": "2026-03-01", "to": "2026-03-02"})
    assert usage["days"] == [
        {"day": "2026-03-01", "kind": "ask", "amount": 4, "estimated": 0},
        {"day": "2026-03-02", "kind": "ask", "amount": 10, "estimated": 0},
        {"day": "2026-03-02", "kind": "llm_prompt_tokens", "amount": 214, "estimated": 14},
    ]
    assert totals(usage) == {"ask": (14, 0), "llm_prompt_tokens": (214, 14)}


async def test_a_sum_beyond_all_bounds_is_told_as_the_greatest(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    day = date(2026, 3, 1)
    await put(database, org, day, "llm_prompt_tokens", 9 * 10**18, estimated=True)
    usage = await report(client, **{"from": "2026-03-01", "to": "2026-03-01"})
    assert totals(usage) == {"llm_prompt_tokens": (2**63 - 1, 2**63 - 1)}


async def test_the_last_thirty_days_unless_told(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    today = datetime.now(UTC).date()
    await put(database, org, today - timedelta(days=29), "search", 1)
    await put(database, org, today - timedelta(days=30), "search", 1_000)
    usage = await report(client)
    assert (usage["first_day"], usage["last_day"]) == (str(today - timedelta(days=29)), str(today))
    assert totals(usage) == {"search": (2, 0)}
    old = await report(client, **{"to": "2020-01-31"})
    assert (old["first_day"], old["days"]) == ("2020-01-02", [])


@pytest.mark.parametrize(
    "days",
    [
        {"from": "ayer"},
        {"from": "2026-03-02", "to": "2026-03-01"},
        {"from": "2020-01-01", "to": "2026-01-01"},
        {"from": "0001-01-01"},
        {"to": "2026-02-30"},
    ],
)
async def test_days_that_make_no_sense(client: httpx.AsyncClient, days: dict[str, str]) -> None:
    reply = await client.get(PATH, params=days)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_request")


@pytest.mark.parametrize("days", [{"to": "0001-01-01"}, {"from": "9999-12-31"}])
async def test_days_at_the_ends_of_the_calendar(client: httpx.AsyncClient, days: dict[str, str]) -> None:
    assert (await report(client, **days))["days"] == []


async def test_only_administrators(gateway: RunningGateway, database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="k", scopes=[Scope.READ, Scope.WRITE])
    async with gateway.client(key) as writer:
        assert (await writer.get(PATH)).json()["code"] == "forbidden"


async def test_uploads_count_once_and_storage_is_what_is_there(client: httpx.AsyncClient) -> None:
    body = b"Un texto corto."

    async def upload(content: bytes) -> dict[str, Any]:
        headers = {"Idempotency-Key": f"k-{len(content)}"}
        reply = await client.post("/v1/documents?filename=a.txt", content=content, headers=headers)
        document: dict[str, Any] = reply.json()
        return document

    for _ in range(2):
        document = await upload(body)
    assert (await client.post("/v1/documents?filename=a.txt", content=body)).json()["outcome"] == "unchanged"
    usage = await report(client)
    assert totals(usage) == {"documents_uploaded": (1, 0), "bytes_uploaded": (len(body), 0)}
    assert usage["storage"] == {"documents": 1, "chunks": 0, "bytes": len(body)}
    await upload(body + b" Y otro.")
    assert (await report(client))["storage"] == {"documents": 1, "chunks": 0, "bytes": 2 * len(body) + 8}
    await client.delete(f"/v1/documents/{document['document_id']}")
    usage = await report(client)
    assert usage["storage"] == {"documents": 0, "chunks": 0, "bytes": 0}
    assert totals(usage)["documents_uploaded"] == (2, 0)


@pytest.fixture
async def retriever(nats_server: EmbeddedNats) -> AsyncIterator[RetrieverDouble]:
    async with retriever_double(nats_server) as double:
        yield double


@pytest.fixture
async def llm() -> AsyncIterator[LlmServer]:
    async with llm_server() as server:
        yield server


async def test_tokens_of_the_llm_are_written_when_the_gateway_ends(
    run_gateway: RunGateway,
    tmp_path: Path,
    retriever: RetrieverDouble,
    llm: LlmServer,
    client: httpx.AsyncClient,
    api_key: str,
) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 30}
    counted = {"choices": [{"message": {"content": "Son 30 días [Fuente 1]."}}], "usage": usage}
    llm.script = [JSONResponse(counted), "Son 30 días [Fuente 1].", 401]
    async with run_gateway(tmp_path, llm_api_base=llm.url, llm_model="m") as running, running.client(api_key) as http:
        await http.patch("/v1/organization", json={"llm_consent": True})
        replies = [(await http.post("/v1/ask", json={"question": QUESTION})).json() for _ in range(3)]
    assert replies[0]["usage"] == {**usage, "estimated": False}
    estimated = replies[1]["usage"]
    assert estimated["estimated"] is True
    prompt = sum(len(message["content"]) for message in llm.requests[1]["messages"])
    assert estimated["prompt_tokens"] == -(-prompt // 4)
    assert (replies[2]["usage"], replies[2]["llm_error"]) == (None, "provider_refused")
    assert totals(await report(client)) == {
        "llm_prompt_tokens": (900 + estimated["prompt_tokens"], estimated["prompt_tokens"]),
        "llm_completion_tokens": (30 + estimated["completion_tokens"], estimated["completion_tokens"]),
    }


async def test_an_answer_that_nobody_waits_for_is_counted(
    run_gateway: RunGateway,
    tmp_path: Path,
    retriever: RetrieverDouble,
    llm: LlmServer,
    client: httpx.AsyncClient,
    api_key: str,
) -> None:
    llm.script = ["Una respuesta que se deja a medias. " * 2_000]
    async with run_gateway(tmp_path, llm_api_base=llm.url, llm_model="m") as running, running.client(api_key) as http:
        await http.patch("/v1/organization", json={"llm_consent": True})
        body = {"question": QUESTION, "stream": True}
        async with http.stream("POST", "/v1/ask", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("event: delta"):
                    break
    amount, estimated = totals(await report(client))["llm_completion_tokens"]
    assert 0 < amount == estimated


async def test_a_question_to_be_answered_is_told_apart_from_one_for_its_ground(
    client: httpx.AsyncClient, retriever: RetrieverDouble
) -> None:
    await client.post("/v1/ask", json={"question": QUESTION})
    await client.post("/v1/ground", json={"query": QUESTION})
    assert [headers.get(PURPOSE_HEADER) for _, _, headers in retriever.asked] == ["ask", None]
