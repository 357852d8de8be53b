"""Parsed documents survive the trip through JSON unchanged, and malformed JSON is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillnet_common.documents import (
    Block,
    BlockKind,
    Box,
    Line,
    ParsedDocument,
    Removal,
    RemovalReason,
    Section,
)
from skillnet_common.documents.codec import (
    blocks_from_json,
    blocks_to_json,
    document_from_json,
    document_to_json,
    lines_from_json,
    lines_to_json,
)

offsets = st.integers(0, 10**7)
corners = st.integers(0, 10_000).map(lambda value: value / 10_000)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
boxes = st.builds(Box, st.integers(1, 2000), corners, corners, corners, corners)
lines = st.builds(Line, offsets, offsets, boxes)
blocks = st.builds(Block, st.sampled_from(BlockKind), offsets, offsets, st.integers(0, 500))
pages = st.none() | st.integers(1, 2000)
sections = st.builds(
    Section,
    index=st.integers(0, 500),
    section_id=texts,
    parent=st.none() | st.integers(0, 500),
    level=st.integers(0, 9),
    heading=texts,
    path=st.lists(texts, max_size=4).map(tuple),
    start=offsets,
    end=offsets,
    page_start=pages,
    page_end=pages,
)
removals = st.builds(Removal, st.sampled_from(RemovalReason), pages, texts)
documents = st.builds(
    ParsedDocument,
    text=texts,
    lines=st.lists(lines, max_size=6).map(tuple),
    blocks=st.lists(blocks, max_size=6).map(tuple),
    sections=st.lists(sections, max_size=4).map(tuple),
    file_type=st.sampled_from(["pdf", "docx", "markdown", "text"]),
    page_count=st.integers(0, 2000),
    page_count_estimated=st.booleans(),
    language=st.sampled_from(["es", "pt"]),
    title=st.none() | texts,
    page_labels=st.lists(texts, max_size=3).map(tuple),
    warnings=st.lists(texts, max_size=3).map(tuple),
    removed=st.lists(removals, max_size=3).map(tuple),
    ocr_pages=st.lists(st.integers(1, 2000), max_size=3).map(tuple),
)


@given(documents)
def test_a_document_comes_back_equal(document: ParsedDocument) -> None:
    assert document_from_json(document_to_json(document)) == document


@given(st.lists(lines, max_size=8), st.lists(blocks, max_size=8))
def test_parts_come_back_equal(some_lines: list[Line], some_blocks: list[Block]) -> None:
    assert lines_from_json(lines_to_json(some_lines)) == tuple(some_lines)
    assert blocks_from_json(blocks_to_json(some_blocks)) == tuple(some_blocks)


def test_fifty_lines_take_less_than_two_kilobytes() -> None:
    page = [Line(80 * n, 80 * n + 79, Box(7, 0.1234, n / 60, 0.8812, (n + 1) / 60)) for n in range(50)]
    assert len(lines_to_json(page)) < 2000


@pytest.mark.parametrize(
    "malformed",
    ["", "[]", "{}", '{"v":99}', '{"v":1}', "not json"],
)
def test_malformed_documents_are_refused(malformed: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any ValueError is the contract
        document_from_json(malformed)


@pytest.mark.parametrize("malformed", ["[1,2]", '{"a":1}', "7"])
def test_malformed_lines_are_refused(malformed: str) -> None:
    with pytest.raises(ValueError, match="malformed lines"):
        lines_from_json(malformed)


def test_an_unknown_kind_of_block_is_refused() -> None:
    with pytest.raises(ValueError, match="telegram"):
        blocks_from_json(json.dumps([["telegram", 0, 1, 0]]))
