"""Work that was given up, over HTTP: listed, looked at, replayed once."""

from __future__ import annotations

from uuid import UUID, uuid4

import httpx
import pytest
from structlog.testing import capture_logs
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.database import Database

from .conftest import RunningGateway

PATH = "/v1/quarantine"


@pytest.fixture
def pipeline(database: Database, org: UUID) -> Pipeline:
    return Pipeline(database, org)


async def given_up(pipeline: Pipeline, key: str, **fields: object) -> UUID:
    """Parse work of a new document."""
    result = await pipeline.upload(key, "text", **fields)
    claim = await pipeline.table.claim((await pipeline.due(result.document_id))[0])
    assert claim is not None
    return await pipeline.give_up(claim)


async def test_given_up_work_is_listed_with_its_reason_and_replayed_once(
    client: httpx.AsyncClient, pipeline: Pipeline
) -> None:
    work_id = await given_up(pipeline, "manual")
    (listed,) = (await client.get(PATH)).json()["work"]
    assert listed == (await client.get(f"{PATH}/{work_id}")).json()
    assert listed["work_id"] == str(work_id)
    assert (listed["stage"], listed["attempts"], listed["last_error"]) == ("parse", 1, "it hurts")
    assert (listed["version"], listed["external_key"], listed["outrun"]) == (1, "manual", False)
    with capture_logs() as logs:
        reply = await client.post(f"{PATH}/{work_id}/replay")
    assert (reply.status_code, reply.json()) == (
        200,
        {"document_id": listed["document_id"], "version": 1, "stage": "parse"},
    )
    assert [entry["work_id"] for entry in logs if entry["event"] == "work_replayed"] == [str(work_id)]
    document = (await client.get(f"/v1/documents/{listed['document_id']}")).json()
    assert (document["status"], document["failure"]) == ("processing", None)
    again = await client.post(f"{PATH}/{work_id}/replay")
    assert (again.status_code, again.json()["code"]) == (409, "not_quarantined")
    assert (await client.get(PATH)).json() == {"work": [], "next_cursor": None}
    assert (await client.get(f"{PATH}/{work_id}")).status_code == 404
    await pipeline.drain()
    assert (await client.get(f"/v1/documents/{listed['document_id']}")).json()["status"] == "ready"


async def test_pages_hold_every_piece_once_newest_first(client: httpx.AsyncClient, pipeline: Pipeline) -> None:
    ids = [str(await given_up(pipeline, f"manual {number}")) for number in range(5)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = (await client.get(PATH, params={"limit": 2} | ({"cursor": cursor} if cursor else {}))).json()
        seen += [one["work_id"] for one in page["work"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(ids, reverse=True)
    assert (await client.get(PATH, params={"cursor": "x"})).json()["code"] == "invalid_request"


async def test_what_a_newer_version_outran_says_so(client: httpx.AsyncClient, pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, "manual")
    await pipeline.upload("manual", "newer")
    await pipeline.drain()
    assert (await client.get(f"{PATH}/{work_id}")).json()["outrun"] is True
    refused = await client.post(f"{PATH}/{work_id}/replay")
    assert (refused.status_code, refused.json()["code"]) == (409, "version_outrun")


async def test_what_was_deleted_is_gone(client: httpx.AsyncClient, pipeline: Pipeline) -> None:
    work_id = await given_up(pipeline, "manual")
    document_id = (await client.get(f"{PATH}/{work_id}")).json()["document_id"]
    await client.delete(f"/v1/documents/{document_id}")
    await pipeline.upload("manual", "back again")
    assert (await client.get(PATH)).json()["work"] == []
    for reply in (await client.get(f"{PATH}/{work_id}"), await client.post(f"{PATH}/{work_id}/replay")):
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")


async def test_only_administrators_of_the_tenant_and_of_the_documents_groups(
    gateway: RunningGateway, pipeline: Pipeline, database: Database, other_org: UUID
) -> None:
    work_id = await given_up(pipeline, "manual", audience=["tienda"])
    keys = {"reader": new_key(), "other tenant": new_key(), "other group": new_key(), "group": new_key()}
    await store_key(database, pipeline.org_id, keys["reader"], name="r", scopes=[Scope.READ, Scope.WRITE])
    await store_key(database, other_org, keys["other tenant"], name="o")
    await store_key(database, pipeline.org_id, keys["other group"], name="g", audience=["oficina"])
    await store_key(database, pipeline.org_id, keys["group"], name="g", audience=["tienda"])
    statuses = {}
    for name, key in keys.items():
        async with gateway.client(key) as http:
            listed = await http.get(PATH)
            replies = [await http.get(f"{PATH}/{work_id}"), await http.post(f"{PATH}/{work_id}/replay")]
            statuses[name] = [len(listed.json().get("work", [])), *(reply.status_code for reply in replies)]
    assert statuses == {
        "reader": [0, 403, 403],
        "other tenant": [0, 404, 404],
        "other group": [0, 404, 404],
        "group": [1, 200, 200],
    }


async def test_an_id_that_never_was(client: httpx.AsyncClient) -> None:
    assert (await client.post(f"{PATH}/{uuid4()}/replay")).json()["code"] == "not_found"
    assert (await client.get(f"{PATH}/nonsense")).json()["code"] == "invalid_request"
