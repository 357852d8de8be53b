"""A database of one's own with tenants of e5-like vectors, loaded topic by topic, and searches that are measured."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import numpy as np
from benchmarks.topics import CHUNKS_A_DOCUMENT, TopicalTenant, load
from pgvector.asyncpg import register_vector
from tests.conftest import DatabaseUrls, create_database

from skillnet_bootstrap.vector_indexes import BuildSettings, Outcome, maintain_indexes
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.auth import Principal, Scope
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_retriever.corpus import Corpus

CANDIDATES = 50


@dataclass(frozen=True)
class Topical:
    """The tenants' database. `database` is the service's, `admin` the superuser's connection."""

    urls: DatabaseUrls
    database: Database
    admin: asyncpg.Connection[Any]
    exact_chunks: int

    async def maintain(self, *, links: int = 16, effort: int = 100) -> list[Outcome]:
        """A pass of the program that builds and drops indexes."""
        build = BuildSettings(self.exact_chunks, memory_mb=256, links=links, effort=effort)
        return await maintain_indexes(self.urls.migrator, self.urls.dispatcher, build)

    async def indexes(self) -> list[str]:
        """The names of all tenants' indexes."""
        rows = await self.admin.fetch(
            "SELECT relname FROM pg_class WHERE relkind = 'i' AND starts_with(relname, 'near_') ORDER BY relname"
        )
        return [row["relname"] for row in rows]

    async def found(
        self, tenant: TopicalTenant, filters: Filters | None = None, groups: tuple[str, ...] | None = None
    ) -> list[list[UUID]]:
        """What the semantic leg of a search gives for each of the tenant's questions, nearest first."""
        corpus = Corpus(self.database, 1, "topical", timeout=60, exact_chunks=self.exact_chunks)
        asker = Principal(tenant.org_id, uuid4(), frozenset({Scope.READ}), groups)
        every: list[list[UUID]] = []
        async with corpus.snapshot(asker, filters or Filters()) as snapshot:
            for question in tenant.questions:
                found = await snapshot.search("nada", question, candidates=CANDIDATES)
                near = [one for one in found.pool.candidates if one.semantic_rank is not None]
                every.append([one.chunk_id for one in sorted(near, key=lambda one: one.semantic_rank or 0)])
        return every


@asynccontextmanager
async def topical(postgres: EmbeddedPostgres, *tenants: TopicalTenant, exact_chunks: int) -> AsyncIterator[Topical]:
    """A database of its own, thrown away with the server."""
    urls = await create_database(postgres, f"topical_{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    await register_first_model(
        urls.migrator,
        slug="topical",
        fingerprint="topical",
        name="topical",
        dimension=tenants[0].vectors.shape[1],
        identity={"window": 512},
    )
    admin = await asyncpg.connect(urls.admin, server_settings={"search_path": "skillnet,public"})
    database = await Database.connect(urls.service, size=4)
    try:
        await register_vector(admin, schema="public")
        for tenant in tenants:
            await load(admin, tenant, 1)
        await admin.execute("ANALYZE")
        yield Topical(urls, database, admin, exact_chunks)
    finally:
        await database.close()
        await admin.close()


def recall(tenant: TopicalTenant, found: Sequence[Sequence[UUID]], scope: Collection[int] | None = None) -> float:
    """Of the ten nearest chunks in the scope (numbers of rows; None: all), compared one by one, the share found."""
    numbers = np.arange(len(tenant.vectors)) if scope is None else np.fromiter(scope, dtype=np.int64)
    stored = tenant.vectors[numbers].astype(np.float16).astype(np.float32)
    cosines = tenant.questions.astype(np.float16).astype(np.float32) @ stored.T
    shares = []
    for row, ids in zip(cosines, found, strict=True):
        nearest = {tenant.chunk_id(int(numbers[i])) for i in np.argsort(-row)[:10]}
        shares.append(len(nearest & set(ids[:10])) / len(nearest))
    return float(np.mean(shares))


def chunks_of(documents: Collection[int], tenant: TopicalTenant) -> list[int]:
    """The numbers of the documents' chunks."""
    return [i for i in range(len(tenant.vectors)) if i // CHUNKS_A_DOCUMENT in documents]
