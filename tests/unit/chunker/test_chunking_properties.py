"""What holds for the chunks of any document under any valid options."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from skillnet_chunker.domain import ChunkOptions, TokenCounter, Unindexed, chunk_document, coverage
from skillnet_chunker.domain.header import neutralise
from skillnet_common.documents import BlockKind, Chunk, ParsedDocument

Part = tuple[int, str, Sequence[tuple[BlockKind, str]]]
Build = Callable[..., ParsedDocument]

DEFAULTS = ChunkOptions()
LOOSE = settings(max_examples=75, deadline=None, suppress_health_check=[HealthCheck.too_slow])

_SAMPLE = (
    "el plazo de devolución es treinta días D. Sr. art. 5. n.º 12 1. a) etc. EE. UU. Véase: pero; ¿cómo? sí, "
    "Artículo ISO-9001 «cita». extraordinariamente\n- • días. Plazo de hoy. El"
)
_prose = st.lists(st.sampled_from(_SAMPLE.split(" ")), min_size=1, max_size=160).map(" ".join)
_wild = st.text(st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t"), max_size=300)
_unbroken = st.integers(1, 3000).map(lambda length: "x" * length)
_sentences = st.lists(
    st.sampled_from(
        [
            "El plazo es de treinta días.",
            "Véase el art. 5.",
            "¿Cómo se pide?",
            "El Sr. Pérez firma el n.º 12, y la Dra. Gil lo aprueba; después se archiva.",
            "Se necesita:",
        ]
    ),
    min_size=1,
    max_size=40,
)
_long_sentences = st.builds(lambda sentences, times: " ".join(sentences * times), _sentences, st.integers(1, 12))
_rows = st.lists(st.sampled_from(["| Pan | 12,50 |", "| una celda larga de texto | 3 |", "| | |"]), max_size=40)
_tables = st.builds(
    lambda rows, times: "\n".join(["| Producto | Precio |", "| --- | --- |", *rows * times]),
    _rows,
    st.integers(1, 12),
)
_content = st.one_of(_prose, _long_sentences, _long_sentences, _tables, _wild, _unbroken)


def _clean(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


_texts = _content.map(_clean).filter(bool)
_headings = st.one_of(
    st.just(""),
    st.sampled_from(["1 Alcance", "Objeto [Fuente 3]", "Anexo", "CAPÍTULO I"]),
    _prose.map(lambda text: _clean(text.replace("\n", " "))[:300].strip()),
)
_kinds = st.sampled_from([kind for kind in BlockKind if kind is not BlockKind.HEADING])
_parts = st.lists(
    st.tuples(st.integers(1, 5), _headings, st.lists(st.tuples(_kinds, _texts), max_size=5)), max_size=12
)
_titles = st.one_of(st.just(""), st.just("1 Alcance"), _prose)
_options: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    window=st.integers(0, 300),
    target=st.integers(0, 300),
    minimum=st.integers(-1, 100),
    header_limit=st.integers(0, 100),
    overlap_sentences=st.integers(0, 4),
    overlap_limit=st.integers(0, 100),
    overlap_share=st.floats(0, 0.6),
    prefix=st.sampled_from(["", "passage: "]),
)


def _body_without_overlap(chunk: Chunk) -> str:
    return chunk.body[chunk.overlap_chars :]


def _check(parsed: ParsedDocument, chunks: list[Chunk], options: ChunkOptions, tokens: TokenCounter) -> None:
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    for chunk in chunks:
        assert chunk.body.strip()
        assert _body_without_overlap(chunk) == parsed.text[chunk.start : chunk.end]
        assert chunk.token_count == tokens.count(options.model_input(chunk)) <= options.window
        before = chunks[chunk.index - 1] if chunk.index else None
        repeats_text = chunk.overlap_chars and parsed.text.endswith(chunk.body[: chunk.overlap_chars], 0, chunk.start)
        if before and repeats_text and "table" not in (chunk.kind, before.kind):
            assert chunk.start - chunk.overlap_chars > before.start
        assert "\n" not in chunk.header
        assert "[" not in chunk.header
        beside_header = tokens.count(options.prefix + chunk.header) - tokens.count(options.prefix)
        assert beside_header <= options.header_limit
    lost = [span for span in coverage(parsed, chunks) if span.reason is Unindexed.LOST]
    assert not lost


@LOOSE
@given(parts=_parts, title=_titles)
def test_every_character_is_in_one_chunk_within_the_window(
    parts: list[Part], title: str, document: Build, counter: TokenCounter
) -> None:
    parsed = document(parts)
    chunks = chunk_document(parsed, title=title, tokens=counter, options=DEFAULTS)
    _check(parsed, chunks, DEFAULTS, counter)


@LOOSE
@given(parts=_parts, title=_titles, sizes=_options)
def test_any_valid_options_are_kept_and_others_refused(
    parts: list[Part], title: str, sizes: dict[str, Any], document: Build, counter: TokenCounter
) -> None:
    parsed = document(parts)
    try:
        options = ChunkOptions(**sizes)
        chunks = chunk_document(parsed, title=title, tokens=counter, options=options)
    except ValueError:
        return
    _check(parsed, chunks, options, counter)


@LOOSE
@given(parts=_parts, title=_titles, size=st.integers(60, 200))
def test_small_windows_are_kept(
    parts: list[Part], title: str, size: int, document: Build, counter: TokenCounter
) -> None:
    options = ChunkOptions(window=size, target=size - 10, minimum=8, header_limit=16, overlap_limit=12)
    parsed = document(parts)
    chunks = chunk_document(parsed, title=title, tokens=counter, options=options)
    _check(parsed, chunks, options, counter)


@LOOSE
@given(parts=_parts, lines_per_page=st.integers(1, 30))
def test_pages_and_boxes_are_those_of_the_span_itself(
    parts: list[Part], lines_per_page: int, document: Build, words: TokenCounter
) -> None:
    parsed = document(parts, lines_per_page=lines_per_page)
    for chunk in chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS):
        boxes = [line.box for line in parsed.lines if line.start < chunk.end and line.end > chunk.start]
        assert list(chunk.boxes) == boxes
        assert (chunk.page_start, chunk.page_end) == (boxes[0].page, boxes[-1].page)


@LOOSE
@given(parts=_parts, title=_titles)
def test_the_same_input_gives_the_same_chunks(
    parts: list[Part], title: str, document: Build, words: TokenCounter
) -> None:
    first = chunk_document(document(parts), title=title, tokens=words, options=DEFAULTS)
    assert first == chunk_document(document(parts), title=title, tokens=words, options=DEFAULTS)


@LOOSE
@given(parts=_parts)
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
@given(parts=_parts)
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
@given(parts=_parts)
def test_tables_of_contents_are_never_indexed(parts: list[Part], document: Build, words: TokenCounter) -> None:
    parsed = document(parts)
    contents = [block for block in parsed.blocks if block.kind is BlockKind.CONTENTS]
    assume(contents)
    for chunk in chunk_document(parsed, title="Manual", tokens=words, options=DEFAULTS):
        assert not [block for block in contents if block.start < chunk.end and block.end > chunk.start]


@pytest.mark.parametrize("character", ["ﷺ", "á", "漢", "\U0001f3f4\u200d\u2620\ufe0f", "\u0301"])
def test_text_without_any_break_is_cut_between_characters(
    character: str, document: Build, counter: TokenCounter
) -> None:
    parsed = document([(1, "Anexo", [(BlockKind.PARAGRAPH, character * 3000)])])
    chunks = chunk_document(parsed, title="Manual", tokens=counter, options=DEFAULTS)
    _check(parsed, chunks, DEFAULTS, counter)
    assert len(chunks) > 1
