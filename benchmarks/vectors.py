"""Vectors compared one by one against those of a large tenant's index: recall and time by size and filter."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import asyncpg
import numpy as np
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from benchmarks.results import Result, progress
from benchmarks.topics import FILTERS, TopicalTenant, load, topical_tenant
from skillnet_bootstrap.vector_indexes import BuildSettings, maintain_indexes
from skillnet_cli.local.temporary import temporary_postgres
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database import ROLES, Database, bootstrap_roles, migrate, register_first_model
from skillnet_common.database.vector_indexes import DEFAULT_WALK
from skillnet_retriever import statements
from skillnet_retriever.statements import Indexed

_SIZES = (10, 1_000, 10_000, 20_000, 50_000, 200_000)
_INDEXED_ABOVE = 5_000
_QUESTIONS = 40
_CANDIDATES = 50
_DIMENSION = 384
_PASSWORD = "bench"  # noqa: S105 - of a server that lives for this run
_LEAST_RECALL = 0.98
_SETTINGS = {"plan_cache_mode": "force_generic_plan", **DEFAULT_WALK.of_postgresql}


@dataclass(frozen=True, slots=True)
class _Measured:
    recall: float
    fewest: int
    exact_ms: float
    ms: float
    slowest_ms: float


def measure() -> Iterator[Result]:
    """Yields a result a tenant and filter. `VECTOR_SIZES=10000,50000` chooses the tenants."""
    sizes = tuple(map(int, filter(None, os.environ.get("VECTOR_SIZES", "").split(",")))) or _SIZES
    with temporary_postgres({"shared_buffers": "512MB"}) as server:
        urls = {role: server.url(user=role, password=_PASSWORD) for role in ROLES}
        yield from asyncio.run(_measure(server.admin_url, urls, sizes))


async def _measure(admin_url: str, urls: Mapping[str, str], sizes: tuple[int, ...]) -> list[Result]:
    await bootstrap_roles(admin_url, dict.fromkeys(ROLES, _PASSWORD))
    await migrate(urls["skillnet_migrator"])
    await register_first_model(
        urls["skillnet_migrator"],
        slug="bench-model",
        fingerprint="bench",
        name="bench",
        dimension=_DIMENSION,
        identity={"window": 512},
    )
    tenants = []
    admin = await asyncpg.connect(admin_url, server_settings={"search_path": "skillnet,public"})
    await register_vector(admin, schema="public")
    for size in sizes:
        progress(f"vectors: inserting a tenant of {size} chunks, topic by topic")
        tenants.append(topical_tenant(size, questions=_QUESTIONS, dimension=_DIMENSION))
        await load(admin, tenants[-1], 1)
    await admin.execute("VACUUM ANALYZE")
    await admin.close()
    return [*await _build(urls), *await _compare(urls["skillnet_service"], tenants)]


async def _build(urls: Mapping[str, str]) -> list[Result]:
    progress(f"vectors: building indexes of tenants above {_INDEXED_ABOVE} chunks, minutes for the largest")
    settings = BuildSettings(_INDEXED_ABOVE)
    outcomes = await maintain_indexes(urls["skillnet_migrator"], urls["skillnet_dispatcher"], settings)
    return [
        Result(
            f"build, {one.chunks} chunks",
            one.seconds,
            "s",
            None,
            "below",
            f"recall@10 {one.recall or 0:.3f}, {one.action}; {settings.memory_mb} MB allowed, one process",
        )
        for one in outcomes
    ]


async def _compare(service_url: str, tenants: list[TopicalTenant]) -> list[Result]:
    database = await Database.connect(service_url, size=2)
    try:
        results = []
        for tenant in tenants:
            for name, filters in FILTERS.items():
                size = len(tenant.vectors)
                progress(f"vectors: {size} chunks, {name}")
                got = await _of_questions(database, tenant, filters)
                results.append(
                    Result(
                        f"recall@10, {size} chunks, {name}",
                        got.recall,
                        "",
                        _LEAST_RECALL,
                        "above",
                        f"one by one {got.exact_ms:.1f} ms, by the index {got.ms:.1f} (p95 {got.slowest_ms:.1f}) ms;"
                        f" fewest rows {got.fewest}",
                    )
                )
        return results
    finally:
        await database.close()


async def _of_questions(database: Database, tenant: TopicalTenant, filters: Filters) -> _Measured:
    """Both ways for each question one after the other, so that they meet the same load of the machine."""
    indexed = Indexed(_DIMENSION, _INDEXED_ABOVE) if len(tenant.vectors) > _INDEXED_ABOVE else None
    shares, fewest, times = [], _CANDIDATES, []
    async with database.snapshot(tenant.org_id, settings=_SETTINGS) as snapshot:
        for question in tenant.questions:
            vector = HalfVector(question)
            found, took = [], []
            for way in (None, indexed):
                leg = statements.semantic_search(tenant.org_id, _CANDIDATES, filters, vector, 1, way)
                begun = time.perf_counter()
                rows = await snapshot.connection.fetch(leg.text, *leg.parameters)
                took.append(1000 * (time.perf_counter() - begun))
                found.append([row["chunk_id"] for row in rows])
            exact, walked = found
            shares.append(len(set(exact[:10]) & set(walked[:10])) / max(1, len(exact[:10])) if exact else 1.0)
            fewest = min(fewest, len(walked) - len(exact) + _CANDIDATES)
            times.append(took)
    (exact_ms, ms), (_, slowest) = np.percentile(times, 50, axis=0), np.percentile(times, 95, axis=0)
    return _Measured(float(np.mean(shares)), fewest, float(exact_ms), float(ms), float(slowest))
