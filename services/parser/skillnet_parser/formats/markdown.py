"""Markdown (CommonMark with tables) to drafts of blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, text_block
from skillnet_parser.domain.tables import render_table
from skillnet_parser.formats.markdown_html import HtmlWithin, open_tables
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.text_encoding import decode_text

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(?P<title>\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_HTML_BREAK = re.compile(r"<(?:br|/p|/li|/tr|/div|/summary|/h[1-6])\b[^>]*>", re.IGNORECASE)
_MDX_COMMENT = re.compile(r"\{/\*.*?\*/\}", re.DOTALL)
_HEADING_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_DEEPEST = 100
"""Levels of nesting: what lies deeper is dropped, and the preset's 20 already drops lists of ten levels."""
_INDENT = "  "
_STANDS_ALONE = frozenset({"fence", "code_block", "table_open", "html_block"})


def read_markdown(path: Path) -> DraftDocument:
    """The blocks of a Markdown file. Front matter stays out of the text; its title names the document,
    else the first heading of level 1."""
    decoded = decode_text(path.read_bytes())
    source = decoded.text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    title, body = _split_front_matter(source)
    reader = _Reader(_markdown().parse(body))
    blocks = tuple(reader.read())
    return DraftDocument(
        blocks,
        FileType.MARKDOWN,
        title=title or _first_top_heading(blocks),
        warnings=decoded.warnings,
        removed=tuple(reader.html.removed),
    )


def markdown_blocks(source: str) -> tuple[DraftBlock, ...]:
    """The blocks of Markdown without front matter."""
    return tuple(_Reader(_markdown().parse(source)).read())


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable("table")
    parser.inline.ruler.before("emphasis", "mdx_comment", _skip_mdx_comment)
    parser.block.ruler.at("reference", _read_reference, {"alt": []})
    return parser


def _read_reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition of a link is no text; a footnote of one word (`[^1]: Nota`) looks like it and is."""
    at = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", at) and reference(state, start, end, silent)


def _skip_mdx_comment(state: StateInline, _silent: bool) -> bool:
    """`{/* … */}` is a comment in MDX, though its asterisks look like emphasis."""
    match = _MDX_COMMENT.match(state.src, state.pos)
    if match is None:
        return False
    state.pos = match.end()
    return True


def _split_front_matter(source: str) -> tuple[str | None, str]:
    match = _FRONT_MATTER.match(source)
    if match is None:
        return None, source
    found = _FRONT_TITLE.search(match["body"])
    title = found["title"].strip("\"'") if found else None
    return title or None, source[match.end() :]


def _first_top_heading(blocks: Sequence[DraftBlock]) -> str | None:
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.level == 1:
            return block.pieces[0].text
    return None


class _Reader:
    """Walks the flat list of tokens; containers are read by recursion up to the parser's nesting limit."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._readers: dict[str, Callable[[Token], Iterator[DraftBlock]]] = {
            "heading_open": self._heading,
            "paragraph_open": self._paragraph,
            "bullet_list_open": self._list,
            "ordered_list_open": self._list,
            "fence": self._code,
            "code_block": self._code,
            "table_open": self._table,
            "html_block": self._html,
            "blockquote_open": self._enter_quote,
            "blockquote_close": self._leave_quote,
        }
        self._quotes = 0
        self.html = HtmlWithin()

    def read(self) -> Iterator[DraftBlock]:
        while self._at < len(self._tokens):
            token = self._next()
            reader = self._readers.get(token.type)
            if reader is not None:
                yield from self.html.shown(reader(token))

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _heading(self, token: Token) -> Iterator[DraftBlock]:
        text = _HEADING_ATTRIBUTES.sub("", self._inline_text(self._next())).replace("\n", " ")
        if self._quotes:
            # A quoted heading belongs to what is quoted and does not divide the document.
            yield text_block(BlockKind.PARAGRAPH, text)
        else:
            yield text_block(BlockKind.HEADING, text, int(token.tag[1]))

    def _enter_quote(self, _token: Token) -> Iterator[DraftBlock]:
        self._quotes += 1
        yield from ()

    def _leave_quote(self, _token: Token) -> Iterator[DraftBlock]:
        self._quotes -= 1
        yield from ()

    def _paragraph(self, _token: Token) -> Iterator[DraftBlock]:
        yield text_block(BlockKind.PARAGRAPH, self._inline_text(self._next()))

    def _code(self, token: Token) -> Iterator[DraftBlock]:
        yield text_block(BlockKind.CODE, token.content)

    def _html(self, token: Token) -> Iterator[DraftBlock]:
        sources = [token.content]
        tables = open_tables(token.content)
        while 0 < tables < _DEEPEST and self._at < len(self._tokens) and self._tokens[self._at].type == "html_block":
            sources.append(self._next().content)
            tables += open_tables(sources[-1])
        yield from self.html.read("\n".join(sources))

    def _inline_text(self, token: Token) -> str:
        return "".join(map(_text_of, self.html.visible(token.children or ()))).strip()

    def _table(self, _token: Token) -> Iterator[DraftBlock]:
        rows: list[list[str]] = []
        while (token := self._next()).type != "table_close":
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(self._inline_text(token))
        yield text_block(BlockKind.TABLE, render_table(rows))

    def _list(self, opening: Token) -> Iterator[DraftBlock]:
        """A list is one block, an item a line, indented by its depth. What cannot stand in a line (code,
        a table) closes the block and stands by itself."""
        lines: list[str] = []
        counters = [_first_number(opening)]
        marker = ""
        while counters:
            token = self._next()
            if token.type.endswith("_list_open"):
                counters.append(_first_number(token))
            elif token.type.endswith("_list_close"):
                counters.pop()
            elif token.type == "list_item_open":
                marker = _marker(counters)
            elif token.type == "inline":
                indent = _INDENT * (len(counters) - 1)
                text = self._inline_text(token)
                lines.append(f"{indent}{marker}{text}" if marker else f"{indent}{_INDENT}{text}")
                marker = ""
            elif token.type in _STANDS_ALONE:
                yield text_block(BlockKind.LIST, "\n".join(lines))
                lines = []
                yield from self._readers[token.type](token)
        yield text_block(BlockKind.LIST, "\n".join(lines))


def _first_number(token: Token) -> int | None:
    return int(token.attrGet("start") or 1) if token.type == "ordered_list_open" else None


def _marker(counters: list[int | None]) -> str:
    number = counters[-1]
    if number is None:
        return "- "
    counters[-1] = number + 1
    return f"{number}. "


def _text_of(child: Token) -> str:
    """The text a reader sees: no emphasis marks, links by their text, images by their description."""
    if child.type in ("text", "code_inline", "image"):
        return child.content
    if child.type in ("softbreak", "hardbreak"):
        return " " if child.type == "softbreak" else "\n"
    return "\n" if child.type == "html_inline" and _HTML_BREAK.match(child.content) else ""
