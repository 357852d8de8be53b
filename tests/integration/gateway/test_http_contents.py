"""Outline and chunks over HTTP."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from skillnet_common.auth import new_key, store_key
from skillnet_common.contracts.contents import Chunk, Outline
from skillnet_common.database import Database

from .conftest import RunningGateway
from .reading import chunk_id, read_version
from .test_http_documents import make_live, put


async def upload(client: httpx.AsyncClient, content: bytes = b"texto", **more: Any) -> str:
    document_id: str = (await put(client, "a.pdf", content, **more))["document_id"]
    return document_id


async def test_the_outline_is_a_tree_with_pages_and_spans(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client)
    await read_version(database, org, document_id, 1)
    response = await client.get(f"/v1/documents/{document_id}/outline")
    outline = Outline.model_validate_json(response.content)
    assert (outline.version, outline.page_count, outline.title) == (1, 3, "a")
    assert [(s.section_id, s.parent_id, s.level, s.path) for s in outline.sections] == [
        ("raiz", None, 0, []),
        ("dev", "raiz", 1, ["Devoluciones"]),
        ("recibo", "dev", 2, ["Devoluciones", "Sin recibo"]),
    ]
    last = outline.sections[-1]
    assert (last.page_start, last.page_end, last.page_label_start, last.page_label_end) == (2, 3, "ii", "1")
    assert last.char_start < last.char_end


async def test_what_was_not_read_has_no_contents(client: httpx.AsyncClient, database: Database, org: UUID) -> None:
    document_id = await upload(client)
    for part in ("outline", "chunks"):
        response = await client.get(f"/v1/documents/{document_id}/{part}")
        assert (response.status_code, response.json()["code"]) == (409, "contents_missing")
    await read_version(database, org, document_id, 1)
    assert (await client.get(f"/v1/documents/{document_id}/outline")).status_code == 200
    assert (await client.get(f"/v1/documents/{document_id}/chunks")).json()["code"] == "contents_missing"


async def test_the_live_version_is_shown_unless_another_is_named(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client, b"uno")
    await read_version(database, org, document_id, 1, chunks=1)
    await make_live(database, org, document_id, 1)
    await upload(client, b"dos")
    await read_version(database, org, document_id, 2, chunks=3)
    for part in ("outline", "chunks"):
        path = f"/v1/documents/{document_id}/{part}"
        assert (await client.get(path)).json()["version"] == 1
        assert (await client.get(path, params={"version": 2})).json()["version"] == 2
        assert (await client.get(path, params={"version": 3})).status_code == 404
        assert (await client.get(path, params={"version": 0})).status_code == 422


async def test_chunks_come_page_by_page_of_one_version(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client, b"uno")
    await read_version(database, org, document_id, 1, chunks=5)
    path = f"/v1/documents/{document_id}/chunks"
    page = (await client.get(path, params={"limit": 2})).json()
    found = page["chunks"]
    await upload(client, b"dos")
    await read_version(database, org, document_id, 2, chunks=1)
    await make_live(database, org, document_id, 2)
    while page["next_cursor"]:
        page = (await client.get(path, params={"limit": 2, "cursor": page["next_cursor"]})).json()
        found += page["chunks"]
    assert [(chunk["version"], chunk["chunk_index"]) for chunk in found] == [(1, index) for index in range(5)]
    assert page["chunk_count"] == 5
    first = Chunk.model_validate(found[0])
    assert first.chunk_id == chunk_id(document_id, 1, 0)
    assert (first.text, first.overlap_chars, first.token_count) == ("Un vale 0", 3, 12)
    assert (first.char_start, first.char_end, first.section_path) == (0, 5, ["Devoluciones", "Sin recibo"])
    assert (first.page_label_start, first.page_label_end, first.boxes[0].page) == ("ii", "1", 2)
    one = await client.get(f"{path}/{first.chunk_id}")
    assert one.json() == found[0]


@pytest.mark.parametrize("cursor", ["x", "WzFd", "WzEsICJ4Il0", "WzEsIC0xXQ", "e30", "WzEsIDFd", "////", "W" * 200])
async def test_a_cursor_of_another_list_is_refused(
    client: httpx.AsyncClient, database: Database, org: UUID, cursor: str
) -> None:
    """The sixth is a place in version 1, while version 2 is asked for."""
    document_id = await upload(client)
    await read_version(database, org, document_id, 1, chunks=2)
    path = f"/v1/documents/{document_id}/chunks"
    response = await client.get(path, params={"cursor": cursor, "version": 2})
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")


async def test_a_deleted_documents_contents_are_gone(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client)
    await read_version(database, org, document_id, 1, chunks=1)
    await client.delete(f"/v1/documents/{document_id}")
    one = f"chunks/{chunk_id(document_id, 1, 0)}"
    for part in ("outline", "chunks", one):
        assert (await client.get(f"/v1/documents/{document_id}/{part}")).status_code == 404
    await upload(client, b"otra cosa")
    await read_version(database, org, document_id, 2, chunks=1)
    assert (await client.get(f"/v1/documents/{document_id}/{one}")).status_code == 404
    assert (await client.get(f"/v1/documents/{document_id}/outline", params={"version": 1})).status_code == 404


async def test_a_key_of_other_groups_sees_no_contents(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client, audience="caja")
    await read_version(database, org, document_id, 1, chunks=1)
    for groups, status in ((["obrador"], 404), (["caja"], 200)):
        key = new_key()
        await store_key(database, org, key, name=groups[0], audience=groups)
        async with gateway.client(key) as http:
            for part in ("outline", "chunks", f"chunks/{chunk_id(document_id, 1, 0)}"):
                assert (await http.get(f"/v1/documents/{document_id}/{part}")).status_code == status


async def test_a_chunk_is_known_by_its_own_document_alone(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = await upload(client)
    await read_version(database, org, document_id, 1, chunks=1)
    other = (await put(client, "b.pdf"))["document_id"]
    assert (await client.get(f"/v1/documents/{other}/chunks/{chunk_id(document_id, 1, 0)}")).status_code == 404
    assert (await client.get(f"/v1/documents/{document_id}/chunks/{uuid4()}")).status_code == 404
