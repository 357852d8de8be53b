"""The scores of the keyword leg against those of bm25s (Lù 2024, its `lucene` method) over the same texts."""

from __future__ import annotations

import random
from uuid import UUID

import bm25s
import numpy as np
import pytest
from tests.integration.retriever.conftest import asker
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, chunk_id_of, seed

from skillnet_common.contracts.retrieval import Filters, SearchRequest, Strategy
from skillnet_common.database import Database
from skillnet_retriever.retriever import Retriever

TEXT = (
    "el horno se limpia cada noche y la encargada firma la hoja los clientes devuelven artículos con tique en treinta"
    " días la máquina corta pan y la cámara guarda nata fría el almacén recibe harina por la mañana ningún reparto"
    " espera diez minutos y cada tienda cuenta su caja"
)
QUERIES = [
    "horno limpio de noche",
    "clientes que devuelven artículos con tique",
    "la harina del almacén",
    "caja caja máquina",
]
DOCUMENTS, CHUNKS = 6, 12


def corpus() -> list[SeedDocument]:
    words, rng = TEXT.split(), random.Random(5)  # noqa: S311
    bodies = [[" ".join(rng.choices(words, k=rng.randint(8, 60))) for _ in range(CHUNKS)] for _ in range(DOCUMENTS)]
    return [SeedDocument("Textos", [SeedChunk(body, header="") for body in own]) for own in bodies]


async def stems(database: Database, text: str) -> list[str]:
    """The words of the text as they are indexed, one an occurrence."""
    async with database.system() as connection:
        rows = await connection.fetch(
            "SELECT l.lexeme, cardinality(l.positions) AS n"
            " FROM unnest(to_tsvector('spanish', folded_words('spanish', $1::text))) l",
            text,
        )
    return [row["lexeme"] for row in rows for _ in range(row["n"])]


@pytest.mark.parametrize("half", [False, True], ids=["everything", "a half of the documents"])
async def test_scores_are_those_of_bm25s_over_the_scope(
    database: Database, retriever: Retriever, org: UUID, half: bool
) -> None:
    documents = corpus()
    await seed(database, org, *documents)
    seen = documents[: DOCUMENTS // 2] if half else documents
    filters = Filters(document_ids=[document.document_id for document in seen])
    chunk_ids = [chunk_id_of(document, index) for document in seen for index in range(CHUNKS)]
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    texts = [await stems(database, chunk.body) for document in seen for chunk in document.chunks]
    index.index(texts, show_progress=False)
    for query in QUERIES:
        scores = index.get_scores(sorted(set(await stems(database, query))))
        expected = {chunk_ids[n]: float(scores[n]) for n in np.flatnonzero(scores)}
        request = SearchRequest(query=query, strategy=Strategy.KEYWORD, filters=filters, limit=100)
        reply = await retriever.search(asker(org), request)
        found = {passage.chunk_id: passage.scores.keyword for passage in reply.passages}
        assert len(expected) > 10
        assert found == pytest.approx(expected, rel=1e-5)
