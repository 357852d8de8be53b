"""What the retriever reads of the database: one snapshot a question, of one tenant, as the asker may see it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from skillnet_common.auth import Principal
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database import pool
from skillnet_common.database.pool import Connection, Database
from skillnet_common.database.vector_indexes import DEFAULT_WALK, ExactSettings
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.vectors import Vectors
from skillnet_retriever import statements
from skillnet_retriever.domain.passages import ChunkText
from skillnet_retriever.domain.routing import ScopeDocument
from skillnet_retriever.domain.wording import Wording
from skillnet_retriever.legs import ChunkHit, Found, KeywordLeg, Near
from skillnet_retriever.metrics import SEARCH_SECONDS
from skillnet_retriever.outlines import Outline, read_outline
from skillnet_retriever.statements import SQL
from skillnet_retriever.vector_indexes import VectorIndexes

A = TypeVar("A")
B = TypeVar("B")

_EXACT_CHUNKS: int = ExactSettings.model_fields["exact_chunks"].default


@dataclass(frozen=True, slots=True)
class Model:
    """The embedding model this process speaks."""

    model_id: int
    slug: str


class Snapshot:
    """One REPEATABLE READ transaction: everything a reply says comes from the same state of the database."""

    def __init__(
        self, snapshot: pool.Snapshot, org_id: UUID, filters: Filters, model: Model, indexes: VectorIndexes
    ) -> None:
        self._snapshot = snapshot
        self._connection = snapshot.connection
        self._org_id = org_id
        self._filters = filters
        self._model = model
        self._indexes = indexes
        self.is_narrowed = statements.narrows_documents(filters)
        """Whether the filters leave parts of documents out, so that none may be read whole."""

    async def narrow(self, wording: Wording) -> list[tuple[str, ...]]:
        """Leaves out the passages that lack a required phrase or hold something excluded, on either leg. Gives the
        groups of phrases that nothing in the scope holds: of a question in a sentence these are not required."""
        required = [phrase for group in wording.required for phrase in group]
        phrases = [*required, *wording.excluded]
        by_stem = [False] * len(required) + [" " not in word for word in wording.excluded]
        statement = statements.holding(self._org_id, phrases, by_stem, self._filters)
        holding: dict[str, set[UUID]] = {phrase: set() for phrase in phrases}
        for number, chunk_id in await self._connection.fetch(statement.text, *statement.parameters):
            holding[phrases[number - 1]].add(chunk_id)
        held = {group: set[UUID]().union(*(holding[phrase] for phrase in group)) for group in wording.required}
        groups = [chunk_ids for chunk_ids in held.values() if chunk_ids or not wording.is_sentence]
        self._filters = statements.ChunkFilters(
            **dict(self._filters),
            only=sorted(set.intersection(*groups)) if groups else None,
            without=sorted(set[UUID]().union(*(holding[word] for word in wording.excluded))),
        )
        self.is_narrowed = statements.narrows_documents(self._filters)
        return [group for group, chunk_ids in held.items() if not chunk_ids]

    async def search(self, query: str, vector: Vectors, *, candidates: int) -> Found:
        """Both legs, `candidates` of each, side by side where a second connection is free.

        `vector`: the question's, float32 [dimension], of length 1. Raises PermanentFault `model_mismatch` when
        another model serves by now.
        """
        started = time.perf_counter()
        half = HalfVector(vector)
        shared = await self._snapshot.share()
        if shared is None:
            leg, chunks = await self._words(self._connection, query, half, candidates)
            near = await self._near(half, candidates)
        else:  # the vectors take longer: they begin at once, the words once the second connection has joined
            near, (leg, chunks) = await side_by_side(
                self._near(half, candidates), self._words_beside(shared, query, half, candidates)
            )
        SEARCH_SECONDS.labels("hybrid").observe(time.perf_counter() - started)
        return leg.joined(chunks, near)

    async def search_words(self, query: str, *, candidates: int) -> Found:
        """The keyword leg alone; a question of stop words finds what holds these. Raises as `search` does."""
        started = time.perf_counter()
        leg, chunks = await self._words(self._connection, query, None, candidates, with_stop_words=True)
        SEARCH_SECONDS.labels("keyword").observe(time.perf_counter() - started)
        return leg.joined(chunks, ())

    async def outline(self, *, most_chunks: int) -> Outline:
        """The outline of the scope, which has none where it has more chunks."""
        return await read_outline(self._connection, self._org_id, self._filters, most_chunks=most_chunks)

    async def token_bits(self, chunk_ids: Sequence[UUID]) -> dict[UUID, bytes]:
        """The sign bits of the tokens of those chunks that were embedded with late interaction."""
        statement = statements.token_bits(self._org_id, list(chunk_ids), self._model.model_id)
        rows = await self._connection.fetch(statement.text, *statement.parameters)
        return {row["chunk_id"]: row["token_bits"] for row in rows}

    async def texts(self, chunk_ids: Sequence[UUID]) -> dict[UUID, ChunkText]:
        """The wide rows of these chunks."""
        rows = await self._connection.fetch(SQL.passages, self._org_id, list(chunk_ids))
        return {row["chunk_id"]: _chunk_text(row) for row in rows}

    async def around(self, chunk_ids: Sequence[UUID], *, reach: int) -> list[ChunkText]:
        """The chunks up to `reach` places from these in the same section."""
        rows = await self._connection.fetch(SQL.around, self._org_id, list(chunk_ids), reach)
        return list((await self.texts([row["chunk_id"] for row in rows])).values()) if rows else []

    async def chunks_of(self, document_id: UUID) -> list[UUID]:
        """The live version's chunks in the order of reading."""
        rows = await self._connection.fetch(SQL.chunks_of_document, self._org_id, document_id)
        return [row["chunk_id"] for row in rows]

    async def small_documents(self, query: str, *, pages: int) -> list[tuple[ScopeDocument, int]]:
        """Up to five documents of at most `pages` pages and how many of the question's terms each holds."""
        statement = statements.small_documents(self._org_id, query, pages, self._filters)
        rows = await self._connection.fetch(statement.text, *statement.parameters)
        return [
            (ScopeDocument(row["document_id"], row["title"], row["page_count"], True), row["terms_held"])
            for row in rows
        ]

    async def keyword_leg(self, query: str, *, candidates: int) -> KeywordLeg:
        """The postings of the question's words in the scope. Raises as `search` does."""
        return await self._keyword_leg(self._connection, query, candidates)

    async def _words_beside(
        self, shared: str, query: str, vector: HalfVector, candidates: int
    ) -> tuple[KeywordLeg, list[ChunkHit]]:
        async with self._snapshot.joined(shared) as connection:
            return await self._words(connection, query, vector, candidates)

    async def _words(
        self,
        connection: Connection,
        query: str,
        vector: HalfVector | None,
        candidates: int,
        *,
        with_stop_words: bool = False,
    ) -> tuple[KeywordLeg, list[ChunkHit]]:
        leg = await self._keyword_leg(connection, query, candidates)
        if with_stop_words and leg.has_stop_words_only:
            statement = statements.stop_words(self._org_id, query, self._filters)
            row = await connection.fetchrow(statement.text, *statement.parameters)
            if row is not None:
                leg.take_stop_words(row)
        if not leg.hits:
            return leg, []
        statement = statements.found_by_words(self._org_id, leg.places(), vector, self._model.model_id)
        rows = await connection.fetch(statement.text, *statement.parameters)
        return leg, [ChunkHit(row["chunk_id"], row["cosine"], leg.hits[row["place"]]) for row in rows]

    async def _keyword_leg(self, connection: Connection, query: str, candidates: int) -> KeywordLeg:
        statement = statements.keyword_search(self._org_id, query, self._filters)
        row = await connection.fetchrow(statement.text, *statement.parameters)
        if row is None:
            raise AssertionError("the keyword statement gives one row")
        leg = KeywordLeg(row, candidates)
        if leg.model_id != self._model.model_id:
            raise PermanentFault(
                ErrorCode.MODEL_MISMATCH,
                f"Another embedding model serves by now; this retriever speaks {self._model.slug}."
                " Restart it with the EMBEDDING_* settings of the serving model.",
            )
        near = leg.near_words()
        if near:
            statement = statements.corrections(self._org_id, near, leg.config, self._filters)
            corrections = await connection.fetchrow(statement.text, *statement.parameters)
            if corrections is not None:
                leg.correct(corrections, near)
        return leg

    async def _near(self, vector: HalfVector, candidates: int) -> list[Near]:
        indexed = await self._indexes.of(self._connection, self._org_id, vector.dimensions())
        statement = statements.semantic_search(
            self._org_id, candidates, self._filters, vector, self._model.model_id, indexed
        )
        return [Near(*row) for row in await self._connection.fetch(statement.text, *statement.parameters)]


async def side_by_side(one: Awaitable[A], other: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Both results. Where one fails the other is ended before the fault goes on: no connection is left at work."""
    task = asyncio.create_task(other)
    try:
        return await one, await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class Corpus:
    """Opens snapshots, in which statements are limited in time and planned once for all questions."""

    def __init__(
        self,
        database: Database,
        model_id: int,
        model_slug: str,
        *,
        timeout: float,
        exact_chunks: int = _EXACT_CHUNKS,
    ) -> None:
        self._database = database
        self._model = Model(model_id, model_slug)
        self._indexes = VectorIndexes(model_id, exact_chunks)
        self._settings = {
            **DEFAULT_WALK.of_postgresql,
            "statement_timeout": str(int(timeout * 1000)),
            "plan_cache_mode": "force_generic_plan",
        }

    @asynccontextmanager
    async def snapshot(self, principal: Principal, filters: Filters) -> AsyncIterator[Snapshot]:
        """The tenant's live documents that the asker may see and the filters leave.

        Raises PassingFault `timeout` where a statement takes longer than allowed.
        """
        try:
            async with self._database.snapshot(
                principal.org_id, audience=principal.audience, settings=self._settings
            ) as snapshot:
                yield Snapshot(snapshot, principal.org_id, filters, self._model, self._indexes)
        except asyncpg.QueryCanceledError as error:
            raise PassingFault(ErrorCode.TIMEOUT, "La búsqueda ha tardado demasiado. Prueba a acotarla.") from error


def _chunk_text(row: asyncpg.Record) -> ChunkText:
    fields = dict(row)
    for name in ("section_path", "page_labels"):
        fields[name] = tuple(fields[name])
    fields["boxes"] = tuple(tuple(box) for box in fields["boxes"])
    fields["file_type"] = fields["file_type"] or ""
    return ChunkText(**fields)
