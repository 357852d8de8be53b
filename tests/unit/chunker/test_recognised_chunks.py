"""Chunks of scanned pages say that their text was recognised."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from skillnet_chunker.domain import ChunkOptions, TokenCounter, chunk_document
from skillnet_common.documents import BlockKind, Box, Line, ParsedDocument

PAGES = ("Página escrita. " * 40, "Página escaneada. " * 40, "Otra página escrita. " * 40)


def test_a_chunk_with_a_line_of_a_recognised_page_says_so(
    document: Callable[..., ParsedDocument], words: TokenCounter
) -> None:
    built = document([(1, f"Parte {n}", [(BlockKind.PARAGRAPH, text.strip())]) for n, text in enumerate(PAGES, 1)])
    bodies = [block for block in built.blocks if block.kind is BlockKind.PARAGRAPH]
    lines = tuple(Line(block.start, block.end, Box(n, 0, 0, 1, 1)) for n, block in enumerate(bodies, 1))
    parsed = replace(built, lines=lines, page_count=3, ocr_pages=(2,))
    chunks = chunk_document(parsed, title="Manual", tokens=words, options=ChunkOptions(minimum=10))
    assert {(chunk.page_start, chunk.ocr) for chunk in chunks} == {(1, False), (2, True), (3, False)}
