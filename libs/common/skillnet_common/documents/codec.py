"""A parsed document as JSON and back: the form the parser's child hands over and the database stores.

Records are arrays, not objects, and positions are stored as differences: a page of 50 lines takes about
1.3 KB instead of 5 KB. Box corners are kept to 1/10,000 of the page, which is what the parser produces,
so that `document_from_json(document_to_json(d)) == d`. Malformed input raises `ValueError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from skillnet_common.documents.parsed import (
    Block,
    BlockKind,
    Box,
    Line,
    ParsedDocument,
    Removal,
    RemovalReason,
    Section,
)

FORMAT_VERSION = 1
BOX_SCALE = 10_000
_LINE_WIDTH = 7


def document_to_json(document: ParsedDocument) -> str:
    """The whole document as one JSON object; non-ASCII characters are kept as they are."""
    return _dump(
        {
            "v": FORMAT_VERSION,
            "text": document.text,
            "lines": _pack_lines(document.lines),
            "blocks": _pack_blocks(document.blocks),
            "sections": [_pack_section(section) for section in document.sections],
            "file_type": document.file_type,
            "page_count": document.page_count,
            "page_count_estimated": document.page_count_estimated,
            "language": document.language,
            "title": document.title,
            "page_labels": document.page_labels,
            "warnings": document.warnings,
            "removed": [[removal.reason, removal.page, removal.text] for removal in document.removed],
            "ocr_pages": document.ocr_pages,
        }
    )


def document_from_json(data: str | bytes) -> ParsedDocument:
    """The document that `document_to_json` wrote."""
    fields = json.loads(data)
    if not isinstance(fields, dict) or fields.get("v") != FORMAT_VERSION:
        raise ValueError(f"not a parsed document of format {FORMAT_VERSION}")
    try:
        return ParsedDocument(
            text=fields["text"],
            lines=_unpack_lines(fields["lines"]),
            blocks=_unpack_blocks(fields["blocks"]),
            sections=tuple(_unpack_section(record) for record in fields["sections"]),
            file_type=fields["file_type"],
            page_count=fields["page_count"],
            page_count_estimated=fields["page_count_estimated"],
            language=fields["language"],
            title=fields["title"],
            page_labels=tuple(fields["page_labels"]),
            warnings=tuple(fields["warnings"]),
            removed=tuple(Removal(RemovalReason(reason), page, text) for reason, page, text in fields["removed"]),
            ocr_pages=tuple(fields["ocr_pages"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"malformed parsed document: {error!r}") from error


def lines_to_json(lines: Iterable[Line]) -> str:
    """Lines as one flat JSON array of integers, seven a line."""
    return _dump(_pack_lines(lines))


def lines_from_json(data: str | bytes) -> tuple[Line, ...]:
    """The lines that `lines_to_json` wrote."""
    return _unpack_lines(json.loads(data))


def blocks_to_json(blocks: Iterable[Block]) -> str:
    """Blocks as a JSON array of [kind, start, end, section]."""
    return _dump(_pack_blocks(blocks))


def blocks_from_json(data: str | bytes) -> tuple[Block, ...]:
    """The blocks that `blocks_to_json` wrote."""
    return _unpack_blocks(json.loads(data))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _pack_lines(lines: Iterable[Line]) -> list[int]:
    packed: list[int] = []
    last_end = last_page = 0
    for line in lines:
        box = line.box
        packed += (line.start - last_end, line.end - line.start, box.page - last_page)
        packed += (_scale(box.x0), _scale(box.y0), _scale(box.x1), _scale(box.y1))
        last_end, last_page = line.end, box.page
    return packed


def _unpack_lines(packed: Sequence[int]) -> tuple[Line, ...]:
    if not isinstance(packed, list) or len(packed) % _LINE_WIDTH:
        raise ValueError("malformed lines: not a flat array of seven integers a line")
    lines: list[Line] = []
    last_end = last_page = 0
    for at in range(0, len(packed), _LINE_WIDTH):
        gap, length, pages, x0, y0, x1, y1 = packed[at : at + _LINE_WIDTH]
        start, page = last_end + gap, last_page + pages
        box = Box(page, x0 / BOX_SCALE, y0 / BOX_SCALE, x1 / BOX_SCALE, y1 / BOX_SCALE)
        lines.append(Line(start, start + length, box))
        last_end, last_page = start + length, page
    return tuple(lines)


def _pack_blocks(blocks: Iterable[Block]) -> list[list[str | int]]:
    return [[block.kind.value, block.start, block.end, block.section] for block in blocks]


def _unpack_blocks(records: Any) -> tuple[Block, ...]:
    try:
        return tuple(Block(BlockKind(kind), start, end, section) for kind, start, end, section in records)
    except TypeError as error:
        raise ValueError(f"malformed blocks: {error!r}") from error


def _scale(fraction: float) -> int:
    return round(fraction * BOX_SCALE)


def _pack_section(section: Section) -> list[Any]:
    return [
        section.section_id,
        section.parent,
        section.level,
        section.heading,
        list(section.path),
        section.start,
        section.end,
        section.page_start,
        section.page_end,
        section.index,
    ]


def _unpack_section(record: Sequence[Any]) -> Section:
    section_id, parent, level, heading, path, start, end, page_start, page_end, index = record
    return Section(index, section_id, parent, level, heading, tuple(path), start, end, page_start, page_end)
