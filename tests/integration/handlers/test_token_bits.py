"""The sign bits of tokens come and go with the vectors of their chunks, and are carried over with them."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID, uuid4

import numpy as np
import pytest
from tests.integration.handlers.line import Line, RecordingEncoder, token_bits_of
from tests.integration.handlers.manual import NEW_RETURNS, manual

from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database
from skillnet_common.work import LostClaim
from skillnet_dispatcher.loops.archive import Archive
from skillnet_embedder.encoding import encode_with
from skillnet_embedder.handlers import EmbedHandler
from skillnet_inference.encoder import Encoder
from skillnet_inference.vectors import Vectors

BITS = (
    "SELECT header, body, token_bits FROM document_chunks LEFT JOIN chunk_token_bits USING (org_id, chunk_id)"
    " WHERE document_id = $1 AND version = $2 ORDER BY chunk_index"
)


async def bits(line: Line, document_id: UUID, version: int = 1) -> list[bytes | None]:
    return [row["token_bits"] for row in await line.fetch(BITS, document_id, version)]


async def expected(line: Line, document_id: UUID, version: int = 1) -> list[bytes]:
    rows = await line.fetch(BITS, document_id, version)
    return [token_bits_of(f"{row['header']}\n\n{row['body']}") for row in rows]


@pytest.fixture
def plain(line: Line) -> EmbedHandler:
    """An embedder of the same line without late interaction."""
    return EmbedHandler(line.database, RecordingEncoder(late_interaction=False))


async def test_they_are_written_with_the_vectors(line: Line) -> None:
    upload = await line.publish("manual", manual())
    assert await bits(line, upload.document_id) == await expected(line, upload.document_id)
    assert len(await bits(line, upload.document_id)) == 3


async def test_without_late_interaction_there_are_vectors_alone(line: Line, plain: EmbedHandler) -> None:
    line.embedder = plain
    upload = await line.publish("manual", manual())
    assert await bits(line, upload.document_id) == [None] * 3
    assert (await line.one("SELECT count(*) AS n FROM chunk_embeddings"))["n"] == 3


async def test_a_claim_that_is_lost_leaves_neither(line: Line) -> None:
    await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    claim = await line.claim(Stage.EMBED)
    with pytest.raises(LostClaim):
        await line.do(replace(claim, token=uuid4()))
    for table in ("chunk_embeddings", "chunk_token_bits"):
        assert (await line.one(f"SELECT count(*) AS n FROM {table}"))["n"] == 0


async def test_a_new_version_takes_over_those_of_unchanged_sections(line: Line) -> None:
    first = await line.publish("manual", manual())
    await line.publish("manual", manual(NEW_RETURNS))
    assert await bits(line, first.document_id, 2) == await expected(line, first.document_id, 2)
    assert (await bits(line, first.document_id, 2))[1:] == (await bits(line, first.document_id, 1))[1:]


async def test_a_copy_takes_them_over_without_the_embedder(line: Line) -> None:
    first = await line.publish("manual", manual())
    copy = await line.upload("copia", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    assert await bits(line, copy.document_id) == await bits(line, first.document_id)


async def test_those_of_a_superseded_version_stay_while_its_vectors_are_archived(
    line: Line, dispatcher_database: Database
) -> None:
    first = await line.publish("manual", manual())
    before = await bits(line, first.document_id)
    await line.publish("manual", "# Manual de tienda\n\n## Aviso\n\nLa tienda está cerrada por obras.\n")
    while await Archive(dispatcher_database).step():
        pass
    assert await bits(line, first.document_id) == before
    back = await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    assert await bits(line, first.document_id, back.version) == before


async def test_vectors_from_before_are_reused_without_bits(line: Line, plain: EmbedHandler) -> None:
    with_bits, line.embedder = line.embedder, plain
    await line.publish("manual", manual())
    line.embedder = with_bits
    second = await line.publish("manual", manual(NEW_RETURNS))
    assert [one is not None for one in await bits(line, second.document_id, 2)] == [True, False, False]


async def test_they_go_with_their_chunks(line: Line) -> None:
    await line.publish("manual", manual())
    await line.fetch("DELETE FROM document_chunks")
    assert await line.fetch("SELECT 1 FROM chunk_token_bits") == []


async def test_another_organisation_sees_and_reuses_none(line: Line, other_line: Line) -> None:
    await line.publish("manual", manual())
    assert await other_line.fetch("SELECT 1 FROM chunk_token_bits") == []
    other_line.embedder = EmbedHandler(other_line.database, RecordingEncoder(late_interaction=False))
    own = await other_line.publish("manual", manual())
    assert await bits(other_line, own.document_id) == [None] * 3


class WithoutTokens:
    """As an encoder behind an API is."""

    gives_tokens = False

    async def aencode_passages(self, texts: list[str]) -> Vectors:
        return np.ones((len(texts), 4), np.float32)


async def test_a_model_that_gives_no_tokens_has_none_stored() -> None:
    encoder: Encoder = WithoutTokens()  # type: ignore[assignment]
    vectors, token_bits = await encode_with(encoder, late_interaction=True)(["a", "b"])
    assert (vectors.shape, token_bits) == ((2, 4), None)
