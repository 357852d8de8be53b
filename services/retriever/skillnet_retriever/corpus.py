"""What the retriever reads of the database: one snapshot a question, of one tenant, as the asker may see it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg
from pgvector import HalfVector

from skillnet_common.auth import Principal
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.pool import Connection, Database
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.vectors import Vectors
from skillnet_retriever import statements
from skillnet_retriever.domain.candidates import Candidate, Pool, QueryTerm
from skillnet_retriever.domain.passages import ChunkText
from skillnet_retriever.domain.routing import ScopeDocument
from skillnet_retriever.metrics import SEARCH_SECONDS
from skillnet_retriever.statements import SQL, Statement


class Snapshot:
    """One REPEATABLE READ transaction: everything a reply says comes from the same state of the database."""

    def __init__(self, connection: Connection, org_id: UUID, filters: Filters, documents: Sequence[ScopeDocument]):
        self._connection = connection
        self._org_id = org_id
        self._filters = filters
        self.documents = documents
        """Up to two documents of the scope."""
        self.is_narrowed = statements.narrows_documents(filters)
        """Whether the filters leave parts of documents out, so that none may be read whole."""

    async def search(self, query: str, vector: Vectors, model_id: int, *, candidates: int) -> Pool:
        """Both legs, `candidates` of each. `vector`: the question's, float32 [dimension], of length 1."""
        statement = statements.hybrid_search(
            self._org_id, query, candidates, self._filters, HalfVector(vector), model_id
        )
        return await self._pool(statement, "hybrid")

    async def search_words(self, query: str, *, candidates: int) -> Pool:
        """The keyword leg alone."""
        statement = statements.keyword_search(self._org_id, query, candidates, self._filters)
        return await self._pool(statement, "keyword")

    async def texts(self, chunk_ids: Sequence[UUID]) -> dict[UUID, ChunkText]:
        """The wide rows of these chunks."""
        rows = await self._connection.fetch(SQL.passages, self._org_id, list(chunk_ids))
        return {row["chunk_id"]: _chunk_text(row) for row in rows}

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

    async def _pool(self, statement: Statement, leg: str) -> Pool:
        started = time.perf_counter()
        row = await self._connection.fetchrow(statement.text, *statement.parameters)
        SEARCH_SECONDS.labels(leg).observe(time.perf_counter() - started)
        if row is None:
            raise AssertionError("a search statement gives one row")
        return Pool(
            candidates=tuple(Candidate(*fields) for fields in row["candidates"]),
            terms=tuple(QueryTerm(*fields) for fields in row["terms"]),
        )


class Corpus:
    """Opens snapshots. Checks in each that the model of this process is the one that serves."""

    def __init__(self, database: Database, model_id: int, model_slug: str, *, timeout: float) -> None:
        self._database = database
        self._model_id = model_id
        self._model_slug = model_slug
        self._timeout_ms = int(timeout * 1000)

    @asynccontextmanager
    async def snapshot(self, principal: Principal, filters: Filters) -> AsyncIterator[Snapshot]:
        """The tenant's live documents that the asker may see and the filters leave.

        Raises PermanentFault `model_mismatch` when another model serves by now, PassingFault `timeout` where a
        statement takes longer than allowed.
        """
        try:
            async with self._database.tenant(
                principal.org_id, audience=principal.audience, isolation="repeatable_read", readonly=True
            ) as connection:
                statement = statements.prepare(principal.org_id, self._timeout_ms, filters)
                row = await connection.fetchrow(statement.text, *statement.parameters)
                if row is None or row["model_id"] != self._model_id:
                    raise PermanentFault(
                        ErrorCode.MODEL_MISMATCH,
                        f"Another embedding model serves by now; this retriever speaks {self._model_slug}."
                        " Restart it with the EMBEDDING_* settings of the serving model.",
                    )
                documents = [ScopeDocument(*fields) for fields in row["documents"]]
                yield Snapshot(connection, principal.org_id, filters, documents)
        except asyncpg.QueryCanceledError as error:
            raise PassingFault(ErrorCode.TIMEOUT, "La búsqueda ha tardado demasiado. Prueba a acotarla.") from error


def _chunk_text(row: asyncpg.Record) -> ChunkText:
    fields = dict(row)
    for name in ("section_path", "page_labels"):
        fields[name] = tuple(fields[name])
    fields["boxes"] = tuple(tuple(box) for box in fields["boxes"])
    fields["file_type"] = fields["file_type"] or ""
    return ChunkText(**fields)
