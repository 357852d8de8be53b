"""The checker finds each broken promise of a parsed document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from skillnet_common.documents import Block, BlockKind, Box, Line, ParsedDocument, Section
from skillnet_common.documents.invariants import check_invariants

BOX = Box(1, 0.1, 0.1, 0.9, 0.2)
SECTIONS = (
    Section(0, "root", None, 0, "", (), 0, 0, 1, 1),
    Section(1, "uno", 0, 1, "Uno", ("Uno",), 0, 10, 1, 1),
)
GOOD = ParsedDocument(
    text="Uno\n\nTexto",
    lines=(Line(0, 3, BOX), Line(5, 10, BOX)),
    blocks=(Block(BlockKind.HEADING, 0, 3, 1), Block(BlockKind.PARAGRAPH, 5, 10, 1)),
    sections=SECTIONS,
    file_type="pdf",
    page_count=1,
    page_count_estimated=False,
    language="es",
)


def test_a_good_document_passes() -> None:
    check_invariants(GOOD)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Une\u0301\n\nText"},
        {"text": "Uno\n\nTe\x00to"},
        {"text": "Uno\n\nTe\u200bto"},
        {"text": "Uno \nTexto"},
        {"blocks": GOOD.blocks[:1]},
        {"blocks": (Block(BlockKind.HEADING, 0, 3, 1), Block(BlockKind.PARAGRAPH, 5, 10, 0))},
        {"blocks": (Block(BlockKind.HEADING, 0, 3, 1), Block(BlockKind.PARAGRAPH, 5, 10, 7))},
        {"lines": (Line(0, 5, BOX),)},
        {"lines": (Line(5, 10, BOX), Line(0, 3, BOX))},
        {"lines": (Line(0, 3, replace(BOX, page=2)),)},
        {"lines": (Line(0, 3, replace(BOX, x1=1.2)),)},
        {"lines": (Line(0, 3, replace(BOX, y0=0.5)),)},
        {"sections": ()},
        {"sections": SECTIONS[1:]},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], section_id="root"))},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], level=0))},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], path=("Dos",)))},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], end=9))},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], page_end=2))},
        {"sections": (SECTIONS[0], replace(SECTIONS[1], page_start=None))},
        {"page_count_estimated": True},
        {"page_count": 0},
        {"page_labels": ("i", "ii")},
        {"ocr_pages": (2,)},
        {"ocr_pages": (0,)},
        {"ocr_pages": (1, 1)},
        {"language": "spanish"},
        {"title": " "},
    ],
)
def test_each_broken_promise_is_found(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="broken promise"):
        check_invariants(replace(GOOD, **change))
