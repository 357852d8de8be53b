"""Uploads over HTTP: identity, versions, idempotency, metadata, and the objects behind them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database

from .conftest import RunGateway, RunningGateway


async def upload(client: httpx.AsyncClient, content: bytes, name: str = "manual.md", **more: Any) -> httpx.Response:
    headers = {"Idempotency-Key": more.pop("key")} if "key" in more else {}
    return await client.post("/v1/documents", params={"filename": name, **more}, content=content, headers=headers)


async def object_keys(database: Database, org: UUID) -> set[str]:
    """The object keys that versions of the organisation refer to."""
    async with database.tenant(org) as connection:
        return {row["object_key"] for row in await connection.fetch("SELECT object_key FROM document_versions")}


def stored_objects(gateway: RunningGateway, org: UUID) -> set[str]:
    """The objects of the organisation that are in the store, half-written ones too."""
    return {str(path.relative_to(gateway.objects)) for path in gateway.stored() if str(org) in str(path)}


async def test_a_new_document_is_created(client: httpx.AsyncClient) -> None:
    response = await upload(client, b"# Manual", "carpeta/manual de caja.md")
    assert response.status_code == 201
    reply = response.json()
    assert (reply["version"], reply["outcome"], reply["replayed"]) == (1, "created", False)
    assert response.headers["location"] == reply["links"]["self"] == f"/v1/documents/{reply['document_id']}"
    document = (await client.get(reply["links"]["self"])).json()
    assert document["external_key"] == "carpeta/manual de caja.md"
    assert document["title"] == "manual de caja"
    assert document["versions"][0]["file_name"] == "manual de caja.md"
    assert document["versions"][0]["size_bytes"] == 8


async def test_other_bytes_are_a_new_version(client: httpx.AsyncClient) -> None:
    first = (await upload(client, b"uno")).json()
    response = await upload(client, b"dos")
    assert response.status_code == 202
    assert response.json() | {"version": 2, "outcome": "new_version"} == response.json()
    assert response.json()["document_id"] == first["document_id"]


async def test_the_same_bytes_are_unchanged_and_leave_no_second_object(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    await upload(client, b"uno")
    response = await upload(client, b"uno", title="Otro título")
    assert response.status_code == 200
    assert (response.json()["outcome"], response.json()["version"]) == ("unchanged", 1)
    assert (await client.get(response.json()["links"]["self"])).json()["title"] == "Otro título"
    assert stored_objects(gateway, org) == await object_keys(database, org)
    assert len(stored_objects(gateway, org)) == 1


async def test_the_key_names_the_document_and_the_source_keeps_keys_apart(client: httpx.AsyncClient) -> None:
    one = (await upload(client, b"uno", "a.md", external_key="k")).json()
    same = (await upload(client, b"dos", "b.md", external_key="k")).json()
    other = (await upload(client, b"uno", "a.md", external_key="k", source="wiki")).json()
    assert one["document_id"] == same["document_id"] != other["document_id"]


async def test_an_audience_stays_until_it_is_replaced_or_lifted(client: httpx.AsyncClient) -> None:
    async def audience_after(content: bytes, **parameters: Any) -> Any:
        reply = (await upload(client, content, **parameters)).json()
        return (await client.get(reply["links"]["self"])).json()["audience"]

    assert await audience_after(b"uno", audience="cajas") == ["cajas"]
    assert await audience_after(b"uno") == ["cajas"]
    assert await audience_after(b"dos") == ["cajas"]
    assert await audience_after(b"dos", audience="") is None
    assert await audience_after(b"tres", audience=["cajas", "encargados"]) == ["cajas", "encargados"]
    assert await audience_after(b"cuatro", audience="") is None


async def test_other_sizes_of_chunks_make_the_same_bytes_a_new_version(
    run_gateway: RunGateway, client: httpx.AsyncClient, api_key: str, tmp_path: Path
) -> None:
    assert (await upload(client, b"uno")).json()["outcome"] == "created"
    for sizes in ({"chunk_target_tokens": 200}, {"chunk_min_tokens": 20}, {"chunk_overlap_sentences": 0}):
        async with run_gateway(tmp_path, **sizes) as other, other.client(api_key) as there:
            assert (await upload(there, b"uno")).json()["outcome"] == "new_version"
            assert (await upload(there, b"uno")).json()["outcome"] == "unchanged"
    assert (await upload(client, b"uno")).json()["outcome"] == "new_version"


async def test_metadata_is_stored(client: httpx.AsyncClient) -> None:
    response = await upload(
        client,
        b"uno",
        title="Política de devoluciones",
        language="es",
        subject_id="s1",
        entity_id="e1",
        taxonomy="tienda/caja",
        metadata='{"área": "ventas", "n": 1.5}',
        course_id=["c2", "c1"],
        audience=["cajas", "encargados"],
    )
    document = (await client.get(response.json()["links"]["self"])).json()
    expected = {
        "title": "Política de devoluciones",
        "subject_id": "s1",
        "entity_id": "e1",
        "taxonomy": "tienda/caja",
        "metadata": {"área": "ventas", "n": 1.5},
        "courses": ["c1", "c2"],
        "audience": ["cajas", "encargados"],
    }
    assert document | expected == document
    assert document["versions"][0]["language"] == "es"


async def test_courses_are_replaced_emptied_or_left_alone(client: httpx.AsyncClient) -> None:
    async def courses(**more: Any) -> list[str]:
        reply = (await upload(client, b"uno", **more)).json()
        found: list[str] = (await client.get(reply["links"]["self"])).json()["courses"]
        return found

    assert await courses(course_id=["a", "b"]) == ["a", "b"]
    assert await courses() == ["a", "b"]
    assert await courses(course_id="c") == ["c"]
    assert await courses(course_id="") == []


async def test_a_retry_with_the_same_key_replays_the_first_reply(
    client: httpx.AsyncClient, gateway: RunningGateway, org: UUID
) -> None:
    first = await upload(client, b"uno", key="k1")
    await upload(client, b"dos")
    again = await upload(client, b"uno", key="k1")
    assert again.status_code == first.status_code == 201
    assert again.json() == first.json() | {"replayed": True}
    assert len(stored_objects(gateway, org)) == 2


@pytest.mark.parametrize("change", [{"content": b"otro"}, {"title": "otro"}, {"name": "otro.md"}])
async def test_the_same_key_with_another_request_is_refused(
    client: httpx.AsyncClient, gateway: RunningGateway, org: UUID, change: dict[str, Any]
) -> None:
    await upload(client, b"uno", key="k1")
    before = stored_objects(gateway, org)
    response = await upload(client, **{"content": b"uno", "key": "k1", **change})
    assert (response.status_code, response.json()["code"]) == (409, "idempotency_key_reused")
    assert stored_objects(gateway, org) == before
    assert len((await client.get("/v1/documents")).json()["documents"]) == 1


async def test_concurrent_uploads_with_one_key_make_one_version(
    client: httpx.AsyncClient, gateway: RunningGateway, org: UUID
) -> None:
    replies = await asyncio.gather(*(upload(client, b"uno", key="k1") for _ in range(5)))
    assert [reply.status_code for reply in replies] == [201] * 5
    assert sorted(reply.json()["replayed"] for reply in replies) == [False, True, True, True, True]
    assert {reply.json()["version"] for reply in replies} == {1}
    assert len(stored_objects(gateway, org)) == 1


async def test_concurrent_uploads_of_one_document_get_versions_of_their_own(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    replies = await asyncio.gather(*(upload(client, f"texto {n}".encode()) for n in range(6)))
    assert sorted(reply.json()["version"] for reply in replies) == [1, 2, 3, 4, 5, 6]
    assert stored_objects(gateway, org) == await object_keys(database, org)


async def test_content_of_a_known_document_is_replaced(client: httpx.AsyncClient) -> None:
    first = (await upload(client, b"uno", "a.md", external_key="k", source="wiki")).json()
    response = await client.put(first["links"]["content"], content=b"dos", headers={"Idempotency-Key": "k"})
    assert response.status_code == 202
    assert (response.json()["document_id"], response.json()["version"]) == (first["document_id"], 2)
    document = (await client.get(first["links"]["self"])).json()
    assert document["source"] == "wiki"
    assert [version["file_name"] for version in document["versions"]] == ["a.md", "a.md"]
    again = await client.put(first["links"]["content"], content=b"dos", headers={"Idempotency-Key": "k"})
    assert again.json()["replayed"] is True


async def test_content_of_a_deleted_or_unknown_document_is_not_found(
    client: httpx.AsyncClient, gateway: RunningGateway, org: UUID
) -> None:
    first = (await upload(client, b"uno")).json()
    await client.delete(first["links"]["self"])
    for path in (first["links"]["content"], f"/v1/documents/{uuid4()}/content"):
        response = await client.put(path, content=b"dos")
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert len(stored_objects(gateway, org)) == 1


async def test_a_document_deleted_while_its_content_is_sent_stays_deleted(
    client: httpx.AsyncClient, gateway: RunningGateway, org: UUID
) -> None:
    first = (await upload(client, b"uno")).json()
    half_sent, deleted = asyncio.Event(), asyncio.Event()

    async def body() -> AsyncIterator[bytes]:
        yield b"dos"
        half_sent.set()
        await deleted.wait()
        yield b"tres"

    sending = asyncio.create_task(client.put(first["links"]["content"], content=body()))
    await half_sent.wait()
    await asyncio.sleep(0.1)
    assert (await client.delete(first["links"]["self"])).status_code == 204
    deleted.set()
    response = await sending
    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert len(stored_objects(gateway, org)) == 1


async def test_an_upload_brings_a_deleted_document_back_with_a_higher_version(client: httpx.AsyncClient) -> None:
    first = (await upload(client, b"uno")).json()
    await client.delete(first["links"]["self"])
    response = await upload(client, b"uno")
    assert response.json()["document_id"] == first["document_id"]
    assert (response.status_code, response.json()["version"]) == (202, 2)
    assert (await client.get(first["links"]["self"])).status_code == 200


async def limited_key(database: Database, org: UUID, *groups: str) -> str:
    key = new_key()
    await store_key(database, org, key, name="limitada", audience=groups)
    return key


def refusal(response: httpx.Response) -> str:
    """Why an upload was forbidden."""
    assert (response.status_code, response.json()["code"]) == (403, "forbidden")
    detail: str = response.json()["detail"]
    return detail


@pytest.mark.parametrize("deleted", [False, True])
async def test_a_key_limited_to_groups_does_not_replace_or_bring_back_what_it_cannot_see(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID, deleted: bool
) -> None:
    hidden = (await upload(client, b"uno", audience="dirección")).json()
    if deleted:
        await client.delete(hidden["links"]["self"])
    async with gateway.client(await limited_key(database, org, "cajas")) as limited:
        for audience in ({}, {"audience": "cajas"}):
            assert refusal(await upload(limited, b"dos", **audience)) == (
                "This key may not write to this external_key."
            )
        response = await limited.put(hidden["links"]["content"], content=b"dos")
        assert (response.status_code, response.json()["code"]) == (404, "not_found")
    async with database.tenant(org) as connection:
        assert await connection.fetchval("SELECT newest_version FROM documents") == 1
    assert stored_objects(gateway, org) == await object_keys(database, org)


@pytest.mark.parametrize("audience", ["", "dirección", ["cajas", "dirección"]])
async def test_a_key_limited_to_groups_gives_no_other_audience(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID, audience: Any
) -> None:
    await upload(client, b"uno", "oculto.md", audience="dirección")
    async with gateway.client(await limited_key(database, org, "cajas", "encargados")) as limited:
        own = (await upload(limited, b"uno", "propio.md", audience="cajas")).json()
        refused = [await upload(limited, b"dos", name, audience=audience) for name in ("propio.md", "nuevo.md")]
        refused.append(await limited.put(own["links"]["content"], content=b"dos", params={"audience": audience}))
        refused.append(await upload(limited, b"dos", "oculto.md", audience=audience))
        assert len({refusal(response) for response in refused}) == 1, "nothing is told of a document"
        assert (await limited.get(own["links"]["self"])).json()["audience"] == ["cajas"]
    assert len((await client.get("/v1/documents")).json()["documents"]) == 2


async def test_a_new_document_of_a_key_limited_to_groups_is_of_those_groups(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    await upload(client, b"uno", "de todos.md")
    async with gateway.client(await limited_key(database, org, "cajas", "encargados")) as limited:

        async def audience_after(content: bytes, name: str, **more: Any) -> Any:
            reply = (await upload(limited, content, name, **more)).json()
            return (await limited.get(reply["links"]["self"])).json()["audience"]

        assert await audience_after(b"uno", "a.md", key="k") == ["cajas", "encargados"]
        assert (await upload(limited, b"uno", "a.md", key="k")).json()["replayed"] is True
        assert await audience_after(b"uno", "a.md", audience="cajas") == ["cajas"]
        assert await audience_after(b"dos", "a.md") == ["cajas"]
        assert await audience_after(b"dos", "de todos.md") is None


async def test_a_key_of_no_group_adds_no_document(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    async with gateway.client(await limited_key(database, org)) as limited:
        assert refusal(await upload(limited, b"uno"))
    assert (await client.get("/v1/documents")).json()["documents"] == []


async def test_of_two_first_uploads_at_once_a_limited_one_never_joins_a_hidden_document(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    async with gateway.client(await limited_key(database, org, "cajas")) as limited:
        for number in range(8):
            name = f"{number}.md"
            hidden, own = await asyncio.gather(
                upload(client, b"uno", name, audience="dirección"), upload(limited, b"dos", name)
            )
            assert (hidden.status_code, own.status_code) in {(201, 403), (202, 201)}


async def test_a_long_file_name_gives_a_title_that_fits(client: httpx.AsyncClient) -> None:
    reply = await upload(client, b"uno", "ñ" * 900 + ".md")
    assert reply.status_code == 201
    assert (await client.get(reply.json()["links"]["self"])).json()["title"] == "ñ" * 500


async def test_a_key_that_may_only_read_does_not_write(
    client: httpx.AsyncClient, gateway: RunningGateway, database: Database, org: UUID
) -> None:
    document = (await upload(client, b"uno")).json()
    key = new_key()
    await store_key(database, org, key, name="lectura", scopes=[Scope.READ])
    async with gateway.client(key) as reader:
        refused = [
            await upload(reader, b"dos"),
            await reader.put(document["links"]["content"], content=b"dos"),
            await reader.delete(document["links"]["self"]),
            await reader.post(f"{document['links']['self']}/versions/1/cancel"),
        ]
        assert {(reply.status_code, reply.json()["code"]) for reply in refused} == {(403, "forbidden")}
        assert (await reader.get(document["links"]["self"])).json()["newest_version"] == 1
