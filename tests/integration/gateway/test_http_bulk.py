"""Archives over HTTP."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import new_key, store_key
from skillnet_common.database import Database

from .conftest import MAX_UPLOAD, RunGateway, RunningGateway
from .test_http_documents import keys, put


def zipped(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


async def send(client: httpx.AsyncClient, content: bytes, **parameters: Any) -> list[dict[str, Any]]:
    response = await client.post("/v1/documents/bulk", params=parameters, content=content)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines() if line]


def outcomes(lines: list[dict[str, Any]]) -> dict[str, str]:
    return {line["path"]: line.get("code", line["outcome"]) for line in lines if line["kind"] == "file"}


async def test_each_file_becomes_a_document_and_a_bad_one_stops_no_other(client: httpx.AsyncClient) -> None:
    files = {
        "tienda/a.md": b"uno",
        "vacio.md": b"",
        "../fuera.md": b"x",
        "grande.md": b"\0" * (MAX_UPLOAD + 1),
        ".oculto": b"x",
        "tienda/b.md": b"dos",
    }
    lines = await send(client, zipped(**files), course_id="c1", language="es", metadata='{"a": 1}')
    assert outcomes(lines) == {
        "tienda/a.md": "created",
        "vacio.md": "empty_file",
        "../fuera.md": "unsafe_archive",
        "grande.md": "payload_too_large",
        ".oculto": "ignored",
        "tienda/b.md": "created",
    }
    assert lines[-1] == {
        "kind": "summary",
        "counts": {"created": 2, "refused": 3, "ignored": 1},
        "not_tried": 0,
    }
    document = (await client.get(f"/v1/documents/{lines[0]['document_id']}")).json()
    assert (document["external_key"], document["title"]) == ("tienda/a.md", "a")
    assert (document["courses"], document["metadata"]) == (["c1"], {"a": 1})
    assert (await client.get(f"/v1/documents/{lines[0]['document_id']}/original")).content == b"uno"


async def test_the_same_archive_again_changes_nothing(client: httpx.AsyncClient, gateway: RunningGateway) -> None:
    content = zipped(**{"a.md": b"uno", "b.md": b"dos"})
    await send(client, content)
    stored = len(gateway.stored())
    assert set(outcomes(await send(client, content)).values()) == {"unchanged"}
    assert len(gateway.stored()) == stored
    changed = await send(client, zipped(**{"a.md": b"uno", "b.md": b"tres"}))
    assert outcomes(changed) == {"a.md": "unchanged", "b.md": "new_version"}


@pytest.mark.parametrize(
    ("content", "status", "code"),
    [
        (b"", 422, "empty_file"),
        (b"no zip", 415, "unsupported_type"),
        (zipped(**{"a.md": b"x"})[:40], 415, "unsupported_type"),
    ],
    ids=["nothing", "a text", "half an archive"],
)
async def test_what_is_no_archive(client: httpx.AsyncClient, content: bytes, status: int, code: str) -> None:
    response = await client.post("/v1/documents/bulk", content=content)
    assert (response.status_code, response.json()["code"]) == (status, code)


async def test_a_form_is_no_archive(client: httpx.AsyncClient) -> None:
    response = await client.post("/v1/documents/bulk", files={"file": ("a.zip", zipped(**{"a.md": b"x"}))})
    assert (response.status_code, response.json()["code"]) == (415, "unsupported_type")


async def test_limits_hold_for_the_whole_archive(run_gateway: RunGateway, tmp_path: Path, api_key: str) -> None:
    limits = {"bulk_max_bytes": 2_000, "bulk_max_files": 3, "bulk_max_unpacked_bytes": 100_000}
    async with run_gateway(tmp_path, **limits) as running, running.client(api_key) as http:

        async def body(content: bytes) -> AsyncIterator[bytes]:
            yield content  # without a length

        many = zipped(**{f"{n}.md": b"x" for n in range(4)})
        bomb = zipped(**{"a.md": b"\0" * 100_001})
        for content in (b"x" * 2_001, body(b"x" * 2_001), many, bomb):
            response = await http.post("/v1/documents/bulk", content=content)
            assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
        assert await keys(http) == []
        assert outcomes(await send(http, zipped(**{"a.md": b"x"}))) == {"a.md": "created"}


async def test_hundreds_of_tiny_files(client: httpx.AsyncClient) -> None:
    content = zipped(**{f"carpeta/{n:04}.md": f"texto {n}".encode() for n in range(300)})
    lines = await send(client, content)
    assert lines[-1]["counts"] == {"created": 300}
    assert len({line["document_id"] for line in lines[:-1]}) == 300


async def test_a_key_of_groups_writes_to_its_own(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    await put(client, "ajeno.md", audience="obrador")
    key = new_key()
    await store_key(database, org, key, name="caja", audience=["caja"])
    async with gateway.client(key) as http:
        lines = await send(http, zipped(**{"ajeno.md": b"x", "propio.md": b"x"}))
        assert outcomes(lines) == {"ajeno.md": "forbidden", "propio.md": "created"}
        refused = await http.post(
            "/v1/documents/bulk", params={"audience": "obrador"}, content=zipped(**{"b.md": b"x"})
        )
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    own = (await client.get("/v1/documents", params={"external_key": "propio.md"})).json()["documents"][0]
    assert own["audience"] == ["caja"]


async def test_a_store_that_fails_ends_it_and_says_what_is_left(
    run_gateway: RunGateway, tmp_path: Path, api_key: str
) -> None:
    async with run_gateway(tmp_path) as broken, broken.client(api_key) as http:
        (tmp_path / "originals").write_text("a file where a folder is needed")
        *files, summary = await send(http, zipped(**{".oculto": b"x", "a.md": b"x", "b.md": b"x", "c.md": b"x"}))
    assert [(file["path"], file.get("code")) for file in files] == [(".oculto", None), ("a.md", "unavailable")]
    assert (summary["counts"], summary["not_tried"]) == ({"ignored": 1, "refused": 1}, 2)


async def test_archives_are_taken_a_few_at_a_time_and_leave_nothing_on_disk(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    content = zipped(**{"a.md": b"x"})
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        yield content[:10]
        begun.set()
        await go_on.wait()
        yield content[10:]

    async with run_gateway(tmp_path / "o", bulk_uploads=1) as running, running.client(api_key) as http:
        first = asyncio.create_task(http.post("/v1/documents/bulk", content=slow()))
        await begun.wait()
        async with asyncio.timeout(30):
            while not list(spool.iterdir()):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        second = await http.post("/v1/documents/bulk", content=content)
        assert (second.status_code, second.json()["code"]) == (503, "unavailable")
        go_on.set()
        assert (await first).status_code == 200
        assert (await http.post("/v1/documents/bulk", content=content)).status_code == 200
        assert list(spool.iterdir()) == []


async def test_an_organisation_has_its_share_of_places_and_a_slow_archive_is_given_up(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, database: Database, other_org: UUID
) -> None:
    content = zipped(**{"a.md": b"x"})
    begun = asyncio.Event()

    async def drop_by_drop() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"P"
            begun.set()
            await asyncio.sleep(0.05)

    other_key = new_key()
    await store_key(database, other_org, other_key, name="k")
    limits = {"bulk_uploads": 2, "bulk_uploads_per_organization": 1, "bulk_receive_seconds": 1.0}
    async with (
        run_gateway(tmp_path, **limits) as running,
        running.client(api_key) as http,
        running.client(other_key) as other,
    ):
        slow = asyncio.create_task(http.post("/v1/documents/bulk", content=drop_by_drop()))
        await begun.wait()
        async with asyncio.timeout(30):
            while (second := await http.post("/v1/documents/bulk", content=content)).status_code == 200:
                pass  # the first has not come in yet
        assert (second.status_code, second.json()["code"]) == (503, "unavailable")
        assert outcomes(await send(other, content)) == {"a.md": "created"}
        async with asyncio.timeout(30):
            given_up = await slow
        assert given_up.json()["code"] == "timeout"
        assert (await http.post("/v1/documents/bulk", content=content)).status_code == 200


async def test_a_sender_who_leaves_ends_it_and_makes_room(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spool))
    content = zipped(**{f"{n}.md": f"texto {n}".encode() for n in range(2_000)})
    async with run_gateway(tmp_path / "o", bulk_uploads=1) as running, running.client(api_key) as http:
        async with http.stream("POST", "/v1/documents/bulk", content=content) as response:
            async for line in response.aiter_lines():
                assert json.loads(line)["outcome"] == "created"
                break
        async with asyncio.timeout(30):
            while list(spool.iterdir()):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        made = len(running.stored())
        assert made < 1_000
        again = await http.post("/v1/documents/bulk", content=zipped(**{"0.md": b"texto 0"}))
        assert json.loads(again.text.splitlines()[0])["outcome"] == "unchanged"
        assert len(running.stored()) == made
