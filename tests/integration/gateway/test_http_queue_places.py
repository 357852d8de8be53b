"""How much waits ahead of a document: turn by turn over the organisations, as the dispatcher hands work out."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
from tests.conftest import DatabaseUrls
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.auth import create_organization
from skillnet_common.database import Database
from skillnet_dispatcher.domain.fairness import Turns
from skillnet_gateway import places
from skillnet_gateway.places import waiting_ahead


@pytest.fixture(autouse=True)
async def nothing_else_waits(database_urls: DatabaseUrls) -> None:
    """The queue is every tenant's: other tests' work would count."""
    connection = await asyncpg.connect(database_urls.admin)
    try:
        await connection.execute(
            "UPDATE skillnet.work SET state = 'cancelled' WHERE state IN ('waiting', 'released')"
        )
    finally:
        await connection.close()


@pytest.fixture
def pipeline(database: Database, org: UUID) -> Pipeline:
    return Pipeline(database, org, chunks=3)


async def waiting(database: Database, pieces: int, org_id: UUID | None = None) -> UUID:
    """An organisation with so many uploads that wait."""
    if org_id is None:
        org_id = uuid4()
        await create_organization(database, org_id, "Otra")
    pipeline = Pipeline(database, org_id)
    for number in range(pieces):
        await pipeline.upload(f"doc {number}", "text")
    return org_id


async def ahead(database: Database, org: UUID) -> list[int | None]:
    """Of every document of the organisation, oldest first."""
    async with database.tenant(org) as connection:
        rows = await connection.fetch(
            "SELECT document_id, newest_version FROM documents JOIN work USING (document_id) ORDER BY work_id"
        )
        versions = [(row["document_id"], row["newest_version"]) for row in rows]
        found = await waiting_ahead(connection, org, versions)
    return [found.get(document) for document, _ in versions]


async def test_alone_it_is_the_place_in_the_own_queue(database: Database, org: UUID) -> None:
    await waiting(database, 4, org)
    assert await ahead(database, org) == [0, 1, 2, 3]


async def test_a_long_queue_elsewhere_costs_no_more_than_its_turns(database: Database, org: UUID) -> None:
    await waiting(database, 30)
    await waiting(database, 1)
    await waiting(database, 3, org)
    # One turn of each other tenant before the first, then what is left of them.
    assert await ahead(database, org) == [2, 1 + 2 + 1, 2 + 3 + 1]


async def test_the_dispatcher_hands_out_no_more_than_that_before(database: Database, org: UUID) -> None:
    others = {await waiting(database, count): count for count in (7, 2, 12)}
    await waiting(database, 5, org)
    estimates = await ahead(database, org)
    queues = {**others, org: 5}
    order: list[UUID] = []
    turns, left = Turns(), dict(queues)
    while any(left.values()):
        (chosen,) = turns.share_out(1, left, {tenant: queues[tenant] - left[tenant] for tenant in queues})
        order.append(chosen)
        left[chosen] -= 1
    real = [place for place, tenant in enumerate(order) if tenant == org]
    for estimate, place in zip(estimates, real, strict=True):
        assert estimate is not None
        assert place <= estimate <= place + len(others), "within one turn of every other tenant"


async def test_what_is_out_or_not_due(database: Database, org: UUID, pipeline: Pipeline) -> None:
    await waiting(database, 5)
    first = await pipeline.upload("uno", "text")
    await pipeline.upload("dos", "text")
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE work SET state = 'released' WHERE document_id = $1", first.document_id)
    assert await ahead(database, org) == [0, 1]
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE work SET state = 'waiting', not_before = now() + interval '1 hour'")
    assert await ahead(database, org) == [None, None]


async def test_only_the_same_stage_counts(database: Database, org: UUID, pipeline: Pipeline) -> None:
    result = await pipeline.upload("manual", "text")
    for _ in range(2):
        await pipeline.deliver((await pipeline.due(result.document_id))[0])
    await waiting(database, 5)
    async with database.tenant(org) as connection:
        assert await waiting_ahead(connection, org, [(result.document_id, 1)]) == {result.document_id: 0}


async def test_a_place_far_back_is_counted_to_a_limit(
    database: Database, org: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "MOST_COUNTED", 3)
    await waiting(database, 9)
    await waiting(database, 5, org)
    assert await ahead(database, org) == [1, 3, 5, 6, 6]


async def test_over_http_while_under_way_only(
    client: httpx.AsyncClient, database: Database, pipeline: Pipeline, org: UUID
) -> None:
    await waiting(database, 2)
    result = await pipeline.upload("manual", "text")
    address = f"/v1/documents/{result.document_id}"
    assert (await client.get(address)).json()["progress"]["waiting_ahead"] == 1
    (listed,) = (await client.get("/v1/documents")).json()["documents"]
    assert listed["progress"] == {"stage": "parse", "batches_done": 0, "batches_total": 0, "waiting_ahead": 1}
    await pipeline.drain()
    assert (await client.get(address)).json()["progress"] is None


async def test_no_tenant_sees_the_queues_of_others_one_by_one(database: Database, org: UUID) -> None:
    other = await waiting(database, 4)
    async with database.tenant(org) as connection:
        rows = await connection.fetch(
            "SELECT * FROM waiting_elsewhere('parse', NULL, ARRAY[1, 9], 100) ORDER BY turn"
        )
        assert [dict(row) for row in rows] == [{"turn": 1, "pieces": 1}, {"turn": 9, "pieces": 4}]
        assert await connection.fetch("SELECT 1 FROM work WHERE org_id = $1", other) == []
    async with database.system() as connection:
        with pytest.raises(asyncpg.PostgresError, match="no tenant is set"):
            await connection.fetch("SELECT * FROM waiting_elsewhere('parse', NULL, ARRAY[1], 100)")


async def test_a_piece_that_is_handed_out_meanwhile_is_not_at_the_end_of_the_queue(
    client: httpx.AsyncClient, database: Database, org: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    await waiting(database, 2, org)
    counted = places._ahead_in

    async def handed_out_first(*given: Any) -> dict[UUID, int]:
        async with database.tenant(org) as other:
            await other.execute("UPDATE work SET state = 'released' WHERE state = 'waiting'")
        return await counted(*given)

    monkeypatch.setattr(places, "_ahead_in", handed_out_first)
    listed = (await client.get("/v1/documents")).json()["documents"]
    assert sorted(document["progress"]["waiting_ahead"] for document in listed) == [0, 1]
