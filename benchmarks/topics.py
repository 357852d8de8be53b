"""Tenants of vectors like e5's, put straight into the tables topic by topic, as a company's manuals come in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import asyncpg
import numpy as np
import numpy.typing as npt
from pgvector import HalfVector

from skillnet_common.contracts.retrieval import Filters

Vectors = npt.NDArray[np.float32]

CHUNKS_A_DOCUMENT = 50
DOCUMENTS_A_TOPIC = 20
_TOPIC, _DOCUMENT, _CHUNK, _QUESTION = 0.40, 0.30, 0.36, 0.39
"""Lengths of what is added to the mean of length 1. Cosines: .73 across topics, .80 to .84 inside one, .89 inside a
document, .96 between a question and the passage it is about."""


@dataclass(frozen=True, slots=True)
class TopicalTenant:
    """`vectors` [chunks, dimension] as they are loaded, chunk i in document i // 50; `questions` [n, dimension]."""

    org_id: UUID
    vectors: Vectors
    questions: Vectors

    @property
    def documents(self) -> list[UUID]:
        """In the order of loading."""
        return [uuid5(self.org_id, f"document {n}") for n in range(-(-len(self.vectors) // CHUNKS_A_DOCUMENT))]

    def chunk_id(self, number: int) -> UUID:
        """Of a row of `vectors`; random to the eye, as real ones are."""
        return uuid5(self.org_id, f"chunk {number}")


def topical_tenant(chunks: int, *, questions: int, dimension: int = 384, seed: int = 1) -> TopicalTenant:
    """Mean + topic + document + chunk, each a random direction: the hardest case for an index, since everything of
    one level is equally far from everything else."""
    rng = np.random.default_rng((seed, chunks, dimension))

    def directions(count: int, length: float) -> npt.NDArray[np.float64]:
        drawn: npt.NDArray[np.float64] = rng.normal(0.0, length / dimension**0.5, size=(count, dimension))
        return drawn

    document = np.arange(chunks) // CHUNKS_A_DOCUMENT
    topic = document // DOCUMENTS_A_TOPIC
    mean = _unit(rng.normal(size=dimension))
    around = mean + directions(topic[-1] + 1, _TOPIC)[topic] + directions(document[-1] + 1, _DOCUMENT)[document]
    own = directions(chunks, _CHUNK)
    about = rng.integers(chunks, size=questions)
    asked = around[about] + 0.7 * own[about] + directions(questions, _QUESTION * 0.77)
    org_id = uuid5(NAMESPACE_URL, f"{chunks} {seed} {dimension}")
    return TopicalTenant(org_id, _unit(around + own).astype(np.float32), _unit(asked).astype(np.float32))


async def load(admin: asyncpg.Connection[Any], tenant: TopicalTenant, model_id: int) -> None:
    """Copies the tenant in. `admin` is the superuser's, with pgvector's types and the schema in its search_path."""
    org, documents, size = tenant.org_id, tenant.documents, len(tenant.vectors)
    chunks = [min(CHUNKS_A_DOCUMENT, size - CHUNKS_A_DOCUMENT * n) for n in range(len(documents))]
    await admin.execute("INSERT INTO organizations (org_id, name) VALUES ($1, 'Temas')", org)
    await _copy(
        admin,
        "documents",
        "org_id document_id source external_key title processing_status newest_version promoted_version live_version"
        " language file_type entity_id subject_id taxonomy",
        ((org, d, "bench", str(n), "t", "ready", 1, 1, 1, *_filed_under(n)) for n, d in enumerate(documents)),
    )
    await _copy(
        admin,
        "document_versions",
        "org_id document_id version state file_name object_key content_sha256 size_bytes pipeline_fingerprint title"
        " language expected_chunks model_id lexeme_count",
        (
            (org, d, 1, "ready", "a", "k", b"0" * 32, 1, "p", "t", "es", chunks[n], model_id, chunks[n])
            for n, d in enumerate(documents)
        ),
    )
    await _copy(
        admin,
        "document_chunks",
        "org_id chunk_id document_id version chunk_index chunk_total kind section_index section_id section_path"
        " heading header body char_start char_end page_start page_end token_count language content_hash embed_hash",
        _chunk_rows(tenant, documents, chunks),
    )
    await _copy(
        admin,
        f"chunk_embeddings_{model_id}",
        "org_id model_id chunk_id document_id version embedding",
        (
            (org, model_id, tenant.chunk_id(i), documents[i // CHUNKS_A_DOCUMENT], 1, HalfVector(vector))
            for i, vector in enumerate(tenant.vectors)
        ),
    )


FILTERS = {
    "none": Filters(),
    "98 % of the documents": Filters(language="es"),
    "80 % of the documents": Filters(file_type="pdf"),
    "half of the documents": Filters(entity_id="e0"),
    "half of the topics": Filters(taxonomy_prefix="/t0"),
    "1 % of the documents": Filters(subject_id="s0"),
    "90 % of each document": Filters(page_from=6),
    "half of each document": Filters(page_from=26),
}
"""What is left, and the filter that leaves it."""


def _filed_under(document: int) -> tuple[str, str, str, str, str]:
    """Language, type, entity, subject and taxonomy, which `FILTERS` ask for."""
    topic = document // DOCUMENTS_A_TOPIC
    return (
        "es" if document % 50 else "en",
        "pdf" if document % 5 else "docx",
        f"e{document % 2}",
        f"s{document % 100}",
        f"/t{topic % 2}/{topic}",
    )


def _chunk_rows(tenant: TopicalTenant, documents: list[UUID], chunks: list[int]) -> Iterator[tuple[object, ...]]:
    digest = b"0" * 32
    for i in range(len(tenant.vectors)):
        number, index = divmod(i, CHUNKS_A_DOCUMENT)
        place = (tenant.chunk_id(i), documents[number], 1, index, chunks[number])
        section = ("text", 0, "s", ["A"], "h", "h", "palabra", 0, 1, index + 1, index + 1, 1, "es", digest, digest)
        yield (tenant.org_id, *place, *section)


async def _copy(admin: asyncpg.Connection[Any], table: str, columns: str, rows: Iterator[tuple[object, ...]]) -> None:
    await admin.copy_records_to_table(table, records=rows, columns=columns.split())


def _unit(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    unit: npt.NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit
