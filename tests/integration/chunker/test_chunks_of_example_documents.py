"""The example company's documents, cut with the real tokenizer of the embedding model."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from skillnet_chunker.domain import ChunkOptions, Unindexed, chunk_document, coverage
from skillnet_common.documents import Chunk, ParsedDocument
from skillnet_inference.factory import open_tokenizer
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer
from skillnet_parser.domain.canonical import build_document
from skillnet_parser.formats.markdown import read_markdown

SOURCES = sorted((Path(__file__).parents[3] / "examples" / "source").glob("*.md"))
OPTIONS = ChunkOptions()


@cache
def tokenizer() -> Tokenizer:
    return open_tokenizer(EmbeddingSettings())


def chunked(source: Path) -> tuple[ParsedDocument, list[Chunk]]:
    parsed = build_document(read_markdown(source))
    title = parsed.title or source.stem
    return parsed, chunk_document(parsed, title=title, tokens=tokenizer(), options=OPTIONS)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_nothing_is_lost_and_nothing_is_cut_by_the_model(source: Path) -> None:
    parsed, chunks = chunked(source)
    assert chunks
    for chunk in chunks:
        assert chunk.token_count == tokenizer().count(OPTIONS.model_input(chunk)) <= OPTIONS.window
    assert not [span for span in coverage(parsed, chunks) if span.reason is Unindexed.LOST]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_cuts_fall_at_the_end_of_a_sentence_an_item_or_a_row(source: Path) -> None:
    parsed, chunks = chunked(source)
    for chunk in chunks:
        at_line_end = parsed.text[chunk.end : chunk.end + 1] in ("", "\n")
        assert at_line_end or chunk.body.endswith((".", "?", "!", "…", "»", ".)", ":")), chunk.body[-80:]


@pytest.mark.parametrize("character", ["ﷺ", "漢字かな", "\U0001f3f4\u200d\u2620\ufe0f", "https://a.es/?b=ñ&"])
def test_text_that_takes_many_tokens_a_character_stays_within_the_window(character: str, tmp_path: Path) -> None:
    source = tmp_path / "raro.md"
    source.write_text(f"# Título\n\n{character * 2000}\n", "utf-8")
    parsed, chunks = chunked(source)
    assert max(chunk.token_count for chunk in chunks) <= OPTIONS.window
    assert not [span for span in coverage(parsed, chunks) if span.reason is Unindexed.LOST]
