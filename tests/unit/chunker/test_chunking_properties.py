"""What holds for the chunks of any document under any valid options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.unit.chunker.chunk_checks import check_chunks
from tests.unit.chunker.random_documents import Part, clean, parts, prose, sizes, titles, wide_tables

from skillnet_chunker.domain import ChunkOptions, TokenCounter, chunk_document
from skillnet_chunker.domain.header import neutralise
from skillnet_common.documents import BlockKind, ParsedDocument

Build = Callable[..., ParsedDocument]

DEFAULTS = ChunkOptions()
LOOSE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@LOOSE
@given(parts=parts, title=titles)
def test_every_character_is_in_one_chunk_within_the_window(
    parts: list[Part], title: str, document: Build, counter: TokenCounter
) -> None:
    parsed = document(parts)
    chunks = chunk_document(parsed, title=title, tokens=counter, options=DEFAULTS)
    check_chunks(parsed, chunks, DEFAULTS, counter)


@LOOSE
@given(parts=parts, title=titles, sizes=sizes)
def test_any_valid_options_are_kept_and_others_refused(
    parts: list[Part], title: str, sizes: dict[str, Any], document: Build, counter: TokenCounter
) -> None:
    parsed = document(parts)
    try:
        options = ChunkOptions(**sizes)
        chunks = chunk_document(parsed, title=title, tokens=counter, options=options)
    except ValueError:
        return
    check_chunks(parsed, chunks, options, counter)


@LOOSE
@given(parts=parts, title=titles, size=st.integers(60, 200))
def test_small_windows_are_kept(
    parts: list[Part], title: str, size: int, document: Build, counter: TokenCounter
) -> None:
    options = ChunkOptions(window=size, target=size - 10, minimum=8, header_limit=16, overlap_limit=12)
    parsed = document(parts)
    chunks = chunk_document(parsed, title=title, tokens=counter, options=options)
    check_chunks(parsed, chunks, options, counter)


@LOOSE
@given(parts=parts, lines_per_page=st.integers(1, 30))
def test_pages_and_boxes_are_those_of_the_span_itself(
    parts: list[Part], lines_per_page: int, document: Build, words: TokenCounter
) -> None:
    parsed = document(parts, lines_per_page=lines_per_page)
    for chunk in chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS):
        boxes = [line.box for line in parsed.lines if line.start < chunk.end and line.end > chunk.start]
        assert list(chunk.boxes) == boxes
        assert (chunk.page_start, chunk.page_end) == (boxes[0].page, boxes[-1].page)


@LOOSE
@given(parts=parts, title=titles)
def test_the_same_input_gives_the_same_chunks(
    parts: list[Part], title: str, document: Build, words: TokenCounter
) -> None:
    first = chunk_document(document(parts), title=title, tokens=words, options=DEFAULTS)
    assert first == chunk_document(document(parts), title=title, tokens=words, options=DEFAULTS)


@LOOSE
@given(parts=parts)
def test_overlap_is_short_and_of_the_same_section(parts: list[Part], document: Build, words: TokenCounter) -> None:
    parsed = document(parts)
    chunks = chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS)
    for chunk in chunks:
        if not chunk.overlap_chars:
            continue
        overlap = chunk.body[: chunk.overlap_chars]
        before = parsed.text[: chunk.start]
        position = before.rfind(overlap.rstrip("\n"))
        assert position >= 0
        at_start = next(block for block in parsed.blocks if block.end > chunk.start)
        source = next(block for block in parsed.blocks if block.end > position)
        limit = DEFAULTS.window // 2 if at_start.kind is BlockKind.TABLE else DEFAULTS.overlap
        assert words.count(overlap) - 2 <= limit
        assert source.kind is BlockKind.TABLE or at_start.kind is not BlockKind.TABLE
        assert chunks[chunk.index - 1].start < chunk.start


@LOOSE
@given(parts=parts)
def test_every_heading_can_be_found(parts: list[Part], document: Build, words: TokenCounter) -> None:
    parsed = document(parts)
    chunks = chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS)
    over_contents = {block.section for block in parsed.blocks if block.kind is BlockKind.CONTENTS}
    searchable = "\n".join(f"{chunk.header}\n{chunk.body}" for chunk in chunks).casefold()
    for section in parsed.sections[1:]:
        if section.index not in over_contents:
            shown = neutralise(section.heading).casefold() in searchable
            assert shown or section.heading.casefold() in searchable or _is_cut(section.heading, words)


def _is_cut(heading: str, words: TokenCounter) -> bool:
    """A heading longer than a chunk is spread over several."""
    return words.count(heading) > 100


@LOOSE
@given(parts=parts)
def test_tables_of_contents_are_never_indexed(parts: list[Part], document: Build, words: TokenCounter) -> None:
    parsed = document(parts)
    contents = [block for block in parsed.blocks if block.kind is BlockKind.CONTENTS]
    assume(contents)
    for chunk in chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS):
        assert not [block for block in contents if block.start < chunk.end and block.end > chunk.start]


@LOOSE
@given(parts=parts, heads=st.lists(prose, max_size=3), table=wide_tables)
def test_every_piece_of_a_table_shows_its_header(
    parts: list[Part], heads: list[str], table: str, document: Build, counter: TokenCounter
) -> None:
    head = "\n".join(table.split("\n")[:2])
    assume(counter.count(head) < DEFAULTS.target // 3)
    blocks = [*((BlockKind.PARAGRAPH, clean(text)) for text in heads if clean(text)), (BlockKind.TABLE, table)]
    parsed = document([*parts, (1, "Tarifas", blocks)])
    start = next(block.start for block in reversed(parsed.blocks) if block.kind is BlockKind.TABLE)
    for chunk in chunk_document(parsed, title="Manual", tokens=counter, options=DEFAULTS):
        if chunk.end > start:
            assert head in chunk.body


@pytest.mark.parametrize("character", ["ﷺ", "á", "漢", "\U0001f3f4\u200d\u2620\ufe0f", "\u0301"])
def test_text_without_any_break_is_cut_between_characters(
    character: str, document: Build, counter: TokenCounter
) -> None:
    parsed = document([(1, "Anexo", [(BlockKind.PARAGRAPH, character * 3000)])])
    chunks = chunk_document(parsed, title="Manual", tokens=counter, options=DEFAULTS)
    check_chunks(parsed, chunks, DEFAULTS, counter)
    assert len(chunks) > 1
