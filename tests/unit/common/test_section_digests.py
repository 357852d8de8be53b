"""Digests of sections tell content from layout."""

from __future__ import annotations

from skillnet_common.documents import Block, BlockKind, ParsedDocument, Section
from skillnet_common.documents.digests import section_digests


def document(*bodies: str) -> ParsedDocument:
    """A root without text and a section for each body."""
    text = "\n\n".join(bodies)
    sections = [Section(0, "root", None, 0, "", (), 0, 0, None, None)]
    blocks, at = [], 0
    for number, body in enumerate(bodies, 1):
        end = at + len(body)
        sections.append(Section(number, f"s{number}", 0, 1, f"S{number}", (f"S{number}",), at, end, None, None))
        blocks.append(Block(BlockKind.PARAGRAPH, at, end, number))
        at = end + 2
    return ParsedDocument(text, (), tuple(blocks), tuple(sections), "text", 1, True, "es")


def test_a_change_of_layout_is_no_change() -> None:
    assert section_digests(document("El plazo\nes de  30 días.")) == section_digests(
        document("El plazo es de 30 días.")
    )


def test_a_change_of_a_word_changes_its_section_only() -> None:
    old, new = section_digests(document("uno", "dos")), section_digests(document("uno", "tres"))
    assert [before == after for before, after in zip(old, new, strict=True)] == [True, True, False]
