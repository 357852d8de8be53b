"""Lists whose bullets were typed, or written by a program that knows no lists: paragraphs to a reader of files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock
from skillnet_parser.domain.markers import starts_bullet


def typed_lists(blocks: Iterable[DraftBlock]) -> Iterator[DraftBlock]:
    """The blocks, bulleted paragraphs as a list where two of them follow each other: one alone may be what somebody
    says."""
    for is_bullet, run in groupby(blocks, key=_is_bulleted):
        paragraphs = list(run)
        if is_bullet and len(paragraphs) > 1:
            yield replace(gathered(paragraphs), kind=BlockKind.LIST)
        else:
            yield from paragraphs


def gathered(blocks: Sequence[DraftBlock]) -> DraftBlock:
    """Blocks of one kind as one, each on lines of its own."""
    pieces = [replace(piece, joint="\n") for block in blocks for piece in block.pieces]
    return DraftBlock(blocks[0].kind, tuple(pieces))


def _is_bulleted(block: DraftBlock) -> bool:
    return block.kind is BlockKind.PARAGRAPH and starts_bullet(block.pieces[0].text)
