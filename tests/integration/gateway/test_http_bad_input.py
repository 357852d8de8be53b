"""Bad input gets a clear problem with a stable code, and nothing is stored."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database

from .conftest import MAX_UPLOAD, RunningGateway

PROBLEM = "application/problem+json"


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Checks the whole form of a problem and returns it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == PROBLEM
    problem: dict[str, Any] = response.json()
    assert problem["code"] == code
    assert problem["status"] == status
    assert problem["type"] == f"urn:skillnet:error:{code}"
    assert problem["title"]
    assert problem["detail"]
    assert problem["request_id"] == response.headers["x-request-id"]
    assert problem["instance"] == response.request.url.path
    return problem


async def assert_nothing_stored(database: Database, gateway: RunningGateway, org: UUID) -> None:
    async with database.tenant(org) as connection:
        assert await connection.fetchval("SELECT count(*) FROM documents") == 0
        assert await connection.fetchval("SELECT count(*) FROM document_versions") == 0
        assert await connection.fetchval("SELECT count(*) FROM work") == 0
        assert await connection.fetchval("SELECT count(*) FROM courses") == 0
    assert [path for path in gateway.stored() if str(org) in str(path)] == []


async def test_an_empty_file(
    client: httpx.AsyncClient, database: Database, gateway: RunningGateway, org: UUID
) -> None:
    response = await client.post("/v1/documents", params={"filename": "a.md"}, content=b"")
    assert_problem(response, 422, "empty_file")
    await assert_nothing_stored(database, gateway, org)


async def test_a_body_over_the_limit_announced(
    client: httpx.AsyncClient, database: Database, gateway: RunningGateway, org: UUID
) -> None:
    response = await client.post("/v1/documents", params={"filename": "a.md"}, content=b"x" * (MAX_UPLOAD + 1))
    problem = assert_problem(response, 413, "payload_too_large")
    assert problem["details"] == {"max_bytes": MAX_UPLOAD}
    await assert_nothing_stored(database, gateway, org)


async def test_a_body_over_the_limit_found_on_the_way(
    client: httpx.AsyncClient, database: Database, gateway: RunningGateway, org: UUID
) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b"x" * (MAX_UPLOAD // 4)

    response = await client.post("/v1/documents", params={"filename": "a.md"}, content=body())
    assert_problem(response, 413, "payload_too_large")
    await assert_nothing_stored(database, gateway, org)


async def test_a_body_of_just_the_limit(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/documents", params={"filename": "a.md"}, content=b"x" * MAX_UPLOAD)
    assert response.status_code == 201


async def test_a_form_instead_of_the_file(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/documents", params={"filename": "a.md"}, files={"file": b"x"})
    assert "--data-binary" in assert_problem(response, 415, "unsupported_type")["detail"]


BAD_PARAMETERS: list[dict[str, Any]] = [
    {},
    {"filename": ""},
    {"filename": "   "},
    {"filename": "carpeta/"},
    {"filename": "a\nb.md"},
    {"filename": "a.md", "external_key": "x" * 1001},
    {"filename": "a.md", "external_key": ""},
    {"filename": "a.md", "source": "x" * 101},
    {"filename": "a.md", "title": "x" * 501},
    {"filename": "a.md", "language": "español"},
    {"filename": "a.md", "course_id": ["ok", ""]},
    {"filename": "a.md", "course_id": [str(n) for n in range(101)]},
    {"filename": "a.md", "audience": ["g", ""]},
    {"filename": "a.md", "audience": "*"},
    {"filename": "a.md", "audience": "a,b"},
    {"filename": "a.md", "metadata": "no es JSON"},
    {"filename": "a.md", "metadata": "[1]"},
    {"filename": "a.md", "metadata": '{"a": NaN}'},
    {"filename": "a.md", "metadata": '{"a": 1e999}'},
    {"filename": "a.md", "metadata": '{"a": "\\u0000"}'},
    {"filename": "a.md", "metadata": '{"a": "\\ud800"}'},
    {"filename": "a.md", "metadata": '{"\\ud800": 1}'},
    {"filename": "a.md", "metadata": '{"a": ' + "1" * 5000 + "}"},
    {"filename": "a.md", "metadata": '{"a":' * 40 + "1" + "}" * 40},
    {"filename": "a.md", "metadata": "[" * 8000},
    {"filename": "a.md", "metadata": '{"a": "' + "x" * 17_000 + '"}'},
    {"filename": "a.md", "tittle": "un parámetro mal escrito"},
]


@pytest.mark.parametrize("parameters", BAD_PARAMETERS, ids=lambda p: str(p)[:60])
async def test_parameters_of_an_upload(
    client: httpx.AsyncClient, database: Database, gateway: RunningGateway, org: UUID, parameters: dict[str, Any]
) -> None:
    response = await client.post("/v1/documents", params=parameters, content=b"x")
    problem = assert_problem(response, 422, "invalid_request")
    assert problem["errors"], "the fields at fault are named"
    assert {error["location"][0] for error in problem["errors"]} == {"query"}
    assert '"input"' not in response.text
    await assert_nothing_stored(database, gateway, org)


@pytest.mark.parametrize(
    "query", ["filename=%FF.md", "filename=a.md&title=%C3%28", "filename=a%00.md", "x=%ED%A0%80"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_an_address_that_is_not_utf8_or_holds_nul(client: httpx.AsyncClient, method: str, query: str) -> None:
    response = await client.request(method, f"/v1/documents?{query}", content=b"x" if method == "POST" else None)
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("path", ["/v1/documents/%FF", "/v1/documents/%00", "/%C3%28"])
async def test_a_path_that_is_not_utf8_or_holds_nul(client: httpx.AsyncClient, path: str) -> None:
    response = await client.get(path)
    assert response.status_code == 422
    assert response.json()["code"] == "invalid_request"


@pytest.mark.parametrize("key", ["", "con espacio", "x" * 201, "ñ"])
async def test_an_idempotency_key_of_no_form(client: httpx.AsyncClient, key: str) -> None:
    headers = {b"Idempotency-Key": key.encode("latin-1")}
    response = await client.post("/v1/documents?filename=a.md", content=b"x", headers=headers)
    problem = assert_problem(response, 422, "invalid_request")
    assert problem["errors"][0]["location"] == ["header", "Idempotency-Key"]


@pytest.mark.parametrize("keys", [("a", "b"), ("a", "a"), ("a", "")])
async def test_two_idempotency_keys(client: httpx.AsyncClient, keys: tuple[str, str]) -> None:
    headers = [("Idempotency-Key", key) for key in keys]
    response = await client.post("/v1/documents?filename=a.md", content=b"x", headers=headers)
    problem = assert_problem(response, 422, "invalid_request")
    assert problem["errors"][0]["location"] == ["header", "Idempotency-Key"]


@pytest.mark.parametrize("media_type", ["multipart/form-data", "MULTIPART/FORM-DATA", "Multipart/Mixed"])
async def test_a_form_in_whatever_case(client: httpx.AsyncClient, media_type: str) -> None:
    headers = {"Content-Type": f"{media_type}; boundary=x"}
    response = await client.post("/v1/documents?filename=a.md", content=b"--x--", headers=headers)
    assert_problem(response, 415, "unsupported_type")


@pytest.mark.parametrize("path", ["/v1/search", "/v1/context", "/v1/ground", "/v1/ask"])
@pytest.mark.parametrize(
    "body", [b"{", b'{"query": }', b"\xff\xfe{}", b'{"query": "\xe9"}', b"[" * 100_000], ids=repr
)
async def test_malformed_json(client: httpx.AsyncClient, path: str, body: bytes) -> None:
    response = await client.post(path, content=body, headers={"Content-Type": "application/json"})
    assert_problem(response, 400, "malformed_json")


BAD_QUESTIONS: list[Any] = [
    {},
    [],
    "una cadena",
    {"query": ""},
    {"query": "x" * 4001},
    {"query": 3},
    {"query": "a\0b"},
    {"query": "x", "limit": 0},
    {"query": "x", "alpha": 2},
    {"query": "x", "strategy": "mágica"},
    {"query": "x", "filtres": {}},
    {"query": "x", "filters": {"curso": "c"}},
    {"query": "x", "filters": {"document_ids": ["no es un uuid"]}},
    {"query": "x", "filters": {"document_ids": []}},
    {"query": "x", "filters": {"course_id": "a\0"}},
    {"query": "x", "filters": {"metadata": {"a\0": 1}}},
]


@pytest.mark.parametrize("path", ["/v1/search", "/v1/context", "/v1/ground", "/v1/ask"])
@pytest.mark.parametrize("body", BAD_QUESTIONS, ids=lambda body: repr(body)[:50])
async def test_a_question_of_no_form(client: httpx.AsyncClient, path: str, body: Any) -> None:
    if path == "/v1/ask" and isinstance(body, dict) and "query" in body:
        body = {"question" if name == "query" else name: value for name, value in body.items()}
    response = await client.post(path, json=body)
    problem = assert_problem(response, 422, "invalid_request")
    assert problem["errors"]
    assert "mágica" not in response.text, "the caller's values are not echoed"


@pytest.mark.parametrize(
    "raw", [b'{"query": "\\ud800"}', b'{"query": "x", "alpha": NaN}', b'{"query":"x","alpha":1e999}']
)
async def test_json_that_no_database_can_hold(client: httpx.AsyncClient, raw: bytes) -> None:
    response = await client.post("/v1/search", content=raw, headers={"Content-Type": "application/json"})
    assert_problem(response, 422, "invalid_request")


async def test_a_question_without_a_content_type(client: httpx.AsyncClient) -> None:
    assert_problem(await client.post("/v1/search", content=b'{"query": "x"}'), 422, "invalid_request")


@pytest.mark.parametrize("announced", [True, False])
async def test_a_question_that_is_too_large(client: httpx.AsyncClient, announced: bool) -> None:
    async def body() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * 60_000

    content = b" " * 600_000 if announced else body()
    response = await client.post("/v1/ask", content=content, headers={"Content-Type": "application/json"})
    assert_problem(response, 413, "payload_too_large")


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer sk_wrong", "Basic YTpi", "Bearer clavé"])
@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/v1/me"), ("POST", "/v1/documents?filename=a"), ("GET", "/v1/x")]
)
async def test_a_wrong_key(gateway: RunningGateway, authorization: str | None, method: str, path: str) -> None:
    headers = {b"Authorization": authorization.encode("latin-1")} if authorization is not None else {}
    async with gateway.client(None) as http:
        response = await http.request(method, path, headers=headers)
    assert_problem(response, 401, "unauthorized")
    assert response.headers["www-authenticate"].startswith("Bearer")


async def test_a_key_without_the_scope(gateway: RunningGateway, database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="escritura", scopes=[Scope.WRITE])
    async with gateway.client(key) as http:
        problem = assert_problem(await http.get("/v1/documents"), 403, "forbidden")
        assert problem["details"] == {"scope": "documents:read"}
        assert_problem(await http.post("/v1/search", json={"query": "x"}), 403, "forbidden")


async def test_unknown_ids(client: httpx.AsyncClient) -> None:
    base = f"/v1/documents/{uuid4()}"
    problems = [
        assert_problem(await client.get(base), 404, "not_found"),
        assert_problem(await client.delete(base), 404, "not_found"),
        assert_problem(await client.get(f"{base}/original"), 404, "not_found"),
        assert_problem(await client.post(f"{base}/versions/1/cancel"), 404, "not_found"),
        assert_problem(await client.put(f"{base}/content", content=b"x"), 404, "not_found"),
    ]
    assert len({problem["detail"] for problem in problems}) == 1


async def test_ids_of_no_form(client: httpx.AsyncClient) -> None:
    assert_problem(await client.get("/v1/documents/17"), 422, "invalid_request")
    assert_problem(await client.post(f"/v1/documents/{uuid4()}/versions/0/cancel"), 422, "invalid_request")
    assert_problem(await client.post(f"/v1/documents/{uuid4()}/versions/{2**40}/cancel"), 422, "invalid_request")
    response = await client.get(f"/v1/documents/{uuid4()}/original", params={"version": 2**31})
    assert_problem(response, 422, "invalid_request")


@pytest.mark.parametrize("cursor", ["", "x", "e30", "WzEsMl0", "WzFlOTk5LCJ4Il0", "ñ", "AAAA" * 60])
async def test_a_cursor_that_no_list_has_given(client: httpx.AsyncClient, cursor: str) -> None:
    assert_problem(await client.get("/v1/documents", params={"cursor": cursor}), 422, "invalid_request")


async def test_unknown_routes_and_methods(client: httpx.AsyncClient) -> None:
    assert_problem(await client.get("/v1/nada"), 404, "not_found")
    assert_problem(await client.get("/nada"), 404, "not_found")
    response = await client.patch("/v1/documents")
    assert_problem(response, 405, "method_not_allowed")
    assert response.headers["allow"]


@pytest.mark.parametrize("given", ["abc-123", "01ARZ3NDEKTSV4RRFFQ69G5FAV"])
async def test_the_request_id_is_echoed(client: httpx.AsyncClient, given: str) -> None:
    response = await client.get("/v1/documents/17", headers={"X-Request-Id": given})
    assert assert_problem(response, 422, "invalid_request")["request_id"] == given


@pytest.mark.parametrize("given", ["", "x" * 101, "con espacio", "a\tb", "ñ"])
async def test_a_request_id_of_no_form_is_replaced(client: httpx.AsyncClient, given: str) -> None:
    response = await client.get("/v1/me", headers={b"X-Request-Id": given.encode("latin-1")})
    assert response.headers["x-request-id"] not in {given, ""}
