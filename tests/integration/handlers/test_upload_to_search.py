"""With nothing left out: sandbox, the carried model, and a retriever that finds what was uploaded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import asdict
from uuid import uuid4

import pytest
from tests.conftest import create_database
from tests.integration.handlers.line import Line
from tests.integration.handlers.manual import NEW_RETURNS, RETURNS, manual

from skillnet_chunker.handlers import ChunkHandler
from skillnet_chunker.sizes import ChunkRules
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.auth import Principal, Scope, create_organization
from skillnet_common.contracts.retrieval import SearchRequest
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_common.objects import Originals
from skillnet_common.settings import ChunkSettings
from skillnet_embedder.encoding import encode_with
from skillnet_embedder.handlers import EmbedHandler
from skillnet_inference.budget import count_llm_tokens
from skillnet_inference.encoder import Encoder
from skillnet_inference.factory import model_identity, open_encoder
from skillnet_inference.settings import EmbeddingSettings
from skillnet_parser.handlers import ParseHandler
from skillnet_parser.limits import ParseLimits
from skillnet_parser.sandbox import Sandbox
from skillnet_retriever.calibrations import carried_calibration
from skillnet_retriever.corpus import Corpus
from skillnet_retriever.finding import ServingModel
from skillnet_retriever.questions import QuestionEncoder
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

QUESTION = "¿Cuántos días hay para devolver una compra?"


@pytest.fixture
async def model_database(postgres: EmbeddedPostgres) -> AsyncIterator[Database]:
    """A database where the carried model serves."""
    urls = await create_database(postgres, f"handlers-{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    identity = model_identity(EmbeddingSettings())
    await register_first_model(
        urls.migrator,
        slug=identity.slug,
        fingerprint=identity.fingerprint,
        name=identity.name,
        dimension=identity.dimension,
        identity=asdict(identity),
    )
    database = await Database.connect(urls.service, size=4)
    yield database
    await database.close()


@pytest.fixture
async def encoder() -> AsyncIterator[Encoder]:
    encoder = await asyncio.to_thread(open_encoder, EmbeddingSettings())
    yield encoder
    encoder.close()


async def test_what_is_uploaded_is_found_and_then_its_replacement(
    model_database: Database, originals: Originals, encoder: Encoder
) -> None:
    org = uuid4()
    await create_organization(model_database, org, "Panadería de prueba")
    identity = model_identity(EmbeddingSettings())
    async with Sandbox(ParseLimits()) as sandbox:
        line = Line(model_database, originals, org)
        line.parser = ParseHandler(model_database, originals, sandbox.parse_file)
        rules = ChunkRules(ChunkSettings(chunk_min_tokens=16), identity.window, identity.passage_prefix)
        line.chunker = ChunkHandler(model_database, encoder.tokenizer, rules, batch_tokens=2_000)
        line.embedder = EmbedHandler(model_database, encode_with(encoder, late_interaction=True))
        retriever = _retriever(model_database, encoder)
        reader = Principal(org, uuid4(), frozenset({Scope.READ}), None)
        for version, body in enumerate((RETURNS, NEW_RETURNS), 1):
            upload = await line.publish("manual", manual(body))
            best = (await retriever.search(reader, SearchRequest(query=QUESTION))).passages[0]
            assert (best.document_id, best.version, best.text) == (upload.document_id, version, body)
            assert best.section_path == ["Manual de tienda", "Devoluciones"]
            assert best.scores.semantic is not None
            assert best.scores.semantic > 0.8
    stranger = Principal(uuid4(), uuid4(), frozenset({Scope.READ}), None)
    assert (await retriever.search(stranger, SearchRequest(query=QUESTION))).passages == []


def _retriever(database: Database, encoder: Encoder) -> Retriever:
    identity, settings = model_identity(EmbeddingSettings()), RetrieverSettings()
    return Retriever(
        Corpus(database, 1, identity.slug, timeout=settings.search_timeout_seconds),
        QuestionEncoder(encoder, cache_size=settings.query_cache_size),
        ServingModel(1, identity.slug, carried_calibration(identity)),
        settings,
        count_llm_tokens,
    )
