"""Small corpora put straight into the tables, as parser, chunker and embedder would leave them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from pgvector import HalfVector

from skillnet_common.database import Database
from skillnet_common.database.pool import Connection


@dataclass(frozen=True)
class SeedChunk:
    """A chunk and its vector. `repeats` is the text before `body` that the chunk before holds too."""

    body: str
    vector: Sequence[float] = (1.0, 0.0, 0.0, 0.0)
    path: tuple[str, ...] = ()
    page: int | None = 1
    repeats: str = ""
    kind: str = "text"
    header: str | None = None
    token_bits: bytes | None = None
    ocr: bool = False


@dataclass(frozen=True)
class SeedDocument:
    """A document with one version, live unless `live` says otherwise."""

    title: str
    chunks: Sequence[SeedChunk]
    document_id: UUID = field(default_factory=uuid4)
    version: int = 1
    live: bool = True
    language: str = "es"
    pages: int = 10
    small: bool = False
    columns: dict[str, Any] = field(default_factory=dict)
    courses: Sequence[str] = ()
    page_labels: Sequence[str] = ()


async def seed(database: Database, org: UUID, *documents: SeedDocument, model_id: int = 1) -> list[UUID]:
    """Inserts the documents and returns their ids."""
    async with database.tenant(org) as connection:
        for document in documents:
            await _insert(connection, org, document, model_id)
    return [document.document_id for document in documents]


async def _insert(connection: Connection, org: UUID, document: SeedDocument, model_id: int) -> None:
    key = (org, document.document_id, document.version)
    text, spans = _canonical(document.chunks)
    await connection.execute(
        "INSERT INTO documents (org_id, document_id, source, external_key, title, processing_status)"
        " VALUES ($1, $2::uuid, 'upload', $2::uuid::text, $3, 'ready') ON CONFLICT DO NOTHING",
        org,
        document.document_id,
        document.title,
    )
    await connection.execute(
        "INSERT INTO document_versions (org_id, document_id, version, state, file_name, file_type, object_key,"
        " content_sha256, size_bytes, pipeline_fingerprint, title, language, page_count, page_labels,"
        " expected_chunks, model_id)"
        " VALUES ($1, $2, $3, 'ready', 'a.pdf', 'pdf', 'key', sha256('a'), 1, 'p', $4, $5, $6, $7, $8, $9)",
        *key,
        document.title,
        document.language,
        document.pages,
        list(document.page_labels),
        len(document.chunks),
        model_id,
    )
    for index, (chunk, (start, end)) in enumerate(zip(document.chunks, spans, strict=True)):
        await _insert_chunk(connection, key, document, index, chunk, start, end, model_id)
    await connection.execute("SELECT index_chunks($1, $2, $3)", *key)
    if document.live:
        await connection.execute(
            "UPDATE documents SET live_version = $3, promoted_version = $3, newest_version = $3, file_type = 'pdf',"
            " page_count = $4, language = $5, full_text = $6 WHERE org_id = $1 AND document_id = $2",
            *key,
            document.pages,
            document.language,
            text if document.small else None,
        )
    for column, value in document.columns.items():
        await connection.execute(
            f"UPDATE documents SET {column} = $3 WHERE org_id = $1 AND document_id = $2", *key[:2], value
        )
    for course in document.courses:
        await connection.execute(
            "INSERT INTO courses (org_id, course_id, title) VALUES ($1, $2, $2) ON CONFLICT DO NOTHING", org, course
        )
        await connection.execute(
            "INSERT INTO course_documents (org_id, course_id, document_id) VALUES ($1, $2, $3)", org, course, key[1]
        )


async def _insert_chunk(
    connection: Connection,
    key: tuple[UUID, UUID, int],
    document: SeedDocument,
    index: int,
    chunk: SeedChunk,
    start: int,
    end: int,
    model_id: int,
) -> None:
    chunk_id = chunk_id_of(document, index)
    header = chunk.header if chunk.header is not None else " > ".join([document.title, *chunk.path])
    body = chunk.repeats + chunk.body
    digest = hashlib.sha256(body.encode()).digest()
    section = hashlib.sha256("\0".join(chunk.path).encode()).hexdigest()[:16]
    await connection.execute(
        "INSERT INTO document_chunks (org_id, document_id, version, chunk_id, chunk_index, chunk_total, kind,"
        " section_index, section_id, section_path, heading, header, body, char_start, char_end, overlap_chars,"
        " page_start, page_end, boxes, token_count, language, content_hash, embed_hash, ocr)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $12, $13, $14, $15, $16::integer, $16::integer,"
        " $17, 10, $18, $19::bytea, $19::bytea, $20)",
        *key,
        chunk_id,
        index,
        len(document.chunks),
        chunk.kind,
        section,
        list(chunk.path),
        chunk.path[-1] if chunk.path else "",
        header,
        body,
        start,
        end,
        len(chunk.repeats),
        chunk.page,
        [[chunk.page or 1, 0.1, 0.1, 0.9, 0.2]],
        document.language,
        digest,
        chunk.ocr,
    )
    await connection.execute(
        "INSERT INTO chunk_embeddings (org_id, document_id, version, model_id, chunk_id, embedding)"
        " VALUES ($1, $2, $3, $4, $5, $6)",
        *key,
        model_id,
        chunk_id,
        HalfVector(list(chunk.vector)),
    )
    if chunk.token_bits is not None:
        await connection.execute(
            "INSERT INTO chunk_token_bits (org_id, model_id, chunk_id, token_bits) VALUES ($1, $2, $3, $4)",
            key[0],
            model_id,
            chunk_id,
            chunk.token_bits,
        )


def chunk_id_of(document: SeedDocument, index: int) -> UUID:
    """The id a seeded chunk gets."""
    return uuid5(NAMESPACE_URL, f"{document.document_id}:{document.version}:{index}")


def _canonical(chunks: Sequence[SeedChunk]) -> tuple[str, list[tuple[int, int]]]:
    text, spans = "", []
    for chunk in chunks:
        start = len(text)
        text += chunk.body
        spans.append((start, len(text)))
        text += "\n\n"
    return text, spans
