"""Documents over HTTP: lists, details, originals, deletion, cancellation."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import new_key, store_key
from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode
from skillnet_common.versions import cancel_version, fail_version
from skillnet_common.work.claims import add_embed_batches
from skillnet_gateway.listing import list_statement
from skillnet_gateway.parameters import DocumentFilter

from .conftest import RunningGateway


async def put(client: httpx.AsyncClient, key: str, content: bytes = b"texto", **more: Any) -> dict[str, Any]:
    response = await client.post("/v1/documents", params={"filename": key, **more}, content=content)
    assert response.is_success, response.text
    reply: dict[str, Any] = response.json()
    return reply


async def keys(client: httpx.AsyncClient, **filters: Any) -> list[str]:
    documents = (await client.get("/v1/documents", params=filters)).json()["documents"]
    return [document["external_key"] for document in documents]


async def make_live(database: Database, org: UUID, document_id: str, version: int, title: str = "t") -> None:
    """What parser, chunker and embedder would do, in short."""
    async with database.tenant(org) as connection:
        await connection.execute(
            "UPDATE document_versions SET state = 'ready', ready_at = now(), file_type = 'markdown', page_count = 3,"
            " expected_chunks = 2 WHERE document_id = $1 AND version = $2",
            document_id,
            version,
        )
        await connection.execute(
            "UPDATE documents SET live_version = $2, promoted_version = $2, processing_status = 'ready',"
            " file_type = 'markdown', page_count = 3, title = $3 WHERE document_id = $1",
            document_id,
            version,
            title,
        )


async def fail(database: Database, org: UUID, document_id: str, version: int) -> None:
    async with database.tenant(org) as connection:
        await fail_version(
            connection,
            org,
            UUID(document_id),
            version,
            stage=Stage.PARSE,
            code=ErrorCode.PASSWORD_REQUIRED,
            message="El archivo pide una contraseña.",
        )


async def test_pages_are_complete_and_without_doubles_while_documents_change(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    made = [f"{n:02}.md" for n in range(11)]
    ids = {key: (await put(client, key))["document_id"] for key in made}
    found: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = (await client.get("/v1/documents", params=params)).json()
        found += [document["external_key"] for document in page["documents"]]
        await make_live(database, org, ids["00.md"], 1)  # a change of the last one must not move it
        await put(client, f"nuevo {len(found)}.md")
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == made[::-1]


async def test_filters(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    first = await put(client, "a.md", course_id="c1")
    await put(client, "b.md", source="wiki", course_id=["c1", "c2"])
    failed = await put(client, "c.md")
    await fail(database, org, failed["document_id"], 1)
    await make_live(database, org, first["document_id"], 1)
    assert await keys(client) == ["c.md", "b.md", "a.md"]
    assert await keys(client, course_id="c1") == ["b.md", "a.md"]
    assert await keys(client, source="wiki") == ["b.md"]
    assert await keys(client, external_key="a.md") == ["a.md"]
    assert await keys(client, status="ready") == ["a.md"]
    assert await keys(client, status="failed") == ["c.md"]
    assert await keys(client, document_id=[first["document_id"], failed["document_id"]]) == ["c.md", "a.md"]
    assert await keys(client, course_id="c1", source="upload") == ["a.md"]
    assert await keys(client, course_id="nadie") == []


async def test_filters_that_a_search_has_too(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    first = await put(
        client, "a.md", subject_id="s1", taxonomy="rrhh/vacaciones", metadata='{"área": "caja", "año": 2026}'
    )
    second = await put(client, "b.md", entity_id="e1", taxonomy="rrhh2", title="Política de DEVOLUCIÓN 100%")
    await put(client, "c.md", taxonomy="rrhh", metadata='{"año": 2026, "más": [1]}')
    await make_live(database, org, first["document_id"], 1, title="Vacaciones")
    assert await keys(client, subject_id="s1") == ["a.md"]
    assert await keys(client, entity_id="e1") == ["b.md"]
    assert await keys(client, taxonomy_prefix="rrhh") == ["c.md", "a.md"]
    assert await keys(client, taxonomy_prefix="rrhh/") == ["c.md", "a.md"]
    assert await keys(client, file_type="markdown") == ["a.md"]
    assert await keys(client, language="es") == []
    assert await keys(client, title="politica de devolucion") == ["b.md"]
    assert await keys(client, title="100%") == ["b.md"]
    assert await keys(client, title="%") == ["b.md"], "no wildcard"
    assert await keys(client, title="_") == []
    assert await keys(client, metadata='{"año": 2026}') == ["c.md", "a.md"]
    assert await keys(client, metadata='{"año": 2026, "área": "caja"}') == ["a.md"]
    changed = (await client.get(second["links"]["self"])).json()["updated_at"]
    assert await keys(client, updated_after=changed) == ["c.md", "b.md"]
    assert await keys(client, updated_before=changed) == ["a.md"]
    assert await keys(client, taxonomy_prefix="rrhh", status="ready", title="vaca") == ["a.md"]


@pytest.mark.parametrize(
    "filters",
    [
        {"metadata": "[1]"},
        {"metadata": '{"a": [1]}'},
        {"metadata": '{"a": null}'},
        {"updated_after": "ayer"},
        {"updated_before": "0001-01-01T00:00:00+23:00"},
        {"status": "gone"},
        {"titel": "x"},
        {"title": ""},
        {"language": "x" * 21},
    ],
)
async def test_a_filter_that_means_nothing_is_refused(client: httpx.AsyncClient, filters: dict[str, str]) -> None:
    response = await client.get("/v1/documents", params=filters)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


async def test_a_page_is_read_from_the_index(database: Database, org: UUID) -> None:
    place = (datetime(2026, 1, 1, tzinfo=UTC), UUID(int=0))
    statement, parameters = list_statement(org, DocumentFilter(), place, limit=9)
    async with database.tenant(org) as connection:
        await connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        plan = "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {statement}", *parameters))
    assert "documents_by_creation" in plan
    assert "Sort Key: d" not in plan


async def test_a_failed_version_is_shown_beside_the_live_one(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    reply = await put(client, "a.md", b"uno")
    await make_live(database, org, reply["document_id"], 1, title="Vivo")
    await put(client, "a.md", b"dos")
    await fail(database, org, reply["document_id"], 2)
    document = (await client.get(reply["links"]["self"])).json()
    failure = {
        "version": 2,
        "stage": "parse",
        "code": "password_required",
        "message": "El archivo pide una contraseña.",
    }
    assert (document["status"], document["live_version"], document["newest_version"]) == ("ready", 1, 2)
    assert (document["newest_state"], document["failure"], document["progress"]) == ("failed", failure, None)
    assert [(version["version"], version["state"]) for version in document["versions"]] == [
        (2, "failed"),
        (1, "ready"),
    ]
    assert [version["failure"] for version in document["versions"]] == [failure, None]
    assert (await client.get("/v1/documents")).json()["documents"][0]["failure"] == failure


async def test_a_cancelled_document_says_why_it_is_not_there(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    reply = await put(client, "a.md")
    async with database.tenant(org) as connection:
        assert await cancel_version(connection, org, UUID(reply["document_id"]), 1)
    document = (await client.get(reply["links"]["self"])).json()
    assert (document["status"], document["newest_state"]) == ("failed", "cancelled")
    failure = {"version": 1, "stage": "parse", "code": "cancelled", "message": "It was cancelled."}
    assert document["failure"] == failure


async def test_progress_counts_the_batches_of_the_newest_version(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    reply = await put(client, "a.md")

    async def progress() -> Any:
        shown = (await client.get(reply["links"]["self"])).json()["progress"]
        del shown["waiting_ahead"]  # other tests' work may wait too
        return shown

    assert await progress() == {"stage": "parse", "batches_done": 0, "batches_total": 0}
    document_id = UUID(reply["document_id"])
    async with database.tenant(org) as connection:
        model_id = await connection.fetchval("SELECT model_id FROM serving_model")
        await connection.execute("UPDATE document_versions SET state = 'embedding'")
        batches = [([document_id], 10)] * 3
        await add_embed_batches(connection, org, document_id, 1, model_id, batches)
        await connection.execute(
            "UPDATE work SET state = 'done' WHERE work_id = (SELECT work_id FROM work WHERE stage = 'embed' LIMIT 1)"
        )
    assert await progress() == {"stage": "embed", "batches_done": 1, "batches_total": 3}


async def test_a_deleted_document_is_gone(client: httpx.AsyncClient) -> None:
    reply = await put(client, "a.md")
    links = reply["links"]
    response = await client.delete(links["self"])
    assert (response.status_code, response.content) == (204, b"")
    assert (await client.delete(links["self"])).status_code == 404
    assert (await client.get(links["self"])).status_code == 404
    assert (await client.get(links["original"])).status_code == 404
    assert (await client.post(f"{links['self']}/versions/1/cancel")).status_code == 404
    assert await keys(client) == []


async def test_what_was_deleted_stays_deleted_when_the_key_is_used_again(client: httpx.AsyncClient) -> None:
    links = (await put(client, "a.md", b"secret"))["links"]
    await client.delete(links["self"])
    await put(client, "a.md", b"new")
    assert (await client.get(links["original"], params={"version": 1})).status_code == 404
    assert (await client.get(links["original"])).content == b"new"
    assert [version["version"] for version in (await client.get(links["self"])).json()["versions"]] == [2]


async def test_a_version_under_way_is_cancelled_once(client: httpx.AsyncClient) -> None:
    reply = await put(client, "a.md")
    path = f"{reply['links']['self']}/versions/1/cancel"
    assert (await client.post(path)).status_code == 204
    document = (await client.get(reply["links"]["self"])).json()
    assert (document["newest_state"], document["status"]) == ("cancelled", "failed")
    again = await client.post(path)
    assert (again.status_code, again.json()["code"]) == (409, "version_ended")
    missing = await client.post(f"{reply['links']['self']}/versions/2/cancel")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_the_original_comes_back_byte_for_byte(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    content = bytes(range(256)) * 1000
    reply = await put(client, 'comillas " y ñ.md', content)
    await put(client, 'comillas " y ñ.md', b"dos")
    newest = await client.get(reply["links"]["original"])
    assert (newest.content, newest.headers["x-document-version"]) == (b"dos", "2")
    await make_live(database, org, reply["document_id"], 1)
    live = await client.get(reply["links"]["original"])
    assert live.content == content
    assert live.headers["content-type"].startswith("text/markdown")
    assert live.headers["etag"] == f'"{hashlib.sha256(content).hexdigest()}"'
    assert live.headers["content-disposition"] == "attachment; filename*=UTF-8''comillas%20%22%20y%20%C3%B1.md"
    named = await client.get(reply["links"]["original"], params={"version": 2})
    assert named.content == b"dos"
    missing = await client.get(reply["links"]["original"], params={"version": 9})
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


async def test_an_original_that_the_store_lost(client: httpx.AsyncClient, gateway: RunningGateway, org: UUID) -> None:
    reply = await put(client, "a.md")
    for path in gateway.stored():
        if str(org) in str(path):
            path.unlink()
    response = await client.get(reply["links"]["original"])
    assert (response.status_code, response.json()["code"]) == (410, "original_missing")


async def test_me(client: httpx.AsyncClient, org: UUID) -> None:
    me = (await client.get("/v1/me")).json()
    assert (me["org_id"], me["organization"]) == (str(org), "Panadería de prueba")
    assert me["scopes"] == ["admin", "documents:read", "documents:write"]
    assert (me["audience"], me["llm_consent"]) == (None, False)


@pytest.mark.parametrize("groups", [[], ["cajas"]])
async def test_a_limited_key_sees_only_its_documents(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID, groups: list[str]
) -> None:
    await put(client, "todos.md")
    await put(client, "cajas.md", audience="cajas")
    hidden = await put(client, "dirección.md", audience="dirección")
    key = new_key()
    await store_key(database, org, key, name="limitada", audience=groups)
    async with gateway.client(key) as limited:
        assert await keys(limited) == [*(["cajas.md"] if groups else []), "todos.md"]
        for method, path in (
            ("GET", hidden["links"]["self"]),
            ("GET", hidden["links"]["original"]),
            ("PATCH", hidden["links"]["self"]),
            *(("GET", f"{hidden['links']['self']}/{part}") for part in ("outline", "chunks", "progress")),
            ("DELETE", hidden["links"]["self"]),
            ("POST", f"{hidden['links']['self']}/versions/1/cancel"),
        ):
            response = await limited.request(method, path, json={} if method == "PATCH" else None)
            assert (response.status_code, response.json()["code"]) == (404, "not_found")
        for headers in ({}, {"Range": "bytes=0-0"}, {"If-None-Match": "*"}):
            assert (await limited.head(hidden["links"]["original"], headers=headers)).status_code == 404
            assert (await limited.get(hidden["links"]["original"], headers=headers)).status_code == 404
        for filters in ({"title": "dir"}, {"document_id": hidden["document_id"]}, {"external_key": "dirección.md"}):
            assert await keys(limited, **filters) == []
    assert (await client.get(hidden["links"]["self"])).json()["newest_state"] == "uploaded"


async def test_health_metrics_and_page_need_no_key(gateway: RunningGateway) -> None:
    async with gateway.client(None) as http:
        assert (await http.get("/livez")).json() == {"status": "alive"}
        assert (await http.get("/readyz")).json() == {"status": "ready"}
        metrics = (await http.get("/metrics")).text
        assert 'skillnet_http_requests_total{method="GET",route="/livez",status="200"}' in metrics
        page = await http.get("/")
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert "http://" not in page.text
        assert "https://" not in page.text


async def test_a_replys_head_and_body_do_not_wait_for_each_other(client: httpx.AsyncClient) -> None:
    """Nagle's algorithm and delayed acknowledgements would add 40 ms to every reply on a kept connection."""
    seconds = [(await client.get("/v1/me")).elapsed.total_seconds() for _ in range(40)]
    assert min(seconds[20:]) < 0.035
