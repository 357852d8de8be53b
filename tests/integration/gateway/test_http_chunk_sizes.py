"""An organisation's own sizes of chunks, and what is left out of its documents, over HTTP."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database
from skillnet_common.documents import Removal, RemovalReason
from skillnet_common.versions.contents import save_parsed, save_unindexed

from .conftest import RunningGateway
from .reading import parsed_document, read_version
from .test_http_documents import make_live, put

DEFAULTS = {"max_tokens": 512, "min_tokens": 50, "overlap_sentences": 2, "own": []}


async def set_sizes(client: httpx.AsyncClient, **sizes: Any) -> httpx.Response:
    return await client.patch("/v1/organization", json={"chunks": sizes})


async def test_sizes_are_the_deployments_until_they_are_set_and_again_by_null(client: httpx.AsyncClient) -> None:
    chunks = (await client.get("/v1/organization")).json()["chunks"]
    window = chunks.pop("model_window")
    assert chunks == DEFAULTS | {"max_tokens": min(512, window)}
    changed = (await set_sizes(client, max_tokens=200, overlap_sentences=0)).json()["chunks"]
    assert changed == DEFAULTS | {
        "max_tokens": 200, "overlap_sentences": 0, "model_window": window, "own": ["max_tokens", "overlap_sentences"],
    }  # fmt: skip
    assert (await client.get("/v1/organization")).json()["chunks"] == changed
    kept = (await client.patch("/v1/organization", json={"name": "Otro nombre"})).json()["chunks"]
    assert kept == changed
    back = (await set_sizes(client, max_tokens=None, overlap_sentences=None)).json()["chunks"]
    assert back == chunks | {"model_window": window}


@pytest.mark.parametrize(
    "sizes",
    [
        {"max_tokens": 127},
        {"max_tokens": 10_000},
        {"min_tokens": -1},
        {"min_tokens": 350},
        {"max_tokens": 128, "min_tokens": 128},
        {"overlap_sentences": 11},
        {"overlap_sentences": True},
        {"max_tokens": "200"},
        {"target": 3},
    ],
)
async def test_sizes_that_do_not_fit_are_refused_and_change_nothing(
    client: httpx.AsyncClient, sizes: dict[str, Any]
) -> None:
    before = (await client.get("/v1/organization")).json()
    response = await set_sizes(client, **sizes)
    assert (response.status_code, response.json()["code"]) == (422, "invalid_request")
    assert (await client.get("/v1/organization")).json() == before


async def test_a_minimum_that_a_smaller_maximum_would_cut_is_refused(client: httpx.AsyncClient) -> None:
    assert (await set_sizes(client, min_tokens=200)).status_code == 200
    assert (await set_sizes(client, max_tokens=150)).status_code == 422
    assert (await set_sizes(client, max_tokens=150, min_tokens=40)).status_code == 200


async def test_only_administrators_set_sizes_and_redo(gateway: RunningGateway, database: Database, org: UUID) -> None:
    key = new_key()
    await store_key(database, org, key, name="escribe", scopes=[Scope.READ, Scope.WRITE])
    async with gateway.client(key) as client:
        assert (await set_sizes(client, max_tokens=200)).status_code == 403
        assert (await client.post("/v1/documents/reprocess", json={})).status_code == 403


async def test_other_sizes_make_documents_outdated_until_they_are_redone(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    ids = [(await put(client, f"{name}.pdf", name.encode()))["document_id"] for name in "abc"]
    for document_id in ids[:2]:
        await read_version(database, org, document_id, 1, chunks=1)
        await make_live(database, org, document_id, 1)
    unchanged = await client.post("/v1/documents/reprocess", json={})
    assert unchanged.json() == {"started": [], "outdated": 0}
    await set_sizes(client, max_tokens=200)
    dry = await client.post("/v1/documents/reprocess", json={"dry_run": True})
    assert dry.json() == {"started": [], "outdated": 2}  # the third is under way, and will be cut by these sizes
    first = (await client.post("/v1/documents/reprocess", json={"limit": 1})).json()
    assert (len(first["started"]), first["outdated"]) == (1, 1)
    second = (await client.post("/v1/documents/reprocess", json={"limit": 1})).json()
    assert second["outdated"] == 0
    started = [*first["started"], *second["started"]]
    assert {one["document_id"] for one in started} == set(ids[:2])
    assert {(one["version"], one["stage"]) for one in started} == {(2, "chunk")}
    for document_id in ids[:2]:
        document = (await client.get(f"/v1/documents/{document_id}")).json()
        assert (document["status"], document["live_version"], document["newest_state"]) == ("ready", 1, "parsed")
        assert (await client.get(f"/v1/documents/{document_id}/original?version=2")).content in (b"a", b"b")


async def test_a_key_of_a_group_redoes_what_it_sees(
    gateway: RunningGateway, client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    for name, audience in (("a", ["cajas"]), ("b", ["obrador"])):
        document_id = (await put(client, f"{name}.pdf", name.encode(), audience=audience))["document_id"]
        await read_version(database, org, document_id, 1, chunks=1)
        await make_live(database, org, document_id, 1)
    await set_sizes(client, max_tokens=200)
    key = new_key()
    await store_key(database, org, key, name="caja", scopes=[Scope.READ, Scope.ADMIN], audience=["cajas"])
    async with gateway.client(key) as limited:
        reply = (await limited.post("/v1/documents/reprocess", json={})).json()
    assert (len(reply["started"]), reply["outdated"]) == (1, 0)
    assert (await client.post("/v1/documents/reprocess", json={"dry_run": True})).json()["outdated"] == 1


async def test_what_was_left_out_is_told_with_its_reason_and_pages(
    client: httpx.AsyncClient, database: Database, org: UUID
) -> None:
    document_id = (await put(client, "a.pdf", b"a"))["document_id"]
    parsed = replace(
        parsed_document(),
        removed=(
            Removal(RemovalReason.RUNNING_LINE, 1, "La Espiga"),
            Removal(RemovalReason.UNREADABLE, 2, "\x00\ud800\x01"),
            Removal(RemovalReason.RUNNING_LINE, 3, "La Espiga"),
            Removal(RemovalReason.HIDDEN, None, "La Espiga"),
        ),
    )
    async with database.tenant(org) as connection:
        await save_parsed(connection, org, UUID(document_id), 1, parsed)
    outline = (await client.get(f"/v1/documents/{document_id}/outline")).json()
    assert outline["removed"] == [
        {"reason": "running_line", "text": "La Espiga", "pages": [1, 3]},
        {"reason": "unreadable", "text": "\ufffd\ufffd\x01", "pages": [2]},
        {"reason": "hidden", "text": "La Espiga", "pages": []},
    ]
    assert outline["unindexed"] is None
    async with database.tenant(org) as connection:
        await save_unindexed(connection, org, UUID(document_id), 1, [("contents", 0, 8)])
    outline = (await client.get(f"/v1/documents/{document_id}/outline")).json()
    assert outline["unindexed"] == [{"reason": "contents", "char_start": 0, "char_end": 8}]
