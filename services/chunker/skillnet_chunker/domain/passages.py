"""A passage: a span of the text under the header of one section, measured as the model will read it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_chunker.domain.header import Header, Headers
from skillnet_chunker.domain.meter import Meter
from skillnet_chunker.domain.options import ChunkOptions
from skillnet_common.documents import Block, BlockKind, ParsedDocument

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk in the making.

    `first_block` and `last_block` are indices of the blocks it speaks for, headings carried by the header
    included. `opening`: it begins where its section begins, so that it can be put behind another passage
    without losing the name of its section. `whole`: it is all there is of a section and those
    below it. `headings_only`: it holds no text but headings.
    """

    section: int
    header: Header
    first_block: int
    last_block: int
    start: int
    end: int
    opening: bool
    whole: bool
    tokens: int
    repeated: Span | None = None
    headings_only: bool = False

    @property
    def body_tokens(self) -> int:
        """Tokens of the body alone."""
        return self.tokens - self.header.tokens


class Workbench:
    """What every step of the chunking needs: the text, its language, its blocks, the headers and the meter."""

    def __init__(
        self,
        parsed: ParsedDocument,
        blocks: Sequence[Block],
        headers: Headers,
        meter: Meter,
        options: ChunkOptions,
    ) -> None:
        self.text = parsed.text
        self.language = parsed.language
        self.blocks = blocks
        self.headers = headers
        self.meter = meter
        self.options = options
        self._starts = [block.start for block in blocks]

    def measure(self, header: Header, start: int, end: int, repeated: Span | None = None) -> int:
        """Tokens of the exact model input of such a passage."""
        return self.meter.final(header.text, body_of(self.text, start, end, repeated))

    def opening_start(self, header: Header, first: int, last: int) -> int:
        """Where a body that speaks for these blocks begins: after the leading headings its header shows."""
        while first < last and self.is_heading(first) and header.shows(self.block_text(first)):
            first += 1
        return self.blocks[first].start

    def blocks_within(self, start: int, end: int) -> Span:
        """Indices of the first and the last block that share text with the span."""
        return bisect_right(self._starts, start) - 1, bisect_left(self._starts, end) - 1

    def is_heading(self, index: int) -> bool:
        """Whether the block is a heading."""
        return self.blocks[index].kind is BlockKind.HEADING

    def block_text(self, index: int) -> str:
        """The text of a block."""
        block = self.blocks[index]
        return self.text[block.start : block.end]


def body_of(text: str, start: int, end: int, repeated: Span | None) -> str:
    """The passage's text, what it repeats before it: joined as it stands where nothing lies between."""
    if repeated is None:
        return text[start:end]
    between = text[repeated[1] : start]
    if not between.strip():
        return text[repeated[0] : end]
    return f"{text[slice(*repeated)]}\n{text[start:end]}"
