"""Markdown to HTML, with the HTML that stands in it: one page, read as any page is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lxml.html import defs
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock, reference
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

DEEPEST = 100
"""Levels of nesting: what lies deeper is dropped, and the preset's 20 already drops lists of ten levels."""
_NAMES = defs.tags | {"main", "picture", "dialog", "template", "data", "bdi", "slot", "search", "text"}
_TO_THE_END = frozenset(
    [
        *("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext", "template"),
        *("svg", "object", "video", "audio", "canvas", "select", "dialog", "noscript"),
    ]
)
"""Without their end these swallow the rest of the document: then they are words about HTML."""
_NEEDS_NO_VALUE = frozenset(
    [
        *("hidden", "open", "reversed", "controls", "autoplay", "loop", "muted", "allowfullscreen", "async", "defer"),
        *("disabled", "checked", "selected", "readonly", "required", "multiple", "nowrap", "noshade", "compact"),
        *("inert", "itemscope", "download"),
    ]
)
_TAG = re.compile(r"<(?P<closing>/?)(?P<name>[a-zA-Z][\w:.-]*)(?P<attributes>(?:[^<>\"']|\"[^\"]*\"|'[^']*')*)")
_VALUE = re.compile(r"[^\s=\"']+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=]+)")
_HEADING_ATTRIBUTES = re.compile(r"\{[#.:][^{}]*\}$")


class _PageRenderer(RendererHTML):
    """Renders a document; with `tags_are_text` in `env` the tags that stand in it are shown as text.

    A heading in a quotation or in a list belongs to that, and is a paragraph. Of tags stays what is HTML;
    `copy <from> <to>` is text.
    """

    def __init__(self, parser: Any = None) -> None:
        super().__init__(parser)
        self._ended: frozenset[str] = frozenset()

    def render(self, tokens: Sequence[Token], options: Any, env: Any) -> str:
        """The page."""
        self._ended = frozenset(_ended(tokens))
        return str(super().render(tokens, options, env))

    def heading_open(self, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
        """Without the attributes that several dialects write behind a heading."""
        _drop_attributes(tokens[at + 1].children or [])
        return f"<{_heading_tag(tokens[at])}>"

    def heading_close(self, tokens: Sequence[Token], at: int, _options: Any, _env: Any) -> str:
        """The end of what `heading_open` opened."""
        return f"</{_heading_tag(tokens[at])}>"

    def html_block(self, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
        """The tags that are tags; those of components, which HTML does not know, enclose blocks here."""
        return self._html(tokens[at].content, env, unknown="div")

    def html_inline(self, tokens: Sequence[Token], at: int, _options: Any, env: Any) -> str:
        """The tags that are tags."""
        return self._html(tokens[at].content, env)

    def _html(self, source: str, env: Any, unknown: str = "span") -> str:
        if env.get("tags_are_text"):
            return str(escapeHtml(source))
        parts: list[str] = []
        done = 0
        for tag in _TAG.finditer(source):
            if not self._is_tag(tag):
                parts += [source[done : tag.start()], str(escapeHtml(tag[0]))]
                done = tag.end()
            elif tag["name"].lower() not in _NAMES:
                parts += [
                    source[done : tag.start()],
                    f"<{tag['closing']}{unknown}{tag['attributes'].removesuffix('/')}",
                ]
                parts += [f"></{unknown}"] if tag["attributes"].endswith("/") else []
                done = tag.end()
        return "".join([*parts, source[done:]])

    def _is_tag(self, tag: re.Match[str]) -> bool:
        name, attributes = tag["name"].lower(), tag["attributes"]
        if tag["closing"]:
            return True
        if name in _TO_THE_END:
            return name in self._ended
        words = _VALUE.sub("", attributes.removesuffix("/")).lower().split()
        if not _NEEDS_NO_VALUE.issuperset(words):
            return False
        return name in _NAMES or name in self._ended or "-" in name or "=" in attributes or attributes.endswith("/")


def markdown_parser() -> MarkdownIt:
    """A parser of CommonMark with tables that renders pages."""
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}, renderer_cls=_PageRenderer)
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("emphasis", "mdx_comment", _skip_mdx_comment)
    parser.block.ruler.at("reference", _read_reference, {"alt": []})
    return parser


def _read_reference(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A definition of a link is no text; a footnote of one word (`[^1]: Nota`) looks like it and is."""
    at = state.bMarks[start] + state.tShift[start]
    return not state.src.startswith("[^", at) and reference(state, start, end, silent)


def _skip_mdx_comment(state: StateInline, _silent: bool) -> bool:
    """`{/* … */}` is a comment in MDX, though its asterisks look like emphasis."""
    if not state.src.startswith("{/*", state.pos) or state.pos >= state.env.get("no_comment_from", len(state.src)):
        return False
    end = state.src.find("*/}", state.pos)
    if end < 0:
        state.env["no_comment_from"] = state.pos
        return False
    state.pos = end + len("*/}")
    return True


def _ended(tokens: Sequence[Token]) -> Iterator[str]:
    """The names of tags that an ending tag of the document closes."""
    for token in tokens:
        if token.type in ("html_block", "html_inline"):
            yield from (tag["name"].lower() for tag in _TAG.finditer(token.content) if tag["closing"])
        yield from _ended(token.children or ())


def _heading_tag(token: Token) -> str:
    return "p" if token.level > 0 else token.tag


def _drop_attributes(children: Sequence[Token]) -> None:
    """`# Uso {#uso}`"""
    last = children[-1] if children else None
    if last is not None and last.type == "text":
        last.content = _HEADING_ATTRIBUTES.sub("", last.content.rstrip()).rstrip()
