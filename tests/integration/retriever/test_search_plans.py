"""The plans of both legs under row-level security, on a table of several tenants and models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import numpy as np
import pytest
from pgvector import HalfVector
from tests.conftest import create_database

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database import Database, migrate
from skillnet_retriever import statements
from skillnet_retriever.domain.spelling import near_words

DIMENSION = 384
DOCUMENTS = 20
CHUNKS = 60
TENANTS = 5

FILL_DOCUMENTS = """
INSERT INTO documents (org_id, document_id, source, external_key, title, processing_status, language,
                       newest_version, promoted_version, live_version)
SELECT $1, gen_random_uuid(), 'upload', d::text, 'Documento ' || d, 'ready', 'es', 1, 1, 1
FROM generate_series(1, $2::integer) d
"""
FILL_VERSIONS = """
INSERT INTO document_versions (org_id, document_id, version, state, file_name, object_key, content_sha256, size_bytes,
                               pipeline_fingerprint, title, expected_chunks, lexeme_count)
SELECT org_id, document_id, 1, 'ready', 'f', 'o', sha256('a'), 1, 'p', title, $2::integer, $2::integer * 40
FROM documents WHERE org_id = $1
"""
FILL_CHUNKS = """
INSERT INTO document_chunks (org_id, chunk_id, document_id, version, chunk_index, chunk_total, kind, section_index,
                             section_id, section_path, heading, header, body, char_start, char_end, token_count,
                             language, content_hash, embed_hash)
SELECT d.org_id, gen_random_uuid(), d.document_id, 1, i, $2::integer, 'text', 0, 's', '{}', '', '',
       'palabra' || (i * 7 % 97) || ' termino' || (i * 13 % 401) || repeat(' relleno', 40), i * 10, i * 10 + 9, 10,
       'es', sha256('a'), sha256(i::text::bytea)
FROM documents d, generate_series(0, $2::integer - 1) i WHERE d.org_id = $1
"""
FILL_POSTINGS = """
INSERT INTO chunk_postings (org_id, lexeme, document_id, version, entries)
SELECT d.org_id, 'palabra' || w, d.document_id, 1, ARRAY[((w % $2::integer)::bigint << 32) | (1 << 16) | 40]
FROM documents d, generate_series(0, 400) w WHERE d.org_id = $1
"""
FILL_VECTORS = """
INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)
SELECT c.org_id, m, c.chunk_id, c.document_id, 1, $2
FROM document_chunks c, generate_series(1, 2) m WHERE c.org_id = $1
"""


@pytest.fixture(scope="module")
async def crowded(postgres: EmbeddedPostgres) -> tuple[str, list[UUID]]:
    """A database of its own: five tenants with 1,200 chunks each, two models; statistics are fresh."""
    urls = await create_database(postgres, "plans")
    await migrate(urls.migrator)
    migrator = await asyncpg.connect(urls.migrator)
    for slug in ("one", "two"):
        await migrator.execute("SELECT register_model($1, $1, $1, $2, '{}')", slug, DIMENSION)
    await migrator.close()
    database = await Database.connect(urls.service, size=1)
    orgs = [uuid4() for _ in range(TENANTS)]
    for org in orgs:
        async with database.tenant(org) as connection:
            await connection.execute("INSERT INTO organizations (org_id, name) VALUES ($1, 'x')", org)
            await connection.execute(FILL_DOCUMENTS, org, DOCUMENTS)
            for statement in (FILL_VERSIONS, FILL_CHUNKS, FILL_POSTINGS):
                await connection.execute(statement, org, CHUNKS)
            await connection.execute(FILL_VECTORS, org, HalfVector(np.full(DIMENSION, DIMENSION**-0.5, np.float32)))
    await database.close()
    admin = await asyncpg.connect(urls.admin)
    await admin.execute("VACUUM ANALYZE")
    await admin.close()
    return urls.service, orgs


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from nodes(child)


async def plan_of(crowded: tuple[str, list[UUID]], filters: Filters) -> list[dict[str, Any]]:
    """The nodes of both legs' generic plans, as they are run."""
    org = crowded[1][2]
    vector = HalfVector(np.full(DIMENSION, DIMENSION**-0.5, np.float32))
    words = statements.keyword_search(org, "palabra7 palabra8 palabra300", filters)
    return await plans_of(crowded, words, statements.semantic_search(org, 50, filters, vector, 1))


async def plans_of(crowded: tuple[str, list[UUID]], *legs: statements.Statement) -> list[dict[str, Any]]:
    """The nodes of the statements' generic plans."""
    url, orgs = crowded
    found: list[dict[str, Any]] = []
    database = await Database.connect(url, size=1)
    try:
        async with database.snapshot(orgs[2], settings={"plan_cache_mode": "force_generic_plan"}) as snapshot:
            for number, leg in enumerate(legs):
                name = f"leg_{number}"
                await snapshot.connection.execute(f"PREPARE {name} AS {leg.text}")
                values = ", ".join(map(literal, leg.parameters))
                explained = await snapshot.connection.fetchval(
                    f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE {name}({values})"
                )
                found += nodes(json.loads(explained)[0]["Plan"])
    finally:
        await database.close()
    return found


def literal(value: object) -> str:
    if isinstance(value, HalfVector):
        return f"'{value.to_list()}'"
    if isinstance(value, list):
        return f"ARRAY{value}"
    return str(value) if isinstance(value, int) else f"'{value}'"


def scans(plan: list[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    return [node for node in plan if str(node.get("Relation Name", "")).startswith(prefix)]


@pytest.mark.parametrize("filters", [Filters(), Filters(section_path=["x"]), Filters(course_id="c")])
async def test_the_vector_leg_reads_the_serving_models_partition_of_the_tenant_only(
    crowded: tuple[str, list[UUID]], filters: Filters
) -> None:
    plan = await plan_of(crowded, filters)
    vectors = scans(plan, "chunk_embeddings")
    assert {node["Relation Name"] for node in vectors} == {"chunk_embeddings_1"}
    for node in vectors:
        assert "Index" in node["Node Type"] or "Bitmap" in node["Node Type"]
        assert "org_id" in node.get("Index Cond", node.get("Recheck Cond", ""))


async def test_vectors_are_read_once_and_none_from_toast(crowded: tuple[str, list[UUID]]) -> None:
    plan = await plan_of(crowded, Filters())
    scanned = max(scans(plan, "chunk_embeddings"), key=lambda node: node["Actual Rows"] * node["Actual Loops"])
    assert scanned["Actual Rows"] * scanned["Actual Loops"] == DOCUMENTS * CHUNKS
    touched = scanned["Shared Hit Blocks"] + scanned["Shared Read Blocks"]
    # A page a row, where the rows are taken in the order of an index, and a few of the index. TOAST would add three
    # pages a row.
    assert touched < 2 * DOCUMENTS * CHUNKS


async def test_the_keyword_leg_finds_postings_by_tenant_and_lexeme(crowded: tuple[str, list[UUID]]) -> None:
    plan = await plan_of(crowded, Filters())
    (postings,) = [node for node in plan if str(node.get("Index Name", "")).startswith("chunk_postings")]
    assert postings["Index Name"] == "chunk_postings_pkey"
    assert "org_id" in postings["Index Cond"]
    assert "lexeme" in postings["Index Cond"]
    assert postings["Actual Rows"] * postings["Actual Loops"] <= 3 * DOCUMENTS
    assert not [node for node in scans(plan, "chunk_postings") if node["Node Type"] == "Seq Scan"]


async def test_misspelt_words_and_phrases_are_looked_up_by_tenant_and_lexeme(
    crowded: tuple[str, list[UUID]],
) -> None:
    org = crowded[1][2]
    near = {1: near_words("palabro")}
    corrections = statements.corrections(org, near, "spanish", Filters())
    phrases = statements.holding(org, ["palabra7 termino13", "relleno"], [False, True], Filters())
    for statement in (corrections, phrases):
        plan = await plans_of(crowded, statement)
        assert not [node for node in scans(plan, "chunk_postings") if node["Node Type"] == "Seq Scan"]
        # Itself an index scan, or below a bitmap of its rows.
        (postings,) = [node for node in plan if str(node.get("Index Name", "")).startswith("chunk_postings")]
        assert postings["Index Name"] == "chunk_postings_pkey"
        assert "org_id" in postings["Index Cond"]
        assert "lexeme" in postings["Index Cond"]
        assert postings["Actual Loops"] <= 2 * len(near[1])
        read = sum(node["Actual Rows"] * node["Actual Loops"] for node in scans(plan, "document_chunks"))
        assert read <= 2 * DOCUMENTS


async def test_wide_rows_are_read_for_candidates_only(crowded: tuple[str, list[UUID]]) -> None:
    plan = await plan_of(crowded, Filters())
    read = sum(node["Actual Rows"] * node["Actual Loops"] for node in scans(plan, "document_chunks"))
    assert read <= 100
