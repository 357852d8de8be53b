"""From an upload to a live version with the services' own handlers: what each of them writes."""

from __future__ import annotations

import hashlib
from uuid import UUID

import numpy as np
import pytest
from tests.integration.handlers.line import OPTIONS, Line, vector_of
from tests.integration.handlers.manual import ALARM, NEW_RETURNS, OVENS, RETURNS, manual

from skillnet_common.contracts.work import Stage
from skillnet_common.documents.digests import section_digests
from skillnet_common.versions.contents import load_parsed

TITLE = "Manual de tienda"
SECTIONS = ("Devoluciones", "Hornos", "Alarma")
BODIES = (RETURNS, OVENS, ALARM)


async def test_the_parser_writes_text_layout_and_sections(line: Line) -> None:
    upload = await line.upload("manual", manual())
    await line.drain(Stage.PARSE)

    version = await line.one("SELECT * FROM document_versions")
    assert (version["state"], version["title"], version["file_type"]) == ("parsed", TITLE, "markdown")
    assert (version["language"], version["page_count"], version["page_count_estimated"]) == ("es", 1, True)
    async with line.database.tenant(line.org_id) as connection:
        parsed = await load_parsed(connection, line.org_id, upload.document_id, 1)
    assert parsed is not None
    assert all(body in parsed.text for body in BODIES)
    assert parsed.blocks
    assert [section.path for section in parsed.sections] == [(), (TITLE,), *((TITLE, name) for name in SECTIONS)]
    rows = await line.fetch("SELECT char_start, char_end, digest FROM document_sections ORDER BY section_index")
    assert [row["digest"] for row in rows] == section_digests(parsed)
    assert len({row["digest"] for row in rows}) == 5
    assert [parsed.text[row["char_start"] : row["char_end"]] for row in rows][2:] == [
        f"{name}\n\n{body}" for name, body in zip(SECTIONS, BODIES, strict=True)
    ]
    work = await line.fetch("SELECT stage, state, cost FROM work ORDER BY work_id")
    assert [tuple(row) for row in work] == [("parse", "done", 1), ("chunk", "waiting", 1)]


async def test_the_chunker_writes_chunks_postings_and_batches(line: Line) -> None:
    await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)

    version = await line.one("SELECT state, expected_chunks, lexeme_count FROM document_versions")
    assert (version["state"], version["expected_chunks"]) == ("embedding", 3)
    chunks = await line.fetch("SELECT * FROM document_chunks ORDER BY chunk_index")
    assert [(chunk["chunk_index"], chunk["chunk_total"]) for chunk in chunks] == [(0, 3), (1, 3), (2, 3)]
    assert [chunk["body"] for chunk in chunks] == list(BODIES)
    text = (await line.one("SELECT text FROM document_texts"))["text"]
    for chunk, name, body in zip(chunks, SECTIONS, BODIES, strict=True):
        assert chunk["section_path"] == [TITLE, name]
        assert (chunk["heading"], chunk["header"]) == (name, f"{TITLE} › {name}")
        assert text[chunk["char_start"] : chunk["char_end"]] == body
        assert chunk["content_hash"] == hashlib.sha256(body.encode()).digest()
        model_input = f"{OPTIONS.prefix}{chunk['header']}\n\n{body}"
        assert chunk["embed_hash"] == hashlib.sha256(model_input.encode()).digest()
        assert chunk["token_count"] == len(model_input.split())
    posted = await line.one(
        "SELECT entries FROM chunk_postings WHERE lexeme = (SELECT lexeme FROM chunk_lexemes('es', '', 'hornos')"
        " ORDER BY lexeme LIMIT 1)"
    )
    assert [entry >> 32 for entry in posted["entries"]] == [1]
    assert version["lexeme_count"] > 0
    batches = await line.fetch("SELECT chunk_ids, cost FROM work WHERE stage = 'embed' ORDER BY work_id")
    ids = [chunk["chunk_id"] for chunk in chunks]
    assert [batch["chunk_ids"] for batch in batches] == [ids[:2], ids[2:]]
    assert [batch["cost"] for batch in batches] == [
        sum(chunk["token_count"] for chunk in chunks[:2]),
        chunks[2]["token_count"],
    ]


async def test_the_last_batch_makes_the_version_live(line: Line) -> None:
    upload = await line.upload("manual", manual())
    await line.drain(Stage.PARSE, Stage.CHUNK)
    await line.do(await line.claim(Stage.EMBED))
    assert await live_version(line, upload.document_id) is None
    assert await line.events() == []
    await line.do(await line.claim(Stage.EMBED))
    assert await live_version(line, upload.document_id) == 1

    rows = await line.fetch(
        "SELECT header, body, embedding FROM document_chunks JOIN chunk_embeddings USING (org_id, chunk_id)"
    )
    assert len(rows) == 3
    for row in rows:
        stored = row["embedding"].to_numpy().astype(np.float32)
        assert stored == pytest.approx(vector_of(f"{row['header']}\n\n{row['body']}"), abs=1e-3)
    (event,) = await line.events()
    assert (event["change"], event["version"], event["previous_version"]) == ("created", 1, None)
    assert (event["title"], event["chunk_count"], event["embedding_model"]) == (TITLE, 3, "test-model")
    assert event["sections"]["added"] == [[TITLE], *([TITLE, name] for name in SECTIONS)]


async def test_a_second_version_tells_which_sections_differ(line: Line) -> None:
    await line.publish("manual", manual())
    await line.publish("manual", manual(NEW_RETURNS, "## Turnos", "El turno de mañana empieza a las seis."))
    shorter = manual(NEW_RETURNS).replace(f"## Hornos\n\n{OVENS}\n\n", "")
    await line.publish("manual", shorter)

    _, second, third = await line.events()
    assert (second["change"], second["version"], second["previous_version"]) == ("replaced", 2, 1)
    assert second["sections"] == {
        "added": [[TITLE, "Turnos"]],
        "changed": [[TITLE, "Devoluciones"]],
        "removed": [],
        "truncated": False,
    }
    assert third["sections"]["removed"] == [[TITLE, "Hornos"], [TITLE, "Turnos"]]
    assert (third["sections"]["added"], third["sections"]["changed"]) == ([], [])
    states = await line.fetch("SELECT state FROM document_versions ORDER BY version")
    assert [row["state"] for row in states] == ["superseded", "superseded", "ready"]


async def test_a_title_that_was_given_is_kept(line: Line) -> None:
    await line.publish("dado", manual(), title="Mi título")
    await line.publish("dado", manual(NEW_RETURNS))
    await line.publish("sin-titulo", "Un texto sin título ni secciones, solo con un párrafo.\n")
    titles = await line.fetch("SELECT external_key, title FROM documents ORDER BY external_key")
    assert [tuple(row) for row in titles] == [("dado", "Mi título"), ("sin-titulo", "sin-titulo.md")]
    headers = await line.fetch("SELECT DISTINCT header FROM document_chunks WHERE header LIKE 'Mi título%'")
    assert len(headers) == 3


async def test_a_new_title_in_the_document_shows_once_its_version_is_live(line: Line) -> None:
    upload = await line.publish("manual", manual())
    await line.upload("manual", manual().replace("# Manual", "# Nuevo manual"))
    await line.drain(Stage.PARSE, Stage.CHUNK)
    assert (await line.one("SELECT title FROM documents"))["title"] == TITLE
    await line.drain()
    assert (await line.one("SELECT title FROM documents"))["title"] == "Nuevo manual de tienda"
    assert await live_version(line, upload.document_id) == 2


async def live_version(line: Line, document_id: UUID) -> int | None:
    row = await line.one("SELECT live_version FROM documents WHERE document_id = $1", document_id)
    version: int | None = row["live_version"]
    return version
