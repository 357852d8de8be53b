"""Markdown (CommonMark with tables) to drafts of blocks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import html

from skillnet_common.documents import BlockKind, Removal
from skillnet_common.errors import PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument
from skillnet_parser.formats.html import parse_html, read_shown
from skillnet_parser.formats.markdown_html import DEEPEST, markdown_parser
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.text_encoding import decode_text

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:(?P<title>.*)$", re.MULTILINE | re.IGNORECASE)
_TOO_DEEP = f"Lists and quotations are nested deeper than {DEEPEST} levels: text below that is missing."
_TAGS_AS_TEXT = "The HTML in the document is nested too deeply to be read: its tags stand as text."


@dataclass(frozen=True, slots=True)
class _Reading:
    blocks: tuple[DraftBlock, ...] = ()
    removed: tuple[Removal, ...] = ()
    warnings: tuple[str, ...] = ()


def read_markdown(path: Path) -> DraftDocument:
    """The blocks of a Markdown file. Front matter stays out of the text; its title names the document,
    else the first heading of level 1."""
    decoded = decode_text(path.read_bytes())
    source = decoded.text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    title, body = _split_front_matter(source)
    reading = _read(body)
    return DraftDocument(
        reading.blocks,
        FileType.MARKDOWN,
        title=title or _first_top_heading(reading.blocks),
        warnings=(*decoded.warnings, *reading.warnings),
        removed=reading.removed,
    )


def markdown_blocks(source: str) -> tuple[DraftBlock, ...]:
    """The blocks of Markdown without front matter."""
    return _read(source).blocks


def _read(source: str) -> _Reading:
    parser = markdown_parser()
    tokens = parser.parse(source)
    warnings = [_TOO_DEEP] if any(token.level >= DEEPEST - 1 for token in tokens) else []
    try:
        root = _page(parser.renderer.render(tokens, parser.options, {}))
    except PermanentFault:
        root = _page(parser.renderer.render(tokens, parser.options, {"tags_are_text": True}))
        warnings.append(_TAGS_AS_TEXT)
    if root is None:
        return _Reading(warnings=tuple(warnings))
    shown = read_shown(root)
    return _Reading(shown.blocks, shown.removed, (*warnings, *shown.warnings))


def _page(rendered: str) -> html.HtmlElement | None:
    return parse_html(f"<body>{rendered}")


def _split_front_matter(source: str) -> tuple[str | None, str]:
    match = _FRONT_MATTER.match(source)
    if match is None:
        return None, source
    found = _FRONT_TITLE.search(match["body"])
    title = found["title"].strip().strip("\"'") if found else None
    return title or None, source[match.end() :]


def _first_top_heading(blocks: Sequence[DraftBlock]) -> str | None:
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.level == 1:
            return block.pieces[0].text
    return None
