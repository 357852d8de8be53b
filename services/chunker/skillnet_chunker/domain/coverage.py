"""Which parts of a document's text no chunk holds, and why."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from skillnet_chunker.domain.header import neutralise
from skillnet_common.documents import Block, BlockKind, Chunk, ParsedDocument


class Unindexed(StrEnum):
    """Why a span is in no chunk. `LOST` is a fault."""

    WHITE_SPACE = "white_space"
    CONTENTS = "contents"  # a table of contents, or a heading that stands over nothing else
    HEADING = "heading"  # shown whole by the header of the next chunk
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class UnindexedSpan:
    """The half-open span [start, end) of the canonical text."""

    start: int
    end: int
    reason: Unindexed


def coverage(parsed: ParsedDocument, chunks: Sequence[Chunk]) -> list[UnindexedSpan]:
    """The spans of the text outside every chunk's [start, end), in order, each with its reason.

    Raises `ValueError` where the spans of two chunks share a character.
    """
    ordered = sorted(chunks, key=lambda chunk: chunk.start)
    starts = [chunk.start for chunk in ordered]
    with_contents = {block.section for block in parsed.blocks if block.kind is BlockKind.CONTENTS}
    spans: list[UnindexedSpan] = []
    for start, end in _gaps(ordered, len(parsed.text)):
        following = bisect_left(starts, end)
        header = ordered[following].header if following < len(ordered) else ""
        for piece_start, piece_end, block in _pieces(parsed, start, end):
            text = parsed.text[piece_start:piece_end]
            reason = _reason(text, block, header, with_contents)
            spans.append(UnindexedSpan(piece_start, piece_end, reason))
    return spans


def unindexed(parsed: ParsedDocument, chunks: Sequence[Chunk]) -> list[UnindexedSpan]:
    """The same without mere white space: what cannot be found."""
    return [span for span in coverage(parsed, chunks) if span.reason is not Unindexed.WHITE_SPACE]


def _gaps(chunks: Sequence[Chunk], length: int) -> Iterator[tuple[int, int]]:
    position = 0
    for chunk in chunks:
        if chunk.start < position:
            raise ValueError(f"chunk {chunk.index} begins inside the one before")
        if chunk.start > position:
            yield position, chunk.start
        position = chunk.end
    if position < length:
        yield position, length


def _pieces(parsed: ParsedDocument, start: int, end: int) -> Iterator[tuple[int, int, Block | None]]:
    """The gap cut at the edges of blocks, each piece with the block it lies in."""
    position = start
    first = bisect_left(parsed.blocks, start + 1, key=lambda block: block.end)
    for block in parsed.blocks[first:]:
        if block.start >= end:
            break
        if block.start > position:
            yield position, block.start, None
            position = block.start
        stop = min(block.end, end)
        yield position, stop, block
        position = stop
    if position < end:
        yield position, end, None


def _reason(text: str, block: Block | None, header: str, with_contents: set[int]) -> Unindexed:
    if not text.strip():
        return Unindexed.WHITE_SPACE
    if block is None:
        return Unindexed.LOST
    if block.kind is BlockKind.CONTENTS:
        return Unindexed.CONTENTS
    if block.kind is BlockKind.HEADING:
        if neutralise(text).casefold() in header.casefold():
            return Unindexed.HEADING
        if block.section in with_contents:
            return Unindexed.CONTENTS
    return Unindexed.LOST
