"""Whatever text comes in, it is stored as it is or refused: never an internal error."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote_from_bytes

import httpx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)  # halves of surrogate pairs and NUL included
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
FEW = settings(
    max_examples=60, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def in_address(**parameters: str) -> str:
    """A query string that holds just these characters, valid or not."""
    pairs = ((name, quote_from_bytes(value.encode("utf-8", "surrogatepass"))) for name, value in parameters.items())
    return "&".join(f"{name}={value}" for name, value in pairs)


@FEW
@given(filename=ANY_TEXT, title=ANY_TEXT, course=ANY_TEXT, group=ANY_TEXT)
async def test_any_name(client: httpx.AsyncClient, filename: str, title: str, course: str, group: str) -> None:
    query = in_address(filename=filename, title=title, course_id=course, audience=group)
    response = await client.post(f"/v1/documents?{query}", content=b"x")
    assert response.status_code in {200, 201, 202, 422}, response.text
    if response.is_success:
        document = (await client.get(response.json()["links"]["self"])).json()
        assert document["external_key"] == filename.strip()
        assert document["title"] == title.strip()
        assert document["audience"] == ([group.strip()] if group else None), "an empty one opens it to everyone"


@FEW
@given(metadata=st.dictionaries(ANY_TEXT, ANY_JSON, max_size=4))
async def test_any_metadata(client: httpx.AsyncClient, metadata: dict[str, Any]) -> None:
    written = json.dumps(metadata)
    response = await client.post(f"/v1/documents?{in_address(filename='a.md', metadata=written)}", content=b"x")
    assert response.status_code in {200, 201, 422}, response.text
    if response.is_success:
        document = await client.get(response.json()["links"]["self"])
        # PostgreSQL keeps numbers as decimals: 1e3 comes back as 1000.
        assert json.loads(document.text, parse_int=float)["metadata"] == json.loads(written, parse_int=float)


@FEW
@given(value=ANY_TEXT, cursor=ANY_TEXT)
async def test_any_filter(client: httpx.AsyncClient, value: str, cursor: str) -> None:
    for query in (in_address(course_id=value, source=value, external_key=value), in_address(cursor=cursor)):
        response = await client.get(f"/v1/documents?{query}")
        assert response.status_code in {200, 422}, response.text


@FEW
@given(body=ANY_JSON | st.fixed_dictionaries({"query": ANY_TEXT, "filters": st.dictionaries(ANY_TEXT, ANY_JSON)}))
async def test_any_question(client: httpx.AsyncClient, body: Any) -> None:
    response = await client.post("/v1/search", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert response.status_code in {422, 503}, response.text  # 503: it was let through, and nobody answers here


@FEW
@given(key=st.binary(max_size=40))
async def test_any_bytes_in_headers(client: httpx.AsyncClient, key: bytes) -> None:
    header = bytes(byte for byte in key if byte >= 0x20 and byte != 0x7F).strip()
    headers = {b"Idempotency-Key": header, b"X-Request-Id": header, b"Authorization": b"Bearer x" + header}
    response = await client.post("/v1/documents?filename=a.md", content=b"x", headers=headers)
    assert response.status_code == 401, response.text
