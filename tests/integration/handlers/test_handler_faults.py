"""What handlers do when the file, the version or their claim is not there any more: nothing half-written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.handlers.line import RULES, Line, RecordingEncoder, WordCounter, read_in_process, work_table
from tests.integration.handlers.manual import manual

from skillnet_chunker.handlers import ChunkHandler
from skillnet_common.contracts.work import Stage
from skillnet_common.documents import ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_common.runtime.worker import DoWork
from skillnet_common.versions import DocumentGone, cancel_version
from skillnet_common.work import LostClaim
from skillnet_embedder.handlers import EmbedHandler
from skillnet_inference.token_vectors import EncodedPassages
from skillnet_parser.handlers import ParseHandler

STAGES = tuple(Stage)
stages = pytest.mark.parametrize("stage", STAGES, ids=str)


async def reach(line: Line, stage: Stage) -> None:
    """Takes an upload as far as the stage."""
    await line.upload("manual", manual())
    for earlier in STAGES[: STAGES.index(stage)]:
        await line.drain(earlier)


async def test_a_file_without_text_is_nothing_readable(line: Line) -> None:
    await line.upload("vacío", " \n\n---\n")
    with pytest.raises(PermanentFault) as caught:
        await line.do(await line.claim(Stage.PARSE))
    assert caught.value.code is ErrorCode.NOTHING_READABLE
    assert set((await line.written()).values()) == {0, 1}  # the work is still claimed: its worker decides


async def test_a_document_without_chunks_is_nothing_readable(line: Line) -> None:
    async def read_without_text(path: Path, file_name: str) -> ParsedDocument:
        return replace(await read_in_process(path, file_name), blocks=())

    line.parser = ParseHandler(line.database, line.originals, read_without_text)
    await reach(line, Stage.CHUNK)
    before = await line.written()
    with pytest.raises(PermanentFault) as caught:
        await line.do(await line.claim(Stage.CHUNK))
    assert caught.value.code is ErrorCode.NOTHING_READABLE
    assert await line.written() == before


async def test_an_original_that_is_gone(line: Line) -> None:
    await line.upload("manual", manual())
    await line.originals.delete((await line.one("SELECT object_key FROM document_versions"))["object_key"])
    with pytest.raises(PermanentFault) as caught:
        await line.do(await line.claim(Stage.PARSE))
    assert caught.value.code is ErrorCode.ORIGINAL_MISSING


@stages
async def test_a_document_deleted_after_the_claim_is_gone(line: Line, stage: Stage) -> None:
    await reach(line, stage)
    claim = await line.claim(stage)
    await line.delete(claim.document_id)
    before = await line.written()
    with pytest.raises((DocumentGone, LostClaim)):
        await line.do(claim)
    assert await line.written() == before


async def test_a_version_whose_text_is_gone(line: Line) -> None:
    await reach(line, Stage.CHUNK)
    claim = await line.claim(Stage.CHUNK)
    async with line.database.tenant(line.org_id) as connection:
        assert await cancel_version(connection, line.org_id, claim.document_id, claim.version)
    with pytest.raises(DocumentGone):
        await line.do(claim)
    assert (await line.written())["document_chunks"] == 0


async def test_a_batch_whose_chunks_are_gone(line: Line) -> None:
    await reach(line, Stage.EMBED)
    claim = await line.claim(Stage.EMBED)
    async with line.database.tenant(line.org_id) as connection:
        await connection.execute("DELETE FROM document_chunks WHERE chunk_id = $1", claim.chunk_ids[0])
    with pytest.raises(DocumentGone):
        await line.do(claim)
    assert line.encoder.texts == []


class Interrupting:
    """Parts for the handlers that have the document deleted while they compute."""

    def __init__(self, line: Line, stage: Stage) -> None:
        self._line = line
        self._stage = stage
        self._encoder = RecordingEncoder()

    async def do(self) -> None:
        """Claims the stage's work and does it, with the delete in the middle."""
        line = self._line
        claim = await line.claim(self._stage)
        self._document_id = claim.document_id
        handlers: dict[Stage, DoWork] = {
            Stage.PARSE: ParseHandler(line.database, line.originals, self.read),
            Stage.EMBED: EmbedHandler(line.database, self.encode),
        }
        await handlers[self._stage](claim)

    async def read(self, path: Path, file_name: str) -> ParsedDocument:
        await self._line.delete(self._document_id)
        return await read_in_process(path, file_name)

    async def encode(self, texts: Sequence[str]) -> EncodedPassages:
        await self._line.delete(self._document_id)
        return await self._encoder(texts)


@pytest.mark.parametrize("stage", [Stage.PARSE, Stage.EMBED], ids=str)
async def test_a_delete_between_reading_and_writing_wins(line: Line, stage: Stage) -> None:
    await reach(line, stage)
    before = await line.written()
    with pytest.raises(DocumentGone):  # seen under the document's lock, before the claim is looked at
        await Interrupting(line, stage).do()
    after = await line.written()
    assert {**after, "open_work": 0} == {**before, "open_work": 0}
    assert (await line.one("SELECT state FROM document_versions"))["state"] == "cancelled"


async def test_a_delete_while_the_chunker_cuts_wins(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    await reach(line, Stage.CHUNK)
    claim = await line.claim(Stage.CHUNK)
    handler = ChunkHandler(line.database, WordCounter(), RULES, batch_tokens=40)
    load = handler._load

    async def load_then_delete(*arguments: object) -> object:
        loaded = await load(*arguments)  # type: ignore[arg-type]
        await line.delete(claim.document_id)
        return loaded

    monkeypatch.setattr(handler, "_load", load_then_delete)
    with pytest.raises(DocumentGone):
        await handler(claim)
    assert (await line.written())["document_chunks"] == 0


@stages
async def test_a_worker_that_lost_its_claim_writes_nothing(line: Line, stage: Stage) -> None:
    await reach(line, stage)
    late = await line.claim(stage, work_table(line.database, lease_seconds=0))
    await line.claim(stage)  # another worker holds it now, and has not written yet
    before = await line.written()
    with pytest.raises(LostClaim):
        await line.do(late)
    assert await line.written() == before


@stages
async def test_the_second_of_two_workers_finishes_what_the_first_lost(line: Line, stage: Stage) -> None:
    await reach(line, stage)
    late = await line.claim(stage, work_table(line.database, lease_seconds=0))
    await line.do(await line.claim(stage))
    before = await line.written()
    with pytest.raises((DocumentGone, LostClaim)):
        await line.do(late)
    assert await line.written() == before
    await line.drain()
    assert (await line.one("SELECT live_version FROM documents"))["live_version"] == 1
    assert len(await line.events()) == 1


async def test_a_version_outrun_while_it_was_embedded_never_becomes_live(line: Line) -> None:
    await reach(line, Stage.EMBED)
    await line.do(await line.claim(Stage.EMBED))
    last = await line.claim(Stage.EMBED)
    await line.upload("manual", "# Manual de tienda\n\nLa tienda está cerrada por obras.\n")
    await line.drain(Stage.PARSE, Stage.CHUNK)
    newer = next(message for message in await line.messages(Stage.EMBED) if message.work_id != last.work_id)
    claim = await line.table.claim(newer)
    assert claim is not None
    await line.do(claim)
    await line.do(last)
    states = await line.fetch("SELECT state FROM document_versions ORDER BY version")
    assert [row["state"] for row in states] == ["superseded", "ready"]
    assert [event["version"] for event in await line.events()] == [2]
