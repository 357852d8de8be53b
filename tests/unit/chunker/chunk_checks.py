"""What holds for the chunks of any document."""

from __future__ import annotations

from itertools import pairwise

from skillnet_chunker.domain import ChunkOptions, TokenCounter, Unindexed, coverage
from skillnet_common.documents import Chunk, ParsedDocument


def check_chunks(parsed: ParsedDocument, chunks: list[Chunk], options: ChunkOptions, tokens: TokenCounter) -> None:
    """Each character in one chunk or left out for a reason, no input over the window, overlap never a whole chunk."""
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(before.end <= after.start for before, after in pairwise(chunks))
    for chunk in chunks:
        assert chunk.body.strip()
        assert chunk.body[chunk.overlap_chars :] == parsed.text[chunk.start : chunk.end]
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
