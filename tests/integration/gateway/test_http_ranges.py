"""Parts of original files, and files that the caller has already."""

from __future__ import annotations

from uuid import UUID

import httpx
import pytest

from .conftest import RunningGateway
from .test_http_documents import put

CONTENT = bytes(range(256)) * 1_000


@pytest.fixture
async def original(client: httpx.AsyncClient) -> str:
    link: str = (await put(client, "a.md", CONTENT))["links"]["original"]
    return link


async def get(client: httpx.AsyncClient, path: str, **headers: str) -> httpx.Response:
    return await client.get(path, headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    ("header", "start", "stop"),
    [("bytes=0-0", 0, 1), ("bytes=255990-", 255_990, 256_000), ("bytes=-5", 255_995, 256_000),
     ("bytes=1000-200000", 1_000, 200_001), ("bytes=7-" + "9" * 30, 7, 256_000)],
)  # fmt: skip
async def test_a_range_is_partial_content(
    client: httpx.AsyncClient, original: str, header: str, start: int, stop: int
) -> None:
    response = await get(client, original, Range=header)
    assert (response.status_code, response.content) == (206, CONTENT[start:stop])
    assert response.headers["content-range"] == f"bytes {start}-{stop - 1}/256000"
    assert response.headers["content-length"] == str(stop - start)
    assert response.headers["etag"]
    assert response.headers["content-disposition"].startswith("attachment")


async def test_only_the_range_is_read(
    client: httpx.AsyncClient, gateway: RunningGateway, original: str, org: UUID
) -> None:
    """Whoever cuts the file short behind the gateway's back finds that its beginning can still be read."""
    stored = next(path for path in gateway.stored() if str(org) in path.as_posix())
    stored.write_bytes(CONTENT[:10])
    response = await get(client, original, Range="bytes=2-5")
    assert (response.status_code, response.content) == (206, CONTENT[2:6])


async def test_a_range_outside_the_file(client: httpx.AsyncClient, original: str) -> None:
    for header in ("bytes=256000-", "bytes=-0", "bytes=" + "9" * 900 + "-"):
        response = await get(client, original, Range=header)
        assert (response.status_code, response.json()["code"]) == (416, "range_not_satisfiable")
        assert response.headers["content-range"] == "bytes */256000"
        assert response.json()["details"] == {"size": 256_000}


async def test_several_ranges_get_the_whole_file(client: httpx.AsyncClient, original: str) -> None:
    response = await get(client, original, Range="bytes=0-0,5-9")
    assert (response.status_code, response.content) == (200, CONTENT)
    assert response.headers["accept-ranges"] == "bytes"
    assert "content-range" not in response.headers


async def test_a_header_without_end_is_refused(client: httpx.AsyncClient, original: str) -> None:
    response = await get(client, original, Range="bytes=" + "0-0," * 1_000)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


async def test_a_file_that_changed_meanwhile_comes_whole(client: httpx.AsyncClient, original: str) -> None:
    etag = (await client.head(original)).headers["etag"]
    same = await get(client, original, Range="bytes=0-3", If_Range=etag)
    assert (same.status_code, same.content) == (206, CONTENT[:4])
    await put(client, "a.md", b"nuevo")
    changed = await get(client, original, Range="bytes=0-3", If_Range=etag)
    assert (changed.status_code, changed.content) == (200, b"nuevo")


async def test_a_file_that_the_caller_has_is_not_sent(client: httpx.AsyncClient, original: str) -> None:
    etag = (await client.head(original)).headers["etag"]
    for method in ("GET", "HEAD"):
        response = await client.request(method, original, headers={"If-None-Match": f'"x", W/{etag}'})
        assert (response.status_code, response.content, response.headers["etag"]) == (304, b"", etag)
    assert (await get(client, original, If_None_Match='"x"')).status_code == 200


async def test_head_tells_of_the_file_without_sending_it(
    client: httpx.AsyncClient, gateway: RunningGateway, original: str, org: UUID
) -> None:
    head, got = await client.head(original), await client.get(original)
    assert (head.status_code, head.content) == (200, b"")
    names = ("content-length", "etag", "content-type", "content-disposition", "accept-ranges", "x-document-version")
    assert [head.headers[name] for name in names] == [got.headers[name] for name in names]
    for path in gateway.stored():
        if str(org) in path.as_posix():
            path.unlink()
    assert (await client.head(original)).status_code == 410
    assert (await client.head(original.replace("original", "nada"))).status_code in {404, 405}
