"""Vector indexes of tenants too large to compare one by one: built beside running services, measured, dropped again.

Only the owner of a table may index it, and no service is its owner (docs/adr/0012). Sizes and questions are read as
the dispatcher, who sees every tenant's vectors: the migrator owns them and sees none.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import structlog
from pgvector.asyncpg import register_vector

from skillnet_bootstrap.index_recall import measure_recall
from skillnet_common.database.pool import CONNECTION_ERRORS
from skillnet_common.database.vector_indexes import INDEX_PREFIX, index_name
from skillnet_common.errors import ErrorCode, PassingFault

log = structlog.get_logger(__name__)

LEAST_RECALL = 0.98
"""Of the ten nearest. An index that finds fewer is dropped: its tenant stays exact."""
_DRAFT = "_draft"
_OWN_NAMES = f"^{INDEX_PREFIX}[0-9]+_[0-9a-f]{{32}}({_DRAFT})?$"
_ALONE = "SELECT pg_try_advisory_lock(hashtext('skillnet vector indexes'))"
_GROWN = 1.5
"""An index is built anew when the tenant has grown or shrunk by so much: a graph grown row by row, or full of deleted
ones, is worse than one built at once."""
_SHRUNK = 0.75
"""Share of the size below which a tenant's index goes: a tenant at the limit does not come and go."""

_MODELS = "SELECT model_id, dimension FROM skillnet.embedding_models ORDER BY model_id"
_SIZES = "SELECT org_id, count(*) AS chunks FROM skillnet.chunk_embeddings WHERE model_id = $1 GROUP BY org_id"
_INDEXES = """
SELECT c.relname AS name, i.indisvalid AS valid, obj_description(c.oid) AS notes
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'skillnet'::regnamespace AND c.relname ~ $1
ORDER BY c.relname
"""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """`memory_mb` of maintenance_work_mem: a graph that does not fit is built many times slower. `links` and `effort`
    are HNSW's m and ef_construction."""

    exact_chunks: int
    memory_mb: int = 512
    links: int = 24
    effort: int = 200


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a tenant's index: `built` in `seconds`, `dropped`, or `refused`, whose `recall` was too low."""

    org_id: UUID
    model_id: int
    action: str
    chunks: int
    recall: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Existing:
    valid: bool
    chunks: int


async def maintain_indexes(migrator_url: str, dispatcher_url: str, settings: BuildSettings) -> list[Outcome]:
    """One pass; nothing where another pass is at work. What was interrupted is taken up by the next.

    Raises PassingFault `unavailable` where PostgreSQL cannot be reached.
    """
    try:
        async with _connected(migrator_url) as owner, _connected(dispatcher_url) as reader:
            if not await owner.fetchval(_ALONE):
                return []
            await owner.execute(f"SET maintenance_work_mem = '{int(settings.memory_mb)}MB'")
            await owner.execute("SET max_parallel_maintenance_workers = 0")
            return [outcome async for outcome in _maintain(owner, reader, settings)]
    except CONNECTION_ERRORS as error:
        raise PassingFault(ErrorCode.UNAVAILABLE, f"PostgreSQL cannot be reached: {error}") from error


async def _maintain(
    owner: asyncpg.Connection[Any], reader: asyncpg.Connection[Any], settings: BuildSettings
) -> AsyncIterator[Outcome]:
    existing = await _existing(owner)
    for name in [name for name, index in existing.items() if not index.valid or name.endswith(_DRAFT)]:
        log.info("interrupted_index_dropped", index=name)
        await _drop(owner, name)
        del existing[name]
    for model_id, dimension in await owner.fetch(_MODELS):
        sizes = {row["org_id"]: row["chunks"] for row in await reader.fetch(_SIZES, model_id)}
        for org_id, chunks in sizes.items():
            index = existing.pop(index_name(model_id, org_id), None)
            if index is not None and chunks <= settings.exact_chunks * _SHRUNK:
                await _drop(owner, index_name(model_id, org_id))
                yield Outcome(org_id, model_id, "dropped", chunks)
            elif chunks > settings.exact_chunks and (index is None or _has_changed(index.chunks, chunks)):
                tenant = _Tenant(org_id, model_id, dimension, chunks)
                yield await _build(owner, reader, tenant, settings)
    for name in existing:  # of tenants that have left
        await _drop(owner, name)
        model_id, org_id = _parsed(name)
        yield Outcome(org_id, model_id, "dropped", 0)


@dataclass(frozen=True, slots=True)
class _Tenant:
    org_id: UUID
    model_id: int
    dimension: int
    chunks: int


async def _build(
    owner: asyncpg.Connection[Any], reader: asyncpg.Connection[Any], tenant: _Tenant, settings: BuildSettings
) -> Outcome:
    """Beside reads and writes: CREATE INDEX CONCURRENTLY. Until it bears its name no search looks for it."""
    name = index_name(tenant.model_id, tenant.org_id)
    begun = time.monotonic()
    log.info("index_begun", org_id=str(tenant.org_id), chunks=tenant.chunks)
    await owner.execute(
        f"CREATE INDEX CONCURRENTLY {name}{_DRAFT} ON skillnet.chunk_embeddings_{tenant.model_id}"
        f" USING hnsw ((embedding::public.halfvec({tenant.dimension})) public.halfvec_ip_ops)"
        f" WITH (m = {int(settings.links)}, ef_construction = {int(settings.effort)})"
        f" WHERE org_id = '{tenant.org_id}'"
    )
    seconds = time.monotonic() - begun
    await _drop(owner, name)  # an older one; while there is none, searches compare one by one
    recall = await measure_recall(reader, tenant.org_id, tenant.model_id, tenant.dimension)
    if recall < LEAST_RECALL:
        await _drop(owner, name + _DRAFT)
        log.error("index_refused", org_id=str(tenant.org_id), chunks=tenant.chunks, recall=recall)
        return Outcome(tenant.org_id, tenant.model_id, "refused", tenant.chunks, recall, seconds)
    async with owner.transaction():
        notes = json.dumps({"chunks": tenant.chunks, "recall": round(recall, 3)})
        await owner.execute(f"COMMENT ON INDEX skillnet.{name}{_DRAFT} IS '{notes}'")
        await owner.execute(f"ALTER INDEX skillnet.{name}{_DRAFT} RENAME TO {name}")
    return Outcome(tenant.org_id, tenant.model_id, "built", tenant.chunks, recall, seconds)


async def _drop(owner: asyncpg.Connection[Any], name: str) -> None:
    await owner.execute(f"DROP INDEX CONCURRENTLY IF EXISTS skillnet.{name}")


async def _existing(owner: asyncpg.Connection[Any]) -> dict[str, _Existing]:
    rows: Sequence[Mapping[str, Any]] = await owner.fetch(_INDEXES, _OWN_NAMES)
    return {row["name"]: _Existing(row["valid"], json.loads(row["notes"] or "{}").get("chunks", 0)) for row in rows}


def _has_changed(then: int, now: int) -> bool:
    return not then / _GROWN < now < then * _GROWN


def _parsed(name: str) -> tuple[int, UUID]:
    model_id, org = name.removeprefix(INDEX_PREFIX).split("_")
    return int(model_id), UUID(hex=org)


@asynccontextmanager
async def _connected(url: str) -> AsyncIterator[asyncpg.Connection[Any]]:
    connection = await asyncpg.connect(url, timeout=10)
    try:
        await register_vector(connection, schema="public")
        yield connection
    finally:
        await connection.close()
