"""Cuts a parsed document into chunks: along its outline first, then at the best places within."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from skillnet_chunker.domain.header import Headers
from skillnet_chunker.domain.merging import attach_heading, merge_small
from skillnet_chunker.domain.meter import Meter
from skillnet_chunker.domain.options import ChunkOptions, TokenCounter
from skillnet_chunker.domain.passages import Passage, Workbench, body_of
from skillnet_chunker.domain.placement import Placement, page_range
from skillnet_chunker.domain.runs import runs_by_section
from skillnet_chunker.domain.splitting import split
from skillnet_common.courses.words import FILE_TYPE as COURSE
from skillnet_common.documents import Block, BlockKind, Chunk, ParsedDocument, Section

_LESSON_LEVEL = 2
_KINDS = {BlockKind.HEADING: "text", BlockKind.PARAGRAPH: "text"}


def chunk_document(parsed: ParsedDocument, *, title: str, tokens: TokenCounter, options: ChunkOptions) -> list[Chunk]:
    """The document's chunks in reading order, indices dense from 0; empty where it has no text to index.

    Every character but white space is in the span of exactly one chunk, in a table of contents, or in a
    heading that the chunk's header shows (see `coverage`). The model input of each is at most
    `options.window` tokens by `tokens`. The same input gives the same chunks. Raises `ValueError` where
    the prefix and header leave no room for text.
    """
    meter = Meter(tokens, options)
    headers = Headers(title, meter, options.header_limit)
    bench = Workbench(parsed, _solid(parsed), headers, meter, options)
    placement = Placement(parsed.lines, parsed.ocr_pages)
    return [
        _chunk(index, passage, parsed, bench, placement) for index, passage in enumerate(_passages(parsed, bench))
    ]


def _solid(parsed: ParsedDocument) -> list[Block]:
    """The blocks that hold more than white space, without the white space at their ends."""
    solid = []
    for block in parsed.blocks:
        piece = parsed.text[block.start : block.end]
        if piece.strip():
            start = block.start + len(piece) - len(piece.lstrip())
            solid.append(replace(block, start=start, end=block.start + len(piece.rstrip())))
    return solid


def _passages(parsed: ParsedDocument, bench: Workbench) -> list[Passage]:
    """Passages of the whole tree, built from the leaves up so that siblings can merge under their parent."""
    runs = runs_by_section(bench.blocks)
    below: dict[int, list[Passage]] = defaultdict(list)
    for section in reversed(parsed.sections):
        header = bench.headers.of(section.path)
        above = bench.headers.of(section.path[:-1])
        passages = below.pop(section.index, [])
        for run in runs[section.index]:
            if run.has_body:
                passages.extend(split(run, bench, header))
        passages.sort(key=lambda passage: passage.start)
        for run in reversed(runs[section.index]):
            if not run.has_body:
                passages = attach_heading(run, passages, section.index, header, above, bench)
        if not _holds_records(section, parsed):
            passages = merge_small(passages, section.index, header, bench)
        if section.index == 0:
            return passages
        alone = len(passages) == 1
        below[section.parent or 0].extend(p if alone else replace(p, whole=False) for p in passages)
    return []


def _holds_records(section: Section, parsed: ParsedDocument) -> bool:
    """A course holds modules, and a module lessons: each is cited by its own name, however short it is."""
    return parsed.file_type == COURSE and section.level < _LESSON_LEVEL


def _chunk(index: int, passage: Passage, parsed: ParsedDocument, bench: Workbench, placement: Placement) -> Chunk:
    section = parsed.sections[passage.section]
    boxes = placement.boxes(passage.start, passage.end)
    pages = page_range(boxes) or (section.page_start, section.page_end)
    body = body_of(parsed.text, passage.start, passage.end, passage.repeated)
    return Chunk(
        index=index,
        section_index=section.index,
        section_id=section.section_id,
        section_path=section.path,
        heading=section.heading,
        header=passage.header.text,
        body=body,
        start=passage.start,
        end=passage.end,
        overlap_chars=len(body) - (passage.end - passage.start),
        page_start=pages[0],
        page_end=pages[1],
        boxes=boxes,
        token_count=passage.tokens,
        kind=_kind(passage, bench),
        language=parsed.language,
        ocr=placement.is_recognised(boxes),
    )


def _kind(passage: Passage, bench: Workbench) -> str:
    """The kind of block that most of the passage's characters belong to; the earlier one of equals."""
    first, last = bench.blocks_within(passage.start, passage.end)
    characters: Counter[str] = Counter()
    for block in bench.blocks[first : last + 1]:
        shared = min(block.end, passage.end) - max(block.start, passage.start)
        characters[_KINDS.get(block.kind, block.kind.value)] += shared
    return characters.most_common(1)[0][0]
