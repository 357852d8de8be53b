"""Whatever text comes in, it is stored as it is or refused: never an internal error."""

from __future__ import annotations

import io
import json
import zipfile
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
    written = json.dumps({value: value})
    for query in (
        in_address(course_id=value, source=value, external_key=value),
        in_address(subject_id=value, entity_id=value, taxonomy_prefix=value, title=value),
        in_address(language=value, file_type=value, metadata=written),
        in_address(updated_after=value),
        in_address(cursor=cursor),
    ):
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


@FEW
@given(
    change=ANY_JSON
    | st.dictionaries(
        st.sampled_from(["title", "subject_id", "entity_id", "taxonomy", "metadata", "courses", "audience"]),
        ANY_TEXT | st.none() | st.lists(ANY_TEXT, max_size=3) | st.dictionaries(ANY_TEXT, ANY_JSON, max_size=3),
    )
)
async def test_any_change(client: httpx.AsyncClient, change: Any) -> None:
    path = (await client.post("/v1/documents?filename=a.md", content=b"x")).json()["links"]["self"]
    before = (await client.get(path)).json()
    response = await client.patch(path, content=json.dumps(change), headers={"Content-Type": "application/json"})
    assert response.status_code in {200, 422}, response.text
    after = (await client.get(path)).json()
    if response.is_success:
        assert after == response.json()
        assert all(after[name] == before[name] for name in before.keys() - {*change, "updated_at", "versions"})
    else:
        assert after == before


@FEW
@given(value=st.binary(max_size=60), units=st.sampled_from([b"", b"bytes=", b"bytes=0-"]))
async def test_any_range_and_condition(client: httpx.AsyncClient, value: bytes, units: bytes) -> None:
    path = (await client.post("/v1/documents?filename=a.md", content=b"0123456789")).json()["links"]["original"]
    header = units + bytes(byte for byte in value if byte >= 0x20 and byte != 0x7F).strip()
    headers = {b"Range": header, b"If-Range": header, b"If-None-Match": header}
    for name, given_ in headers.items():
        response = await client.get(path, headers={name: given_})
        assert response.status_code in {200, 206, 304, 416}, response.text


def archive_of(names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in dict.fromkeys(names):
            archive.writestr(name, b"x" * 50)
    return buffer.getvalue()


@FEW
@given(
    names=st.lists(st.text(min_size=1, max_size=20), max_size=3),
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=4),
    cut=st.integers(0, 60),
)
async def test_any_archive(
    client: httpx.AsyncClient, names: list[str], changes: list[tuple[int, int]], cut: int
) -> None:
    """Good names or bad, with some bytes changed, and sometimes without an end."""
    content = bytearray(archive_of(names))
    for place, byte in changes:
        content[place % len(content)] = byte
    response = await client.post("/v1/documents/bulk", content=bytes(content[: -cut if cut > 40 else None]))
    assert response.status_code in {200, 413, 415, 422}, response.text
    if response.is_success:
        *files, summary = [json.loads(line) for line in response.text.splitlines() if line]
        assert all(file.get("code") not in {"internal_error", "unavailable"} for file in files), files
        assert (summary["kind"], summary["not_tried"]) == ("summary", 0)
        assert sum(summary["counts"].values()) == len(files)
