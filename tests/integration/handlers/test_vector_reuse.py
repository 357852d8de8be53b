"""A text is embedded once in an organisation: what the model has read before is copied, and never across tenants."""

from __future__ import annotations

from uuid import UUID

from tests.integration.handlers.line import Line, vector_of
from tests.integration.handlers.manual import ALARM, NEW_RETURNS, OVENS, RETURNS, manual

from skillnet_common.contracts.work import Stage
from skillnet_common.database import Database
from skillnet_dispatcher.loops.archive import Archive

HEADER = "Manual de tienda › "
VECTORS = (
    "SELECT body, header, embedding::text FROM document_chunks JOIN chunk_embeddings USING (org_id, chunk_id)"
    " WHERE chunk_embeddings.document_id = $1 AND chunk_embeddings.version = $2 ORDER BY chunk_index"
)
FIRST = [
    f"{HEADER}Devoluciones\n\n{RETURNS}",
    f"{HEADER}Hornos\n\n{OVENS}",
    f"{HEADER}Alarma\n\n{ALARM}",
]


async def vectors(line: Line, document_id: UUID, version: int) -> dict[str, str]:
    return {row["body"]: row["embedding"] for row in await line.fetch(VECTORS, document_id, version)}


async def test_a_new_version_embeds_only_the_section_that_changed(line: Line) -> None:
    first = await line.publish("manual", manual())
    assert line.encoder.texts == FIRST
    line.encoder.texts.clear()
    await line.upload("manual", manual(NEW_RETURNS))
    await line.drain(Stage.PARSE, Stage.CHUNK)
    (work,) = await line.fetch("SELECT chunk_ids FROM work WHERE stage = 'embed' AND state = 'waiting'")
    assert len(work["chunk_ids"]) == 1
    await line.drain()
    assert line.encoder.texts == [f"{HEADER}Devoluciones\n\n{NEW_RETURNS}"]
    old, new = await vectors(line, first.document_id, 1), await vectors(line, first.document_id, 2)
    assert list(new) == [NEW_RETURNS, OVENS, ALARM]
    assert {new[body] == old[body] for body in (OVENS, ALARM)} == {True}
    assert new[NEW_RETURNS] not in old.values()


async def test_the_same_document_under_another_key_is_live_from_the_chunker(line: Line) -> None:
    first = await line.publish("manual", manual())
    line.encoder.texts.clear()
    copy = await line.upload("copia", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    row = await line.one("SELECT live_version FROM documents WHERE document_id = $1", copy.document_id)
    assert row["live_version"] == 1
    assert line.encoder.texts == []
    assert await line.messages(Stage.EMBED) == []
    assert await vectors(line, copy.document_id, 1) == await vectors(line, first.document_id, 1)
    event = (await line.events())[-1]
    assert (event["document_id"], event["change"], event["chunk_count"]) == (str(copy.document_id), "created", 3)


async def test_another_header_is_another_text(line: Line) -> None:
    await line.publish("manual", manual())
    line.encoder.texts.clear()
    await line.publish("copia", manual().replace("# Manual de tienda", "# Guía de tienda"))
    assert len(line.encoder.texts) == 3


async def test_nothing_is_reused_across_organisations(line: Line, other_line: Line) -> None:
    await line.publish("manual", manual())
    await other_line.publish("manual", manual())
    assert other_line.encoder.texts == FIRST
    rows = await other_line.fetch("SELECT org_id FROM chunk_embeddings")
    assert [row["org_id"] for row in rows] == [other_line.org_id] * 3


async def test_vectors_in_the_archive_are_reused(line: Line, dispatcher_database: Database) -> None:
    first = await line.publish("manual", manual())
    await line.publish("manual", "# Manual de tienda\n\n## Aviso\n\nLa tienda está cerrada por obras.\n")
    while await Archive(dispatcher_database).step():
        pass
    assert await vectors(line, first.document_id, 1) == {}
    line.encoder.texts.clear()
    back = await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    row = await line.one("SELECT live_version FROM documents")
    assert (back.version, row["live_version"]) == (3, 3)
    assert line.encoder.texts == []
    archived = await line.fetch(
        "SELECT embedding::text FROM document_chunks JOIN chunk_embeddings_archive USING (org_id, chunk_id)"
        " WHERE document_chunks.version = 1 ORDER BY chunk_index"
    )
    assert [row["embedding"] for row in archived] == list((await vectors(line, back.document_id, 3)).values())


async def test_a_vector_of_a_failed_neighbour_batch_is_reused_too(line: Line) -> None:
    """Half of a version was embedded when a newer one came: that half is not done again."""
    await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    await line.do(await line.claim(Stage.EMBED))
    await line.upload("manual", manual() + "\nUna frase más.\n")
    await line.drain(Stage.PARSE, Stage.CHUNK)
    rows = await line.fetch("SELECT chunk_ids FROM work WHERE stage = 'embed' AND version = 2")
    assert [len(row["chunk_ids"]) for row in rows] == [1]


async def test_a_vector_belongs_to_its_own_text(line: Line) -> None:
    copies = [await line.publish(key, manual()) for key in ("uno", "dos")]
    for copy in copies:
        for row in await line.fetch(VECTORS, copy.document_id, 1):
            expected = vector_of(f"{row['header']}\n\n{row['body']}")
            stored = [float(number) for number in row["embedding"].strip("[]").split(",")]
            assert max(abs(a - b) for a, b in zip(stored, expected.tolist(), strict=True)) < 1e-3
