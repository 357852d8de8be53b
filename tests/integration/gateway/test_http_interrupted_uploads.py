"""Uploads that break off: no object, no row, and the live version untouched."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import asyncpg
import httpx
import pytest
import structlog
from structlog.testing import capture_logs

from skillnet_common.database import Database

from .conftest import MAX_UPLOAD, RunGateway, RunningGateway


async def open_request(gateway: RunningGateway, key: str, *headers: str) -> asyncio.StreamWriter:
    """Sends the head of an upload and leaves the body to the test."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(gateway.url.rsplit(":", 1)[1]))
    head = ["POST /v1/documents?filename=a.md HTTP/1.1", "Host: x", f"Authorization: Bearer {key}", *headers]
    writer.write("\r\n".join([*head, "", ""]).encode())
    await writer.drain()
    writer.reader = reader  # type: ignore[attr-defined]
    return writer


async def reply_of(writer: asyncio.StreamWriter) -> tuple[int, dict[str, object]]:
    reader: asyncio.StreamReader = writer.reader  # type: ignore[attr-defined]
    head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
    )
    body: dict[str, object] = json.loads(await reader.readexactly(length))
    writer.close()
    return int(head.split()[1]), body


def objects_of(gateway: RunningGateway, org: UUID) -> list[Path]:
    return [path for path in gateway.stored() if str(org) in str(path)]


async def versions_of(database: Database, org: UUID) -> int:
    async with database.tenant(org) as connection:
        count: int = await connection.fetchval("SELECT count(*) FROM document_versions")
        return count


async def settled(gateway: RunningGateway, org: UUID, expected: int) -> None:
    """Waits until the store holds what is expected: an interruption is noticed a little later."""
    async with asyncio.timeout(30):
        while len(objects_of(gateway, org)) != expected:  # noqa: ASYNC110 - a folder tells nobody
            await asyncio.sleep(0.02)


async def test_a_length_over_the_limit_is_refused_before_the_body_is_sent(
    gateway: RunningGateway, api_key: str, database: Database, org: UUID
) -> None:
    writer = await open_request(gateway, api_key, f"Content-Length: {10 * 1024**3}")
    status, problem = await reply_of(writer)
    assert (status, problem["code"]) == (413, "payload_too_large")
    assert await versions_of(database, org) == 0


async def test_a_wrong_key_is_refused_before_the_body_is_sent(gateway: RunningGateway) -> None:
    writer = await open_request(gateway, "sk_wrong", "Content-Length: 1000")
    status, problem = await reply_of(writer)
    assert (status, problem["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("sent", [0, 10, MAX_UPLOAD // 2])
async def test_a_client_that_goes_away_leaves_nothing(
    gateway: RunningGateway, api_key: str, database: Database, org: UUID, client: httpx.AsyncClient, sent: int
) -> None:
    await client.post("/v1/documents", params={"filename": "a.md"}, content=b"la version que sirve")
    writer = await open_request(gateway, api_key, f"Content-Length: {MAX_UPLOAD - 1}")
    writer.write(b"x" * sent)
    await writer.drain()
    await asyncio.sleep(0.1)
    writer.transport.abort()
    await settled(gateway, org, 1)
    await asyncio.sleep(0.1)
    assert len(objects_of(gateway, org)) == 1
    assert await versions_of(database, org) == 1
    document = (await client.get("/v1/documents")).json()["documents"][0]
    assert (document["newest_version"], document["newest_state"]) == (1, "uploaded")


async def test_a_client_that_stops_sending_is_given_up(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, database: Database, org: UUID
) -> None:
    async with run_gateway(tmp_path, upload_idle_seconds=0.2) as impatient:
        writer = await open_request(impatient, api_key, "Content-Length: 1000")
        writer.write(b"x" * 500)
        await writer.drain()
        status, problem = await reply_of(writer)
        assert (status, problem["code"]) == (504, "timeout")
        await settled(impatient, org, 0)
    assert await versions_of(database, org) == 0


async def test_a_database_that_refuses_the_version_leaves_no_object(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, database_urls: object, org: UUID
) -> None:
    # The rows of this organisation alone are refused, by a trigger that only this test knows.
    admin = await asyncpg.connect(database_urls.admin)  # type: ignore[attr-defined]
    try:
        await admin.execute(
            "CREATE FUNCTION skillnet.refuse_for_test() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'refused'; END $$;"
            "CREATE TRIGGER refuse_for_test BEFORE INSERT ON skillnet.work FOR EACH ROW"
            f" WHEN (NEW.org_id = '{org}') EXECUTE FUNCTION skillnet.refuse_for_test()"
        )
        with capture_logs(processors=[structlog.contextvars.merge_contextvars]) as logs:
            response = await client.post("/v1/documents", params={"filename": "a.md"}, content=b"x")
    finally:
        await admin.execute("DROP FUNCTION skillnet.refuse_for_test CASCADE")
        await admin.close()
    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    assert "refused" not in response.text
    logged = next(entry for entry in logs if entry["event"] == "unexpected_error")
    assert logged["request_id"] == response.json()["request_id"]
    assert objects_of(gateway, org) == []
    assert await versions_of(database, org) == 0


async def test_a_store_that_cannot_be_written_is_unavailable(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, database: Database, org: UUID
) -> None:
    folder = tmp_path / "objects"
    async with run_gateway(folder) as broken, broken.client(api_key) as http:
        (folder / "originals").write_text("a file where a folder is needed")
        response = await http.post("/v1/documents", params={"filename": "a.md"}, content=b"x")
    assert (response.status_code, response.json()["code"]) == (503, "unavailable")
    assert response.headers["retry-after"]
    assert await versions_of(database, org) == 0


async def test_a_large_file_is_streamed(run_gateway: RunGateway, tmp_path: Path, api_key: str) -> None:
    piece = bytes(1024) * 1024

    async def body() -> AsyncIterator[bytes]:
        for _ in range(30):
            yield piece

    async with run_gateway(tmp_path, max_upload_bytes=40 * 1024**2) as large, large.client(api_key) as http:
        response = await http.post("/v1/documents", params={"filename": "a.bin"}, content=body())
        assert response.status_code == 201
        document = (await http.get(response.json()["links"]["self"])).json()
        assert document["versions"][0]["size_bytes"] == 30 * 1024**2
