"""A large tenant's vectors are sought in an index, and found as by comparing one by one: any filter, any asker."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import numpy as np
import pytest
from benchmarks.topics import CHUNKS_A_DOCUMENT, topical_tenant
from pgvector import HalfVector
from tests.integration.retriever.topical import CANDIDATES, Topical, chunks_of, recall, topical

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.vector_indexes import DEFAULT_WALK, index_name
from skillnet_retriever import statements
from skillnet_retriever.statements import Indexed

DIMENSION = 128
EXACT = 1_000
LARGE = topical_tenant(5_000, questions=20, dimension=DIMENSION)
SMALL = topical_tenant(300, questions=5, dimension=DIMENSION)
DOCUMENTS = range(len(LARGE.documents))
LEAST_RECALL = 0.98


@pytest.fixture(scope="module")
async def world(postgres: EmbeddedPostgres) -> AsyncIterator[Topical]:
    """A tenant above the limit, with its index, and one below."""
    async with topical(postgres, LARGE, SMALL, exact_chunks=EXACT) as made:
        await made.maintain()
        assert await made.indexes() == [index_name(1, LARGE.org_id)]
        yield made


async def test_the_whole_tenant_loaded_topic_by_topic_is_found(world: Topical) -> None:
    found = await world.found(LARGE)
    assert recall(LARGE, found) >= LEAST_RECALL
    assert {len(ids) for ids in found} == {CANDIDATES}


@pytest.mark.parametrize(
    "keeps",
    [
        lambda n: n % 10 > 0,  # most documents
        lambda n: n % 2,  # every other one
        lambda n: (n // 20) % 2,  # whole topics, so that many a question's own is left out
        lambda n: n < 30,  # a little more than the limit
        lambda n: n < 4,  # far less
        lambda n: n == 7,  # as many chunks as candidates
    ],
    ids=["most", "half", "topics", "above", "below", "one"],
)
async def test_with_filters_as_many_and_the_same_are_found(world: Topical, keeps: Callable[[int], bool]) -> None:
    kept = {n for n in DOCUMENTS if keeps(n)}
    found = await world.found(LARGE, Filters(document_ids=[LARGE.documents[n] for n in sorted(kept)]))
    scope = chunks_of(kept, LARGE)
    assert recall(LARGE, found, scope) >= LEAST_RECALL
    assert {len(ids) for ids in found} == {min(CANDIDATES, len(scope))}
    assert {one for ids in found for one in ids} <= {LARGE.chunk_id(n) for n in scope}


@pytest.mark.parametrize("first", [2, 26, 50])
async def test_with_filters_inside_documents_too(world: Topical, first: int) -> None:
    scope = [n for n in range(len(LARGE.vectors)) if n % CHUNKS_A_DOCUMENT + 1 >= first]
    found = await world.found(LARGE, Filters(page_from=first))
    assert recall(LARGE, found, scope) >= LEAST_RECALL
    assert {len(ids) for ids in found} == {CANDIDATES}


async def test_documents_hidden_from_the_asker_are_neither_found_nor_missed(world: Topical) -> None:
    hidden = {n for n in DOCUMENTS if n % 3 == 0}
    ids = [LARGE.documents[n] for n in hidden]
    await world.admin.execute("UPDATE documents SET audience = '{jefes}' WHERE document_id = ANY ($1)", ids)
    try:
        scope = chunks_of(set(DOCUMENTS) - hidden, LARGE)
        found = await world.found(LARGE, groups=("ventas",))
        assert recall(LARGE, found, scope) >= LEAST_RECALL
        assert {len(one) for one in found} == {CANDIDATES}
        assert {one for ids in found for one in ids} <= {LARGE.chunk_id(n) for n in scope}
        assert recall(LARGE, await world.found(LARGE, groups=("jefes",))) >= LEAST_RECALL
    finally:
        await world.admin.execute("UPDATE documents SET audience = NULL")


async def test_what_is_no_longer_live_and_what_is_deleted_leaves_no_gap(world: Topical) -> None:
    gone, old = {n for n in DOCUMENTS if n % 4 == 0}, {n for n in DOCUMENTS if n % 4 == 1}
    await world.admin.execute(
        "UPDATE documents SET live_version = NULL WHERE document_id = ANY ($1)", [LARGE.documents[n] for n in old]
    )
    rows = await world.admin.fetch(
        "DELETE FROM chunk_embeddings WHERE document_id = ANY ($1)"
        " RETURNING org_id, model_id, chunk_id, document_id, version, embedding",
        [LARGE.documents[n] for n in gone],
    )
    await world.admin.execute(
        "UPDATE documents SET live_version = NULL WHERE document_id = ANY ($1)", [LARGE.documents[n] for n in gone]
    )
    try:
        found = await world.found(LARGE)
        assert recall(LARGE, found, chunks_of(set(DOCUMENTS) - gone - old, LARGE)) >= LEAST_RECALL
        assert {len(ids) for ids in found} == {CANDIDATES}
    finally:
        await world.admin.copy_records_to_table("chunk_embeddings", records=map(tuple, rows))
        await world.admin.execute("UPDATE documents SET live_version = 1")
    assert recall(LARGE, await world.found(LARGE)) >= LEAST_RECALL


async def test_a_small_tenant_is_found_whole(world: Topical) -> None:
    assert recall(SMALL, await world.found(SMALL)) == 1


async def plan_of(world: Topical, filters: Filters, *, exact_chunks: int) -> dict[str, Any]:
    """The generic plan of the semantic leg as the service's role runs it."""
    vector = HalfVector(LARGE.questions[0])
    leg = statements.semantic_search(LARGE.org_id, CANDIDATES, filters, vector, 1, Indexed(DIMENSION, exact_chunks))
    settings = {"plan_cache_mode": "force_generic_plan", **DEFAULT_WALK.of_postgresql}
    documents = [
        f"ARRAY{[str(one) for one in value]}::uuid[]" for value in leg.parameters[3:] if isinstance(value, list)
    ]
    values = [f"'{LARGE.org_id}'", str(CANDIDATES), f"'{vector.to_list()}'", *documents]
    async with world.database.snapshot(LARGE.org_id, settings=settings) as snapshot:
        await snapshot.connection.execute(f"PREPARE near AS {leg.text}")
        try:
            explained = await snapshot.connection.fetchval(
                f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE near({', '.join(values)})"
            )
        finally:
            await snapshot.connection.execute("DEALLOCATE near")
    plan: dict[str, Any] = json.loads(explained)[0]["Plan"]
    return plan


def times_walked(plan: dict[str, Any]) -> int:
    """How often the plan went through the tenant's index; 0 where the plan has it and did without."""
    (index,) = [node for node in nodes(plan) if node.get("Index Name") == index_name(1, LARGE.org_id)]
    return int(index["Actual Loops"])


def compared(plan: dict[str, Any]) -> int:
    """How many vectors were compared one by one."""
    return sum(
        int(node["Actual Rows"] * node["Actual Loops"])
        for node in nodes(plan)
        if str(node.get("Relation Name", "")).startswith("chunk_embeddings")
        and node.get("Index Name") != index_name(1, LARGE.org_id)
    )


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", ()) for node in nodes(child))]


async def test_a_large_scope_is_walked_under_row_level_security_and_not_compared(world: Topical) -> None:
    plan = await plan_of(world, Filters(), exact_chunks=EXACT)
    assert (times_walked(plan), compared(plan)) == (1, 0)


async def test_a_small_scope_of_a_large_tenant_is_compared_and_not_walked(world: Topical) -> None:
    plan = await plan_of(world, Filters(document_ids=LARGE.documents[:3]), exact_chunks=EXACT)
    assert (times_walked(plan), compared(plan)) == (0, 3 * CHUNKS_A_DOCUMENT)


async def test_where_the_filters_leave_out_what_is_nearest_the_rest_is_compared(world: Topical) -> None:
    own = int(np.argmax(LARGE.vectors @ LARGE.questions[0])) // CHUNKS_A_DOCUMENT
    others = [document for n, document in enumerate(LARGE.documents) if n != own]
    plan = await plan_of(world, Filters(document_ids=others), exact_chunks=EXACT)
    assert (times_walked(plan), compared(plan)) == (1, len(LARGE.vectors) - CHUNKS_A_DOCUMENT)


async def test_a_tenant_at_the_limit_is_compared_and_not_walked(world: Topical) -> None:
    size = len(LARGE.vectors)
    plan = await plan_of(world, Filters(), exact_chunks=size)
    assert (times_walked(plan), compared(plan)) == (0, size)


async def test_vectors_lie_in_their_rows(world: Topical) -> None:
    row = await world.admin.fetchrow(
        "SELECT a.attstorage::text AS storage, pg_relation_size(c.reltoastrelid) AS toasted"
        " FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding'"
        " WHERE c.oid = 'chunk_embeddings_1'::regclass"
    )
    assert row is not None
    assert (row["storage"], row["toasted"]) == ("p", 0)
