"""From a parsed version to chunks, with vectors reused where they exist and batches for the rest."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from skillnet_chunker.batches import make_batches
from skillnet_chunker.domain import (
    ChunkOptions,
    TokenCounter,
    chunk_document,
    content_hash,
    embed_hash,
    unindexed,
)
from skillnet_chunker.sizes import ChunkRules
from skillnet_common.chunk_sizes import ChunkSizes, own_sizes
from skillnet_common.database.pool import Connection, Database
from skillnet_common.database.queries import Queries
from skillnet_common.documents import Chunk, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_common.models import serving_model
from skillnet_common.pipeline import chunking_fingerprint
from skillnet_common.versions import finish_version, lock_version
from skillnet_common.versions.contents import load_parsed, save_unindexed
from skillnet_common.versions.locks import DocumentGone
from skillnet_common.work.claims import Claim, add_embed_batches, settle

_SQL = Queries(__package__, "chunker.sql")


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be cut, and how its organisation wants it."""

    title: str
    parsed: ParsedDocument
    sizes: ChunkSizes


@dataclass(frozen=True, slots=True)
class _Cut:
    """The chunks, under which options and pipeline, and (reason, start, end) of what none of them holds."""

    chunks: list[Chunk]
    options: ChunkOptions
    fingerprint: str
    unindexed: list[tuple[str, int, int]]


class ChunkHandler:
    """Cuts off the event loop, then writes chunks, reused vectors and batches in one transaction."""

    def __init__(self, database: Database, tokens: TokenCounter, rules: ChunkRules, *, batch_tokens: int) -> None:
        self._database = database
        self._tokens = tokens
        self._rules = rules
        self._batch_tokens = batch_tokens

    async def __call__(self, claim: Claim) -> None:
        """Does one claimed piece. Raises PermanentFault `nothing_readable` for a document without text, DocumentGone
        where the version is no longer to be had.
        """
        cut = await asyncio.to_thread(self._cut, await self._load(claim))
        if not cut.chunks:
            raise PermanentFault(ErrorCode.NOTHING_READABLE, "The document holds no text that could be searched.")
        await self._save(claim, cut)

    async def _load(self, claim: Claim) -> _Task:
        key = (claim.org_id, claim.document_id, claim.version)
        async with self._database.tenant(claim.org_id) as connection:
            title = await connection.fetchval(_SQL.find_version, *key)
            parsed = await load_parsed(connection, *key)
            own = await own_sizes(connection, claim.org_id)
        if title is None or parsed is None:
            raise DocumentGone
        return _Task(title, parsed, self._rules.sizes(own))

    def _cut(self, task: _Task) -> _Cut:
        options = self._rules.options(task.sizes)
        chunks = chunk_document(task.parsed, title=task.title, tokens=self._tokens, options=options)
        spans = [(span.reason.value, span.start, span.end) for span in unindexed(task.parsed, chunks)]
        return _Cut(chunks, options, chunking_fingerprint(task.sizes), spans)

    async def _save(self, claim: Claim, cut: _Cut) -> None:
        key = (claim.org_id, claim.document_id, claim.version)
        records = [_record(chunk, claim, len(cut.chunks), cut.options) for chunk in cut.chunks]
        async with self._database.tenant(claim.org_id) as connection:
            await lock_version(connection, *key, expect="parsed")
            await settle(connection, claim)
            await connection.execute(_SQL.insert_chunks, *key, records)
            await connection.execute(_SQL.index_chunks, *key)
            await save_unindexed(connection, *key, cut.unindexed)
            await connection.execute(_SQL.begin_embedding, *key, len(cut.chunks), cut.fingerprint)
            await self._queue_embedding(connection, key)

    async def _queue_embedding(self, connection: Connection, key: tuple[UUID, UUID, int]) -> None:
        model = await serving_model(connection)
        await connection.execute(_SQL.reuse_vectors, *key, model.model_id)
        await connection.execute(_SQL.reuse_token_bits, *key, model.model_id)
        rows = await connection.fetch(_SQL.chunks_to_embed, *key, model.model_id)
        if rows:
            batches = make_batches(
                ((row["chunk_id"], row["token_count"]) for row in rows), token_budget=self._batch_tokens
            )
            await add_embed_batches(connection, *key, model.model_id, batches)
        else:
            await finish_version(connection, *key)


def chunk_id_for(document_id: UUID, version: int, index: int) -> UUID:
    """The id of a chunk: derived, so that work done twice writes the same rows."""
    return uuid5(NAMESPACE_URL, f"skillnet:chunk:{document_id}:{version}:{index}")


def _record(chunk: Chunk, claim: Claim, total: int, options: ChunkOptions) -> dict[str, Any]:
    return {
        "chunk_id": str(chunk_id_for(claim.document_id, claim.version, chunk.index)),
        "chunk_index": chunk.index,
        "chunk_total": total,
        "kind": chunk.kind,
        "section_index": chunk.section_index,
        "section_id": chunk.section_id,
        "section_path": list(chunk.section_path),
        "heading": chunk.heading,
        "header": chunk.header,
        "body": chunk.body,
        "char_start": chunk.start,
        "char_end": chunk.end,
        "overlap_chars": chunk.overlap_chars,
        "page_start": chunk.page_start,
        "page_end": chunk.page_end,
        "boxes": [[box.page, box.x0, box.y0, box.x1, box.y1] for box in chunk.boxes],
        "token_count": chunk.token_count,
        "language": chunk.language,
        "ocr": chunk.ocr,
        "content_hash": content_hash(chunk.body).hex(),
        "embed_hash": embed_hash(options.model_input(chunk)).hex(),
    }
