"""Late interaction in a search: on tokens in the database, beside documents that have none."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import numpy as np
import pytest
from tests.integration.retriever.conftest import TinyEncoder, asker, axis_vector, make_retriever
from tests.integration.retriever.seeding import SeedChunk, SeedDocument, seed

from skillnet_common.contracts.retrieval import Fusion, SearchReply, SearchRequest, Strategy
from skillnet_common.database import Database
from skillnet_inference.token_vectors import sign_bits
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

QUESTION = "devoluciones limpieza"
BOTH = "Se aceptan devoluciones tras la limpieza del artículo, con el tique."
ONE = "Devoluciones, devoluciones y devoluciones: así se hacen las devoluciones limpieza aparte."
NEITHER = "Los precios están en la carta."


def chunk(body: str, words: str, vector: str) -> SeedChunk:
    """A chunk whose vector is that of `vector`, and whose tokens point where each of `words` points."""
    tokens = np.stack([axis_vector(word) - 0.5 for word in words.split()])
    return SeedChunk(body, axis_vector(vector).tolist(), token_bits=sign_bits(tokens) if words else None)


def document(body: str, words: str | None, vector: str) -> SeedDocument:
    chunks = [chunk(body, words, vector)] if words else [SeedChunk(body, axis_vector(vector).tolist())]
    return SeedDocument("Documento", chunks)


async def found(retriever: Retriever, org: UUID, **fields: Any) -> SearchReply:
    fields.setdefault("strategy", Strategy.HYBRID)
    return await retriever.search(asker(org), SearchRequest(query=QUESTION, **fields))


def texts(reply: SearchReply) -> list[str]:
    return [passage.text for passage in reply.passages]


@pytest.fixture
async def shop(database: Database, org: UUID) -> None:
    """By vector and words ONE is ahead; of the tokens BOTH holds those of the question's two words."""
    await seed(
        database,
        org,
        document(BOTH, "devoluciones limpieza", "devoluciones"),
        document(ONE, "devoluciones devoluciones", "devoluciones limpieza"),
        document(NEITHER, "precios", "precios"),
    )


@pytest.mark.parametrize("fusion", [Fusion.COVERAGE, Fusion.STANDARDISED])
async def test_the_passage_that_holds_every_token_is_moved_up(
    retriever: Retriever, org: UUID, shop: None, fusion: Fusion
) -> None:
    without = await found(retriever, org, fusion=fusion, late_interaction=False)
    assert texts(without)[:2] == [ONE, BOTH]
    assert [passage.scores.late for passage in without.passages] == [None] * 3
    reply = await found(retriever, org, fusion=fusion)
    assert texts(reply) == [BOTH, ONE, NEITHER]
    late = [passage.scores.late for passage in reply.passages]
    assert late == sorted(late, key=lambda score: -(score or 0))
    assert None not in late
    assert texts(await found(retriever, org, fusion=fusion, late_interaction=True)) == texts(reply)


async def test_beside_reciprocal_ranks_it_is_a_third_ranking(retriever: Retriever, org: UUID, shop: None) -> None:
    """ONE is first of both legs, which have half a vote each, and BOTH of the tokens: a draw."""
    reply = await found(retriever, org, fusion=Fusion.RRF)
    one, other = (passage.scores for passage in reply.passages[:2])
    assert one.late != other.late
    assert one.fused == pytest.approx(other.fused)


async def test_words_alone_are_left_alone(retriever: Retriever, org: UUID, shop: None) -> None:
    for fields in ({"strategy": Strategy.KEYWORD}, {"alpha": 0.0}):
        reply = await found(retriever, org, **fields)
        assert texts(reply)[0] == ONE
        assert {passage.scores.late for passage in reply.passages} == {None}


async def test_documents_without_tokens_keep_their_fused_score(
    database: Database, retriever: Retriever, org: UUID
) -> None:
    old = "Texto antiguo sobre devoluciones y limpieza."
    await seed(
        database,
        org,
        document(BOTH, "devoluciones limpieza", "devoluciones"),
        document(NEITHER, "precios", "precios"),
        document(old, None, "devoluciones limpieza"),
    )
    scores = {}
    for late in (False, True):
        reply = await found(retriever, org, late_interaction=late)
        scores[late] = {passage.text: passage.scores for passage in reply.passages}
    assert scores[True][old] == scores[False][old]
    assert scores[True][old].late is None
    assert scores[True][BOTH].late is not None


async def test_where_it_is_off_only_a_request_for_it_is_told(
    database: Database, encoder: TinyEncoder, org: UUID, shop: None
) -> None:
    retriever = make_retriever(database, encoder, settings=RetrieverSettings(late_interaction=False))
    silent = await found(retriever, org)
    assert (texts(silent)[0], silent.warnings) == (ONE, [])
    told = await found(retriever, org, late_interaction=True)
    assert texts(told) == texts(silent)
    assert "LATE_INTERACTION" in told.warnings[0]


async def test_another_organisations_tokens_are_not_read(
    database: Database, retriever: Retriever, org: UUID, other_org: UUID, shop: None
) -> None:
    own = document(ONE, None, "devoluciones limpieza")
    await seed(database, other_org, own)
    reply = await found(retriever, other_org)
    assert [(passage.text, passage.scores.late) for passage in reply.passages] == [(ONE, None)]
