"""A tenant with thousands of chunks, put straight into the tables: Spanish text, vectors like e5's."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4, uuid5

import numpy as np
from pgvector import HalfVector

from benchmarks.corpus import sentences
from skillnet_common.auth import create_organization
from skillnet_common.database import Database
from skillnet_common.database.pool import Connection

DIMENSION = 384
_CHUNKS_A_DOCUMENT = 50
_WORDS_A_CHUNK = 180
_TOKENS_A_CHUNK = 250


@dataclass(frozen=True, slots=True)
class Seeded:
    """A tenant and questions about what it holds, each with a vector of its own."""

    org_id: UUID
    questions: list[tuple[str, np.ndarray]]


class Vectors:
    """Clusters around a common mean: cosines between 0.7 and 0.95, as e5's are."""

    def __init__(self, seed: int, clusters: int = 200) -> None:
        self._rng = np.random.default_rng(seed)
        mean = self._rng.normal(size=DIMENSION)
        self._centres = mean / np.linalg.norm(mean) + 0.03 * self._rng.normal(size=(clusters, DIMENSION))

    def draw(self) -> np.ndarray:
        """A unit vector, float32 [384]."""
        centre = self._centres[self._rng.integers(len(self._centres))]
        vector = centre + 0.015 * self._rng.normal(size=DIMENSION)
        unit: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
        return unit

    def draw_tokens(self) -> bytes:
        """Sign bits of a chunk's tokens: any bits take as long to compare."""
        return self._rng.bytes(_TOKENS_A_CHUNK * DIMENSION // 8)


async def seed_tenant(database: Database, model_id: int, *, chunks: int, questions: int, seed: int) -> Seeded:
    """Inserts a tenant with `chunks` chunks in documents of 50."""
    org_id = uuid4()
    await create_organization(database, org_id, "Benchmark")
    vectors, bodies = Vectors(seed), _bodies(seed)
    for number in range(chunks // _CHUNKS_A_DOCUMENT):
        async with database.tenant(org_id) as connection:
            texts = list(itertools.islice(bodies, _CHUNKS_A_DOCUMENT))
            await _insert_document(connection, org_id, model_id, number, texts, vectors)
    asked = [" ".join(text.split()[5:13]) for text in itertools.islice(bodies, questions)]
    return Seeded(org_id, [(f"¿{text}?", vectors.draw()) for text in asked])


def _bodies(seed: int) -> Iterator[str]:
    rng = random.Random(seed)  # noqa: S311
    words = [word for sentence in sentences() for word in sentence.split()]
    pool = sentences()
    while True:
        body: list[str] = []
        while len(body) < _WORDS_A_CHUNK:
            body += rng.choice(pool).split()
        # Rare words, as real corpora have them: otherwise every posting list is long. Even so a question's terms are
        # held by more chunks than in real texts: summed over its terms, 57 % of all chunks on the average, where
        # questions about Spanish regulations and handbooks reach 18 to 40 %.
        rare = [f"{rng.choice(words)}{rng.randint(1, 3000)}" for _ in range(6)]
        yield " ".join(body[: _WORDS_A_CHUNK - len(rare)] + rare)


async def _insert_document(
    connection: Connection, org_id: UUID, model_id: int, number: int, texts: Sequence[str], vectors: Vectors
) -> None:
    document_id = uuid4()
    key = (org_id, document_id, 1)
    await connection.execute(
        "INSERT INTO documents (org_id, document_id, source, external_key, title, processing_status)"
        " VALUES ($1, $2, 'bench', $3, $3, 'ready')",
        org_id,
        document_id,
        f"Documento {number}",
    )
    await connection.execute(
        "INSERT INTO document_versions (org_id, document_id, version, state, file_name, file_type, object_key,"
        " content_sha256, size_bytes, pipeline_fingerprint, title, language, page_count, expected_chunks, model_id)"
        " VALUES ($1, $2, $3, 'ready', 'a.pdf', 'pdf', 'k', sha256('a'), 1, 'p', $4, 'es', 40, $5, $6)",
        *key,
        f"Documento {number}",
        len(texts),
        model_id,
    )
    await connection.execute(
        _INSERT_CHUNKS, *key, [_chunk(document_id, i, t, len(texts)) for i, t in enumerate(texts)]
    )
    await connection.execute("SELECT index_chunks($1, $2, $3)", *key)
    await connection.execute(
        "INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)"
        " SELECT $1, $4, v.id, $2, $3, v.embedding FROM unnest($5::uuid[], $6::halfvec[]) AS v (id, embedding)",
        *key,
        model_id,
        [uuid5(document_id, str(i)) for i in range(len(texts))],
        [HalfVector(vectors.draw()) for _ in texts],
    )
    await connection.execute(
        "INSERT INTO chunk_token_bits (org_id, model_id, chunk_id, token_bits)"
        " SELECT $1, $2, v.id, v.bits FROM unnest($3::uuid[], $4::bytea[]) AS v (id, bits)",
        org_id,
        model_id,
        [uuid5(document_id, str(i)) for i in range(len(texts))],
        [vectors.draw_tokens() for _ in texts],
    )
    await connection.execute(
        "UPDATE documents SET live_version = 1, newest_version = 1, promoted_version = 1, file_type = 'pdf',"
        " language = 'es', page_count = 40 WHERE org_id = $1 AND document_id = $2",
        org_id,
        document_id,
    )


_INSERT_CHUNKS = """
INSERT INTO document_chunks (org_id, chunk_id, document_id, version, chunk_index, chunk_total, kind, section_index,
    section_id, section_path, heading, header, body, char_start, char_end, page_start, page_end, token_count,
    language, content_hash, embed_hash)
SELECT $1, c.chunk_id, $2, $3, c.i, c.total, 'text', 0, 's', '{Capítulo}', 'Capítulo', 'Documento', c.body,
       c.i * 2000, c.i * 2000 + 1, c.i + 1, c.i + 1, 300, 'es', decode(c.hash, 'hex'), decode(c.hash, 'hex')
FROM jsonb_to_recordset($4::jsonb) AS c (chunk_id uuid, i integer, total integer, body text, hash text)
"""


def _chunk(document_id: UUID, index: int, text: str, total: int) -> dict[str, Any]:
    return {
        "chunk_id": str(uuid5(document_id, str(index))),
        "i": index,
        "total": total,
        "body": text,
        "hash": hashlib.sha256(text.encode()).hexdigest(),
    }
