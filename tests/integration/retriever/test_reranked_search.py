"""Searches whose best passages a reranker puts in order: when, with whose consent, and what if it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.conftest import DatabaseUrls
from tests.integration.inference.reranking import write_cross_encoder
from tests.integration.retriever.conftest import TinyEncoder, asker, axis_vector, make_retriever
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_common.consent import Consent, has_consent
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchReply, SearchRequest
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_inference.rerank.cross_encoder import OnnxCrossEncoder
from skillnet_inference.rerank.reranker import Reranker
from skillnet_retriever.domain.reranking import RerankRule
from skillnet_retriever.reranking import MaySend, Reranking

ALWAYS = RerankRule(candidates=20, min_candidates=2, close_share=0)
NEVER = RerankRule(candidates=20, min_candidates=100, close_share=0)
QUERY = "plazo de devolución"


class Scripted:
    """Scores as told, slowly, or not at all."""

    def __init__(self, fault: Exception | None = None, seconds: float = 0) -> None:
        self.fault = fault
        self.seconds = seconds
        self.asked: list[tuple[str, list[str]]] = []

    @property
    def name(self) -> str:
        return "scripted"

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        self.asked.append((question, list(passages)))
        await asyncio.sleep(self.seconds)
        if self.fault is not None:
            raise self.fault
        return [float("treinta" in passage) for passage in passages]

    async def close(self) -> None:
        """Nothing to free."""


@pytest.fixture
async def corpus(database: Database, org: UUID) -> None:
    bodies = ["Plazo de devolución en caja.", "El plazo de devolución son treinta días.", "Pan del horno."]
    chunks = [SeedChunk(body, axis_vector(body).tolist(), path=("Plazos",)) for body in bodies]
    await seed(database, org, SeedDocument("Manual", chunks))


async def found(
    database: Database, org: UUID, reranker: Reranker | None, rule: RerankRule = ALWAYS, **more: Any
) -> SearchReply:
    may_send: MaySend | None = more.pop("may_send", None)
    reranking = Reranking(reranker, rule, seconds=more.pop("seconds", 30), may_send=may_send)
    retriever = make_retriever(database, TinyEncoder(), reranking=reranking)
    return await retriever.search(asker(org), SearchRequest(query=QUERY, **more))


async def test_a_cross_encoder_orders_the_best_passages(
    database: Database, org: UUID, corpus: None, tmp_path: Path
) -> None:
    reranker = OnnxCrossEncoder(write_cross_encoder(tmp_path), "tiny", window=64)
    before = await found(database, org, None)
    after = await found(database, org, reranker)
    await reranker.close()
    assert {passage.chunk_id for passage in before.passages} == {passage.chunk_id for passage in after.passages}
    scores = [passage.scores.rerank for passage in after.passages]
    assert scores == sorted(scores, key=lambda score: -(score or 0))
    assert [p.scores.fused for p in after.passages] == [p.scores.fused for p in before.passages]
    assert after.warnings == before.warnings == []


async def test_a_context_is_made_of_the_reranked(database: Database, org: UUID, corpus: None) -> None:
    scripted = Scripted()
    retriever = make_retriever(database, TinyEncoder(), reranking=Reranking(scripted, ALWAYS, seconds=30))
    reply = await retriever.context(asker(org), ContextRequest(query=QUERY, limit=1))
    assert "treinta" in reply.sources[0].text
    ((question, passages),) = scripted.asked
    assert question == QUERY
    assert "Manual > Plazos\nPlazo de devolución en caja." in passages


@pytest.mark.parametrize(("wanted", "rule", "asked"), [(None, NEVER, 0), (True, NEVER, 1), (False, ALWAYS, 0)])
async def test_the_request_overrules_the_rule(
    database: Database, org: UUID, corpus: None, wanted: bool | None, rule: RerankRule, asked: int
) -> None:
    scripted = Scripted()
    reply = await found(database, org, scripted, rule, rerank=wanted)
    assert len(scripted.asked) == asked
    assert reply.warnings == []


async def test_without_a_reranker_a_wish_for_one_is_a_warning(database: Database, org: UUID, corpus: None) -> None:
    assert any("RERANK_PROVIDER" in warning for warning in (await found(database, org, None, rerank=True)).warnings)


@pytest.mark.parametrize(
    "scripted",
    [Scripted(PassingFault(ErrorCode.PROVIDER_FAILED, "no")), Scripted(seconds=600)],
    ids=["fails", "is slow"],
)
async def test_a_reranker_that_fails_changes_nothing(
    database: Database, org: UUID, corpus: None, scripted: Scripted
) -> None:
    plain = await found(database, org, None)
    reply = await found(database, org, scripted, seconds=0.2)
    assert [passage.scores for passage in reply.passages] == [passage.scores for passage in plain.passages]
    assert any("reordenador" in warning for warning in reply.warnings)


async def test_without_consent_nothing_is_sent(database: Database, org: UUID, corpus: None) -> None:
    async def refused(asked: UUID) -> bool:
        assert asked == org
        return False

    scripted = Scripted()
    reply = await found(database, org, scripted, may_send=refused)
    assert scripted.asked == []
    assert any("no ha autorizado" in warning for warning in reply.warnings)


async def test_consent_is_asked_before_a_connection_is_held(
    database_urls: DatabaseUrls, database: Database, org: UUID, corpus: None
) -> None:
    """As many searches as connections: none may hold one and wait for another."""
    pool = await Database.connect(database_urls.service, size=2)

    async def looked_up(asked: UUID) -> bool:
        async with pool.tenant(asked, readonly=True) as connection:
            return await has_consent(connection, asked, Consent.RERANK)

    reranking = Reranking(Scripted(), ALWAYS, seconds=30, may_send=looked_up)
    retriever = make_retriever(pool, TinyEncoder(), reranking=reranking)
    request = SearchRequest(query=QUERY, variants=["treinta días"])
    try:
        async with asyncio.timeout(60):
            replies = await asyncio.gather(*(retriever.search(asker(org), request) for _ in range(12)))
    finally:
        await pool.close()
    assert all(any("no ha autorizado" in warning for warning in reply.warnings) for reply in replies)


async def test_variants_bury_no_leader_and_say_nothing_of_the_ground(
    database: Database, org: UUID, corpus: None
) -> None:
    retriever = make_retriever(database, TinyEncoder())
    unrelated = ["pan", "horno de pan", "el pan del horno"]
    plain = await retriever.ground(asker(org), GroundRequest(query=QUERY, allow_document=False))
    asked = GroundRequest(query=QUERY, variants=unrelated, allow_document=False)
    assert (await retriever.ground(asker(org), asked)).evidence == plain.evidence
    reply = await retriever.search(asker(org), SearchRequest(query=QUERY, variants=unrelated, limit=3))
    assert 1 in [passage.scores.semantic_rank for passage in reply.passages]
