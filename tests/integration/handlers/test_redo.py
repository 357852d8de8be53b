"""A changed pipeline is a reason to redo what it touches, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import pytest
from tests.integration.handlers.line import RULES, Line
from tests.integration.handlers.manual import ALARM, OVENS, RETURNS, manual

from skillnet_common import pipeline
from skillnet_common.chunk_sizes import OwnSizes, own_sizes
from skillnet_common.contracts.work import Stage
from skillnet_common.errors import ErrorCode
from skillnet_common.versions import Outdated, Redone, fail_version, find_outdated, redo_document

LONG = " ".join(f"La regla {number:03} vale para todas las tiendas de la empresa." for number in range(40))
"""Some 440 words: a chunk or two by default, more by 128 tokens."""


async def fingerprint(line: Line) -> str:
    async with line.database.tenant(line.org_id) as connection:
        return pipeline.pipeline_fingerprint(RULES.sizes(await own_sizes(connection, line.org_id)))


async def outdated(line: Line, only: Sequence[UUID] | None = None) -> Outdated:
    current = await fingerprint(line)
    async with line.database.tenant(line.org_id) as connection:
        return await find_outdated(connection, line.org_id, current, only=only, limit=10)


async def redo(line: Line, document_id: UUID) -> Redone | None:
    current = await fingerprint(line)
    async with line.database.tenant(line.org_id) as connection:
        return await redo_document(connection, line.org_id, document_id, current)


async def set_sizes(line: Line, **sizes: int | None) -> None:
    settings = {f"chunk_{name}": size for name, size in sizes.items()}
    await line.fetch("UPDATE organizations SET settings = settings || $1::jsonb RETURNING 1", settings)


async def test_other_sizes_cut_anew_what_was_read_and_embed_only_new_texts(line: Line) -> None:
    content = manual(RETURNS, "## Normas", LONG)
    first = await line.publish("manual", content)
    assert await outdated(line) == Outdated([], 0)
    await set_sizes(line, max_tokens=128)
    assert await outdated(line) == Outdated([first.document_id], 1)
    line.encoder.texts.clear()

    assert await redo(line, first.document_id) == Redone(first.document_id, 2, Stage.CHUNK)
    assert await line.messages(Stage.PARSE) == []
    await line.drain()

    row = await line.one("SELECT live_version, title FROM documents")
    assert (row["live_version"], row["title"]) == (2, "Manual de tienda")
    chunks = await line.fetch(
        "SELECT body, token_count, overlap_chars FROM document_chunks WHERE version = 2 ORDER BY chunk_index"
    )
    assert [chunk["body"] for chunk in chunks][:3] == [RETURNS, OVENS, ALARM]
    assert len(chunks) > 5
    assert max(chunk["token_count"] for chunk in chunks) <= 128
    assert line.encoder.texts == [f"Manual de tienda › Normas\n\n{chunk['body']}" for chunk in chunks[3:]]
    texts = await line.fetch("SELECT text, layout, removed FROM document_texts ORDER BY version")
    assert texts[0] == texts[1]
    versions = await line.fetch(
        "SELECT object_key, file_type, language, page_count, pipeline_fingerprint FROM document_versions"
        " ORDER BY version"
    )
    assert versions[0][:4] == versions[1][:4]
    assert versions[1]["pipeline_fingerprint"] == await fingerprint(line)
    events = await line.events()
    assert [event["content_changed"] for event in events] == [True, False]
    event = events[-1]
    assert event["sections"] == {"added": [], "changed": [], "removed": [], "truncated": False}
    assert await outdated(line) == Outdated([], 0)
    assert await redo(line, first.document_id) is None


async def test_another_parser_reads_anew_and_embeds_nothing_that_reads_the_same(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await line.publish("manual", manual())
    line.encoder.texts.clear()
    monkeypatch.setattr(pipeline, "PARSER_VERSION", "next")
    assert await redo(line, first.document_id) == Redone(first.document_id, 2, Stage.PARSE)
    assert await redo(line, first.document_id) is None
    await line.drain()
    assert (await line.one("SELECT live_version FROM documents"))["live_version"] == 2
    assert line.encoder.texts == []
    assert await outdated(line) == Outdated([], 0)


@pytest.mark.parametrize("part", ["CHUNKER_VERSION", "HEADER_VERSION"])
async def test_another_chunker_or_header_cuts_anew(line: Line, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first = await line.publish("manual", manual())
    monkeypatch.setattr(pipeline, part, "next")
    redone = await redo(line, first.document_id)
    assert redone is not None
    assert redone.stage is Stage.CHUNK


async def test_the_same_bytes_with_other_sizes_are_cut_anew_without_reading(line: Line) -> None:
    await line.publish("manual", manual())
    await set_sizes(line, min_tokens=200)
    line.sizes = RULES.sizes(OwnSizes(min_tokens=200))
    await line.upload("manual", manual())
    assert await line.messages(Stage.PARSE) == []
    await line.drain()
    bodies = await line.fetch("SELECT body FROM document_chunks WHERE version = 2")
    assert len(bodies) == 1


async def test_sizes_are_those_of_the_moment_of_cutting(line: Line) -> None:
    """What the version says is what was done, though something else was meant at upload."""
    await line.upload("manual", manual())
    await set_sizes(line, overlap_sentences=0)
    await line.drain()
    row = await line.one("SELECT pipeline_fingerprint FROM document_versions")
    assert row["pipeline_fingerprint"] == await fingerprint(line)


async def test_one_organisations_sizes_are_not_anothers(line: Line, other_line: Line) -> None:
    await set_sizes(line, min_tokens=200)
    for each in (line, other_line):
        await each.publish("manual", manual())
    assert len(await line.fetch("SELECT FROM document_chunks")) == 1
    assert len(await other_line.fetch("SELECT FROM document_chunks")) == 3


async def test_nonsense_in_the_settings_and_a_smaller_window_stop_nothing(line: Line) -> None:
    await set_sizes(line, max_tokens=100_000, min_tokens=90_000, overlap_sentences=None)
    await line.fetch(
        'UPDATE organizations SET settings = settings || \'{"chunk_overlap_sentences": "x"}\' RETURNING 1'
    )
    await line.publish("manual", manual("", "## Normas", LONG))
    rows = await line.fetch("SELECT token_count FROM document_chunks")
    assert 0 < max(row["token_count"] for row in rows) <= RULES.window


async def test_what_is_deleted_under_way_or_failed_by_this_pipeline_is_left_alone(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, live, failed = [(await line.publish(key, manual())).document_id for key in ("a", "b", "c")]
    await line.delete(gone)
    monkeypatch.setattr(pipeline, "PARSER_VERSION", "next")
    assert set((await outdated(line)).document_ids) == {live, failed}
    assert await outdated(line, only=[live]) == Outdated([live], 1)
    assert await redo(line, gone) is None
    await redo(line, failed)
    async with line.database.tenant(line.org_id) as connection:
        await fail_version(
            connection,
            line.org_id,
            failed,
            2,
            stage="parse",
            code=ErrorCode.PARSE_TIMEOUT,
            message="Tarda demasiado.",
        )
    assert await outdated(line) == Outdated([live], 1)
    assert await redo(line, failed) is None


async def test_a_document_that_never_became_live_is_read_by_a_new_parser_alone(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = (await line.upload("manual", manual())).document_id
    async with line.database.tenant(line.org_id) as connection:
        await fail_version(
            connection,
            line.org_id,
            document_id,
            1,
            stage="parse",
            code=ErrorCode.CORRUPT_FILE,
            message="Está dañado.",
        )
    monkeypatch.setattr(pipeline, "CHUNKER_VERSION", "next")
    assert await outdated(line) == Outdated([], 0)
    monkeypatch.setattr(pipeline, "PARSER_VERSION", "next")
    assert await redo(line, document_id) == Redone(document_id, 2, Stage.PARSE)
    await line.drain()
    assert (await line.one("SELECT processing_status FROM documents"))["processing_status"] == "ready"
