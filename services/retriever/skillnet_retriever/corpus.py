"""What the retriever reads of the database: one snapshot a question, of one tenant, as the asker may see it."""

from __future__ import annotations

import struct
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import asyncpg
import numpy as np
from pgvector import HalfVector

from skillnet_common.auth import Principal
from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.pool import Connection, Database
from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.vectors import Vectors
from skillnet_retriever import statements
from skillnet_retriever.domain.bm25 import Hit, Integers, Postings, SoughtTerm, WordScores
from skillnet_retriever.domain.candidates import Candidate, Pool
from skillnet_retriever.domain.passages import ChunkText
from skillnet_retriever.domain.routing import ScopeDocument
from skillnet_retriever.metrics import SEARCH_SECONDS
from skillnet_retriever.statements import SQL, Statement


@dataclass(frozen=True, slots=True)
class Model:
    """The embedding model this process speaks."""

    model_id: int
    slug: str


@dataclass(frozen=True, slots=True)
class Found:
    """What the search statement gives. `documents`: up to two of the scope, for the router."""

    pool: Pool
    documents: tuple[ScopeDocument, ...]


class Snapshot:
    """One REPEATABLE READ transaction: everything a reply says comes from the same state of the database."""

    def __init__(self, connection: Connection, org_id: UUID, filters: Filters, model: Model):
        self._connection = connection
        self._org_id = org_id
        self._filters = filters
        self._model = model
        self.is_narrowed = statements.narrows_documents(filters)
        """Whether the filters leave parts of documents out, so that none may be read whole."""

    async def search(self, query: str, vector: Vectors, *, candidates: int) -> Found:
        """Both legs, `candidates` of each. `vector`: the question's, float32 [dimension], of length 1.

        Raises PermanentFault `model_mismatch` when another model serves by now.
        """
        statement = statements.hybrid_search(
            self._org_id, query, candidates, self._filters, HalfVector(vector), self._model.model_id
        )
        return await self._found(statement, HalfVector(vector), candidates)

    async def search_words(self, query: str, *, candidates: int) -> Found:
        """The keyword leg alone. Raises as `search` does."""
        statement = statements.keyword_search(self._org_id, query, self._filters)
        return await self._found(statement, None, candidates)

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

    async def _found(self, statement: Statement, vector: HalfVector | None, candidates: int) -> Found:
        started = time.perf_counter()
        row = await self._connection.fetchrow(statement.text, *statement.parameters)
        if row is None:
            raise AssertionError("a search statement gives one row")
        if row["model_id"] != self._model.model_id:
            raise PermanentFault(
                ErrorCode.MODEL_MISMATCH,
                f"Another embedding model serves by now; this retriever speaks {self._model.slug}."
                " Restart it with the EMBEDDING_* settings of the serving model.",
            )
        words = _word_scores(row)
        allowed = _integers(row["allowed"], "i8") if self.is_narrowed else None
        scope = _Scope(row["scope"] or b"")
        near = [] if vector is None else [_Near(*fields) for fields in row["semantic"]]
        hits = await self._chunks_of_hits(words.best(candidates, allowed), near, scope, vector)
        SEARCH_SECONDS.labels("keyword" if vector is None else "hybrid").observe(time.perf_counter() - started)
        pool = Pool(_candidates(near, hits, words, scope), words.terms)
        return Found(pool, tuple(ScopeDocument(*fields) for fields in row["documents"]))

    async def _chunks_of_hits(
        self, hits: Sequence[Hit], near: Sequence[_Near], scope: _Scope, vector: HalfVector | None
    ) -> list[_ChunkHit]:
        """Ids and cosines of what the keyword leg found; those the semantic leg has found too are known."""
        known = {(n.document, n.chunk_index): n for n in near}
        chunks = [_ChunkHit(n.chunk_id, n.cosine, h) for h in hits if (n := known.get((h.document, h.chunk_index)))]
        others = [hit for hit in hits if (hit.document, hit.chunk_index) not in known]
        if others:
            documents = [scope.document(hit.document) for hit in others]
            places = [(d.document_id, d.version, h.chunk_index) for d, h in zip(documents, others, strict=True)]
            statement = statements.found_by_words(self._org_id, places, vector, self._model.model_id)
            rows = await self._connection.fetch(statement.text, *statement.parameters)
            chunks += [_ChunkHit(row["chunk_id"], row["cosine"], others[row["place"]]) for row in rows]
        return sorted(chunks, key=lambda chunk: (-chunk.hit.bm25, chunk.chunk_id))


class _ScopeDocument(NamedTuple):
    document_id: UUID
    version: int
    same_language: bool


class _Scope:
    """The documents of the scope, each unpacked when it is first asked for: most are not."""

    _ROW = struct.Struct(">16si?")

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._known: dict[int, _ScopeDocument] = {}

    def document(self, number: int) -> _ScopeDocument:
        """`number` counts from 1."""
        known = self._known.get(number)
        if known is None:
            identity, version, same_language = self._ROW.unpack_from(self._packed, (number - 1) * self._ROW.size)
            known = self._known[number] = _ScopeDocument(UUID(bytes=identity), version, same_language)
        return known


class _Near(NamedTuple):
    """A chunk of the semantic leg; its document by the number in the scope."""

    chunk_id: UUID
    document: int
    chunk_index: int
    cosine: float


class _ChunkHit(NamedTuple):
    """A chunk of the keyword leg."""

    chunk_id: UUID
    cosine: float | None
    hit: Hit


def _word_scores(row: asyncpg.Record) -> WordScores:
    counts = _integers(row["posting_counts"], "i4")
    postings = Postings(
        _integers(row["posting_terms"], "i4"),
        _integers(row["posting_documents"], "i4"),
        counts,
        _entries(row["entries"], counts),
    )
    sought = [SoughtTerm(*fields) for fields in row["terms"]]
    return WordScores(sought, postings, chunks=row["chunks"], mean_words=row["mean_words"])


_HEADER = 20
_LENGTH = 4


def _integers(array: bytes | None, kind: str) -> Integers:
    """The elements of an array in PostgreSQL's binary form: none is NULL, each stands behind its length."""
    if array is None:
        return np.zeros(0, dtype=np.int64)
    element = np.dtype([("size", ">i4"), ("value", f">{kind}")])
    return np.frombuffer(array, dtype=element, offset=_HEADER)["value"].astype(np.int64)


def _entries(arrays: bytes | None, counts: Integers) -> Integers:
    """The elements of arrays of bigint that follow each other, each with a header; `counts` are their lengths."""
    if arrays is None:
        return np.zeros(0, dtype=np.int64)
    headers = np.repeat(_HEADER * np.arange(1, len(counts) + 1), counts)
    value = headers + (_LENGTH + 8) * np.arange(len(headers)) + _LENGTH
    octets = np.lib.stride_tricks.sliding_window_view(np.frombuffer(arrays, dtype=np.uint8), 8)
    entries: Integers = octets[value].view(">i8").ravel().astype(np.int64)
    return entries


def _candidates(
    near: Sequence[_Near], hits: Sequence[_ChunkHit], words: WordScores, scope: _Scope
) -> tuple[Candidate, ...]:
    """What either leg found, each with the scores of both."""
    keyword_ranks = {chunk.chunk_id: rank for rank, chunk in enumerate(hits, start=1)}

    def candidate(
        chunk_id: UUID, document: int, chunk_index: int, cosine: float | None, hit: Hit | None, rank: int | None
    ) -> Candidate:
        own = scope.document(document)
        return Candidate(
            chunk_id,
            own.document_id,
            own.version,
            chunk_index,
            cosine,
            hit.bm25 if hit else None,
            hit.matched if hit else 0,
            rank,
            keyword_ranks.get(chunk_id),
            own.same_language,
        )

    semantic = [
        candidate(n.chunk_id, n.document, n.chunk_index, n.cosine, words.of(n.document, n.chunk_index), rank)
        for rank, n in enumerate(near, start=1)
    ]
    seen = {n.chunk_id for n in near}
    rest = [
        candidate(h.chunk_id, h.hit.document, h.hit.chunk_index, h.cosine, h.hit, None)
        for h in hits
        if h.chunk_id not in seen
    ]
    return (*semantic, *rest)


class Corpus:
    """Opens snapshots, in which statements are limited in time and planned once for all questions."""

    def __init__(self, database: Database, model_id: int, model_slug: str, *, timeout: float) -> None:
        self._database = database
        self._model = Model(model_id, model_slug)
        self._settings = {
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
            ) as connection:
                yield Snapshot(connection, principal.org_id, filters, self._model)
        except asyncpg.QueryCanceledError as error:
            raise PassingFault(ErrorCode.TIMEOUT, "La búsqueda ha tardado demasiado. Prueba a acotarla.") from error


def _chunk_text(row: asyncpg.Record) -> ChunkText:
    fields = dict(row)
    for name in ("section_path", "page_labels"):
        fields[name] = tuple(fields[name])
    fields["boxes"] = tuple(tuple(box) for box in fields["boxes"])
    fields["file_type"] = fields["file_type"] or ""
    return ChunkText(**fields)
