"""Text goes to an embeddings API only of organisations that have consented: a real HTTP server tells what came."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID, uuid4

import pytest
from tests.integration.handlers.line import Line, vector_of
from tests.integration.handlers.manual import RETURNS, manual

from skillnet_common.auth import Principal, Scope
from skillnet_common.consent import Consent, has_consent, require_consent
from skillnet_common.contracts.retrieval import SearchRequest, Strategy
from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_common.versions import fail_version
from skillnet_common.versions.replay import replay_work
from skillnet_common.work.claims import settle
from skillnet_embedder.encoding import encode_with
from skillnet_embedder.handlers import EmbedHandler
from skillnet_inference.api_encoder import OpenAICompatibleEncoder
from skillnet_inference.budget import count_llm_tokens
from skillnet_inference.factory import model_identity, open_tokenizer
from skillnet_inference.settings import EmbeddingSettings
from skillnet_retriever.corpus import Corpus
from skillnet_retriever.domain.evidence import OTHER_MODEL
from skillnet_retriever.finding import ServingModel
from skillnet_retriever.questions import QuestionEncoder
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

QUESTION = "¿Cuántos días hay para devolver una compra?"


class EmbeddingServer(ThreadingHTTPServer):
    """An OpenAI-compatible embeddings API that remembers every text."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.texts: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        self.server.texts += texts
        items = [{"index": index, "embedding": vector_of(text).tolist()} for index, text in enumerate(texts)]
        body = json.dumps({"data": items}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
async def encoder(server: EmbeddingServer) -> AsyncIterator[OpenAICompatibleEncoder]:
    settings = EmbeddingSettings(provider="api", api_base=f"http://127.0.0.1:{server.server_port}/v1", dim=4)
    assert settings.sends_text
    assert not EmbeddingSettings().sends_text
    encoder = OpenAICompatibleEncoder(settings, model_identity(settings), open_tokenizer(settings))
    yield encoder
    encoder.close()


@pytest.fixture
def sending(line: Line, encoder: OpenAICompatibleEncoder) -> Line:
    """The line, with an embedder that sends its text away."""
    line.embedder = EmbedHandler(line.database, encode_with(encoder, late_interaction=True), sends_text=True)
    return line


async def consents(database: Database, org: UUID, given: object) -> None:
    async with database.tenant(org) as connection:
        await connection.execute("UPDATE organizations SET settings = $1::jsonb", {"embedding_consent": given})


async def test_no_text_of_a_document_leaves_without_consent_and_all_of_it_with(
    sending: Line, server: EmbeddingServer
) -> None:
    await sending.upload("manual", manual())
    await sending.drain(Stage.PARSE, Stage.CHUNK)
    claim = await sending.claim(Stage.EMBED)
    for withheld in (False, "true", 1, None):
        await consents(sending.database, sending.org_id, withheld)
        with pytest.raises(PermanentFault) as caught:
            await sending.do(claim)
        assert caught.value.code is ErrorCode.CONSENT_REQUIRED
        assert "skillnet organization --embedding-consent" in caught.value.message
    assert server.texts == []
    await consents(sending.database, sending.org_id, True)
    await sending.do(claim)
    await sending.drain()
    assert any(RETURNS in text for text in server.texts)
    version = await sending.one("SELECT state FROM document_versions")
    assert version["state"] == "ready"
    rows = await sending.fetch("SELECT kind, sum(amount)::int AS n FROM usage_counts GROUP BY kind")
    tokens = await sending.one("SELECT sum(token_count)::int AS n FROM document_chunks")
    used = {row["kind"]: row["n"] for row in rows}
    assert used == {"pages_parsed": used["pages_parsed"], "embedding_tokens": tokens["n"]}


async def test_work_put_aside_for_want_of_consent_is_replayed_with_it(sending: Line, server: EmbeddingServer) -> None:
    await sending.upload("manual", manual())
    await sending.drain(Stage.PARSE, Stage.CHUNK)
    claim = await sending.claim(Stage.EMBED)
    with pytest.raises(PermanentFault) as caught:
        await sending.do(claim)
    fault, key = caught.value, (sending.org_id, claim.document_id, claim.version)
    async with sending.database.tenant(sending.org_id) as connection:
        await settle(connection, claim, "quarantined", fault.message)
        await fail_version(connection, *key, stage=Stage.EMBED, code=fault.code, message=fault.message)
    assert await sending.messages(Stage.EMBED) == []
    await consents(sending.database, sending.org_id, True)
    async with sending.database.tenant(sending.org_id) as connection:
        await replay_work(connection, sending.org_id, claim.work_id)
    await sending.drain()
    assert (await sending.one("SELECT state, error_code FROM document_versions"))["state"] == "ready"
    assert server.texts


async def test_another_organisations_consent_counts_for_nobody_else(
    sending: Line, other_org: UUID, server: EmbeddingServer
) -> None:
    await consents(sending.database, other_org, True)
    await sending.upload("manual", manual())
    await sending.drain(Stage.PARSE, Stage.CHUNK)
    with pytest.raises(PermanentFault):
        await sending.do(await sending.claim(Stage.EMBED))
    assert server.texts == []


async def test_a_local_model_needs_no_consent(line: Line) -> None:
    await line.publish("manual", manual())
    assert (await line.one("SELECT state FROM document_versions"))["state"] == "ready"


async def test_no_question_leaves_without_consent(
    sending: Line, server: EmbeddingServer, encoder: OpenAICompatibleEncoder
) -> None:
    database, org = sending.database, sending.org_id
    await consents(database, org, True)
    await sending.publish("manual", manual())
    server.texts.clear()

    async def may_send(org_id: UUID) -> bool:
        async with database.tenant(org_id, readonly=True) as connection:
            return await has_consent(connection, org_id, Consent.EMBEDDING)

    settings = RetrieverSettings()
    retriever = Retriever(
        Corpus(database, 1, "test-model", timeout=settings.search_timeout_seconds),
        QuestionEncoder(encoder, cache_size=10),
        ServingModel(1, "test-model", OTHER_MODEL),
        settings,
        count_llm_tokens,
        may_send,
    )
    asker = Principal(org, uuid4(), frozenset({Scope.READ}), None)
    await consents(database, org, False)
    for strategy in (Strategy.AUTO, Strategy.SEMANTIC, Strategy.HYBRID, Strategy.KEYWORD):
        reply = await retriever.search(asker, SearchRequest(query=QUESTION, strategy=strategy))
        assert any(passage.text == RETURNS for passage in reply.passages), "words still find it"
        assert all(passage.scores.semantic is None for passage in reply.passages)
        warned = [warning for warning in reply.warnings if "no ha autorizado" in warning]
        assert len(warned) == (strategy is not Strategy.KEYWORD)
    assert server.texts == []
    await consents(database, org, True)
    reply = await retriever.search(asker, SearchRequest(query=QUESTION, strategy=Strategy.HYBRID))
    assert (reply.strategy, reply.warnings) == (Strategy.HYBRID, [])
    assert server.texts == [f"query: {QUESTION}"]
    await consents(database, org, False)
    again = await retriever.search(asker, SearchRequest(query=QUESTION, strategy=Strategy.HYBRID))
    assert any("no ha autorizado" in warning for warning in again.warnings), "a remembered vector changes nothing"


@pytest.mark.parametrize("consent", list(Consent))
async def test_each_consent_is_asked_for_by_its_own_name(database: Database, org: UUID, consent: Consent) -> None:
    async with database.tenant(org) as connection:
        others = {f"{other}_consent": other is not consent for other in Consent}
        await connection.execute("UPDATE organizations SET settings = $1::jsonb", others)
        assert not await has_consent(connection, org, consent)
        with pytest.raises(PermanentFault, match=f"--{consent}-consent"):
            await require_consent(connection, org, consent)
        await connection.execute("UPDATE organizations SET settings = $1::jsonb", {f"{consent}_consent": True})
        await require_consent(connection, org, consent)
