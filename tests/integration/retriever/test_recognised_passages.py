"""What character recognition read is marked wherever it is cited."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tests.integration.retriever.conftest import asker, axis_vector
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_common.contracts.retrieval import ContextRequest, SearchRequest
from skillnet_common.database import Database
from skillnet_retriever.retriever import Retriever


def chunk(body: str, **fields: Any) -> SeedChunk:
    return SeedChunk(body, axis_vector(body).tolist(), **fields)


async def test_passages_and_sources_say_whether_recognition_read_them(
    database: Database, org: UUID, retriever: Retriever
) -> None:
    chunks = [
        chunk("Toda devolución se hace en caja.", path=("Plazos",), page=1),
        chunk("El plazo de devolución es de 30 días.", path=("Plazos",), page=2, ocr=True),
        chunk("Sin tique no hay devolución.", path=("Requisitos",), page=3),
    ]
    await seed(database, org, SeedDocument("Política de devoluciones", chunks))
    found = (await retriever.search(asker(org), SearchRequest(query="plazo de devolución"))).passages
    assert {(passage.page_start, passage.ocr) for passage in found} == {(1, False), (2, True), (3, False)}
    context = await retriever.context(asker(org), ContextRequest(query="plazo de devolución"))
    assert [(source.page_start, source.page_end, source.ocr) for source in context.sources] == [
        (1, 2, True),  # two chunks of one section
        (3, 3, False),
    ]
