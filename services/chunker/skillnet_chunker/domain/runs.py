"""Runs: consecutive blocks of one section, with nothing in between that is left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.documents import Block, BlockKind


@dataclass(frozen=True, slots=True)
class Run:
    """Blocks `first` to `last` (indices, inclusive) of a section; `opening`: the section's first ones.

    `has_body` is false where there is nothing but headings. `before_contents`: a table of contents of the
    same section comes next.
    """

    section: int
    first: int
    last: int
    opening: bool
    has_body: bool
    before_contents: bool


def runs_by_section(blocks: Sequence[Block]) -> dict[int, list[Run]]:
    """The runs of each section in reading order. Tables of contents belong to none."""
    runs: dict[int, list[Run]] = defaultdict(list)
    first = 0
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.kind is BlockKind.CONTENTS:
            first = index + 1
            continue
        same_section = following is not None and following.section == block.section
        ends = following is None or not same_section or following.kind is BlockKind.CONTENTS
        if ends:
            runs[block.section].append(
                Run(
                    section=block.section,
                    first=first,
                    last=index,
                    opening=not runs[block.section],
                    has_body=any(b.kind is not BlockKind.HEADING for b in blocks[first : index + 1]),
                    before_contents=same_section,
                )
            )
            first = index + 1
    return runs
