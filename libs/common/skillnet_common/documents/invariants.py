"""What every parsed document promises to those who count in its offsets."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from skillnet_common.documents.parsed import ParsedDocument, Section

_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_SEPARATOR = "\n\n"


def check_invariants(document: ParsedDocument) -> None:
    """Raises `ValueError` with the first promise of `ParsedDocument` and its parts that is broken."""
    _check_text(document.text)
    _check_blocks(document)
    _check_lines(document)
    _check_sections(document)
    _require(document.page_count >= 1, "a document has at least one page")
    _require(len(document.page_labels) in (0, document.page_count), "page labels are one a page, or none")
    pages = document.ocr_pages
    _require(list(pages) == sorted(set(pages)), "recognised pages ascend")
    _require(not pages or 1 <= pages[0] <= pages[-1] <= document.page_count, "recognised pages are pages of it")
    _require(re.fullmatch("[a-z]{2}", document.language) is not None, "the language is an ISO 639-1 code")
    _require(document.title is None or bool(document.title.strip()), "a title is not empty")


def _check_text(text: str) -> None:
    _require(unicodedata.is_normalized("NFC", text), "the text is NFC")
    found = _FORBIDDEN.search(text)
    _require(found is None, f"the text holds no invisible characters, as {found and found[0]!r}")
    _require(text == text.strip("\n"), "the text does not begin or end with a line break")


def _check_blocks(document: ParsedDocument) -> None:
    text, blocks = document.text, document.blocks
    _require(bool(blocks) == bool(text), "blocks cover the text")
    if not blocks:
        return
    _require(blocks[0].start == 0 and blocks[-1].end == len(text), "blocks cover the text from end to end")
    for block in blocks:
        _require(block.start < block.end, f"block {block} is not empty")
        _require(0 <= block.section < len(document.sections), f"block {block} belongs to a section")
    for before, after in pairwise(blocks):
        _require(text[before.end : after.start] == _SEPARATOR, f"a blank line stands between {before} and {after}")
        _require(before.section <= after.section, f"sections follow the reading order at {after}")


def _check_lines(document: ParsedDocument) -> None:
    last_end = 0
    block_index = 0
    for line in document.lines:
        _require(last_end <= line.start < line.end, f"{line} follows the line before")
        last_end = line.end
        while block_index < len(document.blocks) and document.blocks[block_index].end < line.end:
            block_index += 1
        inside = block_index < len(document.blocks) and document.blocks[block_index].start <= line.start
        _require(inside, f"{line} lies within a block")
        box = line.box
        _require(1 <= box.page <= document.page_count, f"{line} stands on a page of the document")
        _require(0 <= box.x0 <= box.x1 <= 1 and 0 <= box.y0 <= box.y1 <= 1, f"{line} stands within its page")


def _check_sections(document: ParsedDocument) -> None:
    sections = document.sections
    _require(bool(sections), "there is a root section")
    root = sections[0]
    _require((root.level, root.heading, root.path, root.parent) == (0, "", (), None), "section 0 is the root")
    _require(len({section.section_id for section in sections}) == len(sections), "section ids are unique")
    spans = _spans(document)
    for index, section in enumerate(sections):
        _require(section.index == index, f"section {index} knows its index")
        _check_place(document, section)
        _require((section.start, section.end) == spans.get(index, (0, 0)), f"{section} spans its own blocks")
        _require(index == 0 or index in spans, f"{section} has a heading in the text")


def _check_place(document: ParsedDocument, section: Section) -> None:
    if section.index:
        _require(section.parent is not None and section.parent < section.index, f"{section} follows its parent")
        parent = document.sections[section.parent or 0]
        _require(section.level > parent.level, f"{section} is of a deeper level than its parent")
        _require(section.path == (*parent.path, section.heading), f"{section} goes on with its parent's path")
        _require(bool(section.heading.strip()), f"{section} has a heading")
    if document.page_count_estimated:
        _require(section.page_start is None and section.page_end is None, f"{section} claims no page")
    else:
        first, last = section.page_start or 0, section.page_end or 0
        _require(1 <= first <= last <= document.page_count, f"{section} stands on pages of the document")


def _spans(document: ParsedDocument) -> dict[int, tuple[int, int]]:
    """From the first block to the last of each section that has any."""
    spans: dict[int, tuple[int, int]] = {}
    for block in document.blocks:
        start, _ = spans.get(block.section, (block.start, 0))
        spans[block.section] = (start, block.end)
    return spans


def _require(holds: bool, promise: str) -> None:
    if not holds:
        raise ValueError(f"broken promise: {promise}")
