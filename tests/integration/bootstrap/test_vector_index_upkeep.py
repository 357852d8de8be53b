"""The pass that builds, renews and drops large tenants' vector indexes, beside services that write."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import AsyncIterator

import pytest
from benchmarks.topics import TopicalTenant, load, topical_tenant
from tests.integration.retriever.topical import Topical, recall, topical

from skillnet_bootstrap.vector_indexes import BuildSettings, maintain_indexes
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.database.vector_indexes import index_name
from skillnet_common.errors import PassingFault
from skillnet_common.runtime.entry import EX_CONFIG

EXACT = 1_000
SIZE = 1_500
DIMENSION = 64
SEEDS = itertools.count()
DELETE_VECTORS = "DELETE FROM chunk_embeddings WHERE chunk_id = ANY ($1)"
TAKE_VECTOR = (
    "DELETE FROM chunk_embeddings WHERE chunk_id = $1"
    " RETURNING org_id, model_id, chunk_id, document_id, version, embedding"
)
PUT_VECTOR = (
    "INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)"
    " VALUES ($1, $2, $3, $4, $5, $6)"
)
BUILDING = "SELECT EXISTS (SELECT FROM pg_stat_progress_create_index WHERE phase LIKE 'building index%')"


@pytest.fixture(scope="module")
async def world(postgres: EmbeddedPostgres) -> AsyncIterator[Topical]:
    """A tenant below the limit."""
    async with topical(postgres, topical_tenant(200, questions=1, dimension=DIMENSION), exact_chunks=EXACT) as made:
        yield made


@pytest.fixture
async def tenant(world: Topical) -> AsyncIterator[TopicalTenant]:
    """One above the limit, without an index yet; the only one of its kind."""
    made = topical_tenant(SIZE, questions=10, dimension=DIMENSION, seed=next(SEEDS))
    await load(world.admin, made, 1)
    yield made
    await world.admin.execute("DELETE FROM chunk_embeddings WHERE org_id = $1", made.org_id)
    await world.maintain()
    assert await world.indexes() == []


async def test_the_large_tenant_gets_an_index_once(world: Topical, tenant: TopicalTenant) -> None:
    (outcome,) = await world.maintain()
    assert (outcome.org_id, outcome.action, outcome.chunks) == (tenant.org_id, "built", len(tenant.vectors))
    assert outcome.recall is not None
    assert outcome.recall >= 0.98
    assert await world.indexes() == [index_name(1, tenant.org_id)]
    assert await world.maintain() == []


async def test_it_goes_well_below_the_limit(world: Topical, tenant: TopicalTenant) -> None:
    await world.maintain()
    await world.admin.execute(DELETE_VECTORS, [tenant.chunk_id(n) for n in range(700)])
    assert await world.maintain() == []
    await world.admin.execute(DELETE_VECTORS, [tenant.chunk_id(n) for n in range(700, 800)])
    assert [(one.action, one.chunks) for one in await world.maintain()] == [("dropped", 700)]
    assert await world.indexes() == []


async def test_the_index_of_a_tenant_without_vectors_goes(world: Topical, tenant: TopicalTenant) -> None:
    await world.maintain()
    await world.admin.execute("DELETE FROM chunk_embeddings WHERE org_id = $1", tenant.org_id)
    assert [(one.org_id, one.action) for one in await world.maintain()] == [(tenant.org_id, "dropped")]
    assert await world.indexes() == []


async def test_one_whose_tenant_has_grown_by_half_is_built_anew(world: Topical, tenant: TopicalTenant) -> None:
    await world.maintain()
    await world.admin.execute(f"COMMENT ON INDEX {index_name(1, tenant.org_id)} IS '{{\"chunks\": 1001}}'")
    assert await world.maintain() == []
    await world.admin.execute(f"COMMENT ON INDEX {index_name(1, tenant.org_id)} IS '{{\"chunks\": 999}}'")
    assert [(one.action, one.chunks) for one in await world.maintain()] == [("built", SIZE)]
    assert await world.indexes() == [index_name(1, tenant.org_id)]


async def test_one_that_was_interrupted_is_built_anew(world: Topical, tenant: TopicalTenant) -> None:
    await world.admin.execute(
        f"CREATE INDEX {index_name(1, tenant.org_id)}_draft ON chunk_embeddings_1"
        f" USING hnsw ((embedding::halfvec({DIMENSION})) halfvec_ip_ops) WHERE org_id = '{tenant.org_id}'"
    )
    assert [one.action for one in await world.maintain()] == ["built"]
    assert await world.indexes() == [index_name(1, tenant.org_id)]


async def test_one_that_finds_too_little_is_not_kept(world: Topical) -> None:
    tenant = topical_tenant(8_000, questions=10, dimension=DIMENSION)
    await load(world.admin, tenant, 1)
    (outcome,) = await world.maintain(links=2, effort=4)
    assert outcome.action == "refused"
    assert outcome.recall is not None
    assert outcome.recall < 0.98
    assert await world.indexes() == []
    assert recall(tenant, await world.found(tenant)) == 1
    await world.admin.execute("DELETE FROM chunk_embeddings WHERE org_id = $1", tenant.org_id)


async def test_vectors_are_deleted_and_written_while_it_is_built(world: Topical, tenant: TopicalTenant) -> None:
    building = asyncio.create_task(world.maintain(links=32, effort=400))
    during = 0
    while not building.done():
        number = during % len(tenant.vectors)
        begun = await world.admin.fetchval(BUILDING)
        async with world.database.tenant(tenant.org_id) as connection:
            row = await connection.fetchrow(TAKE_VECTOR, tenant.chunk_id(number))
        assert row is not None
        async with world.database.tenant(tenant.org_id) as connection:
            await connection.execute(PUT_VECTOR, *row)
        during += bool(begun)
    assert [one.action for one in await building] == ["built"]
    assert during > 0
    assert recall(tenant, await world.found(tenant)) >= 0.98


async def test_indexes_of_others_are_left_alone(world: Topical, tenant: TopicalTenant) -> None:
    await world.admin.execute("CREATE INDEX near_by ON organizations (created_at)")
    try:
        await world.maintain()
        assert await world.indexes() == sorted(["near_by", index_name(1, tenant.org_id)])
    finally:
        await world.admin.execute("DROP INDEX near_by")


async def test_two_passes_do_not_run_side_by_side(world: Topical, tenant: TopicalTenant) -> None:
    first, second = await asyncio.gather(world.maintain(), world.maintain())
    assert sorted([len(first), len(second)]) == [0, 1]


async def test_no_database_is_a_passing_fault(world: Topical) -> None:
    away = f"postgresql://skillnet_migrator:secret@127.0.0.1:{free_port()}/tests"
    with pytest.raises(PassingFault):
        await maintain_indexes(away, world.urls.dispatcher, BuildSettings(EXACT, memory_mb=64, links=16, effort=64))


async def run_program(environment: dict[str, str]) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "skillnet_bootstrap.indexes",
        env={"PATH": os.environ["PATH"], **environment},
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await asyncio.wait_for(process.communicate(), timeout=120)
    return process.returncode or 0, errors.decode()


async def test_the_program_does_a_pass_and_says_what_it_did(world: Topical, tenant: TopicalTenant) -> None:
    addresses = {
        "DATABASE_MIGRATOR_URL": world.urls.migrator,
        "DATABASE_DISPATCHER_URL": world.urls.dispatcher,
        "EXACT_CHUNKS": str(EXACT),
    }
    code, log = await run_program(addresses)
    assert code == 0
    assert "index_built" in log
    assert await world.indexes() == [index_name(1, tenant.org_id)]
    code, log = await run_program({**addresses, "EXACT_CHUNKS": "100000"})
    assert code == 0
    assert "index_dropped" in log
    assert await world.indexes() == []
    code, log = await run_program({"DATABASE_MIGRATOR_URL": world.urls.migrator})
    assert code == EX_CONFIG
    assert "DATABASE_DISPATCHER_URL" in log
