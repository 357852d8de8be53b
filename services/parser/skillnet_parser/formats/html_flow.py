"""The visible tree of an HTML page to blocks in reading order."""

from __future__ import annotations

import re

from lxml import etree, html

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, text_block
from skillnet_parser.domain.tables import render_table
from skillnet_parser.domain.typed_lists import typed_lists
from skillnet_parser.formats.html_tables import is_data_table, table_rows

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "details",
        "dialog",
        "div",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hr",
        "html",
        "legend",
        "main",
        "nav",
        "p",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
    ]
)
_NO_TEXT = frozenset({"head", "title"})
_INDENT = "  "
_SPACES = re.compile(r"[ \t\r\n\f\v]+")
_MAX_LEVEL = 9
_LEAST_CONTENTS = 2  # entries
_CONTENTS_SHARE = 0.8  # of the characters: numbers and leaders may stand beside
_MOST_DIGITS = 9  # of a list's first number


def read_flow(root: html.HtmlElement) -> list[DraftBlock]:
    """The blocks of a tree that holds only what is shown."""
    reader = _Reader()
    reader.read(root)
    return list(typed_lists(reader.blocks))


class _Reader:
    """Gathers the text of inline elements until a block begins or ends. Inside a list it becomes a line of the
    list, which is one block; what cannot stand in a line (a heading, a table, code) interrupts the list."""

    def __init__(self) -> None:
        self.blocks: list[DraftBlock] = []
        self._text: list[str] = []
        self._lines: list[str] = []
        self._counters: list[int | None] = []
        self._marker = ""

    def read(self, element: html.HtmlElement) -> None:
        """Appends what the element holds to `blocks`."""
        self._flow(element)
        self._end_text()
        self._end_list()

    def _flow(self, element: html.HtmlElement) -> None:
        self._text.append(_collapse(element.text))
        for child in element.iterchildren(tag=etree.Element):
            self._element(child)
            self._text.append(_collapse(child.tail))

    def _element(self, element: html.HtmlElement) -> None:
        tag = element.tag
        level = _heading_level(element)
        if tag in _NO_TEXT:
            return
        if tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._text.append(_collapse(element.get("alt")))
        elif tag == "svg":
            self._drawing(element)
        elif level:
            self._stand_alone(BlockKind.HEADING, _one_line(_inline_text(element)), level)
        elif tag == "pre":
            self._stand_alone(BlockKind.CODE, _preformatted(element))
        elif tag == "table" and is_data_table(element):
            for caption in element.iterchildren("caption"):
                self._stand_alone(BlockKind.PARAGRAPH, _inline_text(caption))
            rows = table_rows(element, lambda cell: _one_line(_inline_text(cell)))
            self._stand_alone(BlockKind.TABLE, render_table(rows))
        elif tag in _LISTS:
            self._list(element)
        elif tag in _ITEMS:
            self._item(element)
        elif tag in _BLOCKS:
            self._end_text()
            self._flow(element)
            self._end_text()
        else:
            self._flow(element)

    def _drawing(self, element: html.HtmlElement) -> None:
        """Of a drawing the words written into it; a title and a description are for those who cannot see it."""
        for text in element.iter("text"):
            self._end_text()
            self._text.append(_inline_text(text))
            self._end_text()

    def _list(self, element: html.HtmlElement) -> None:
        self._end_text()
        if not self._counters and _is_contents(element):
            self._end_list()
            lines = [_one_line(_inline_text(link)) for link in element.iter("a")]
            self.blocks.append(text_block(BlockKind.CONTENTS, "\n".join(lines)))
            return
        self._counters.append(_number(element, "start", 1) if element.tag == "ol" else None)
        self._flow(element)
        self._end_text()
        self._counters.pop()
        if not self._counters:
            self._end_list()

    def _item(self, element: html.HtmlElement) -> None:
        self._end_text()
        loose = not self._counters  # an item without its list
        if loose:
            self._counters.append(None)
        self._marker = "" if element.tag == "dd" else self._next_marker()
        self._flow(element)
        self._end_text()
        self._marker = ""
        if loose:
            self._counters.pop()

    def _next_marker(self) -> str:
        number = self._counters[-1]
        if number is None:
            return "- "
        self._counters[-1] = number + 1
        return f"{number}. "

    def _end_text(self) -> None:
        text = _tidy("".join(self._text))
        self._text = []
        if not text:
            return
        if self._counters:
            indent = _INDENT * (len(self._counters) - 1)
            self._lines.append(indent + (self._marker or _INDENT) + text.replace("\n", " "))
            self._marker = ""
        else:
            self._end_list()
            self.blocks.append(text_block(BlockKind.PARAGRAPH, text))

    def _end_list(self) -> None:
        if self._lines:
            self.blocks.append(text_block(BlockKind.LIST, "\n".join(self._lines)))
            self._lines = []

    def _stand_alone(self, kind: BlockKind, text: str, level: int = 0) -> None:
        self._end_text()
        if text.strip():
            self._end_list()
            self.blocks.append(text_block(kind, text, level))


def _heading_level(element: html.HtmlElement) -> int:
    if element.get("role") == "heading":
        return min(max(_number(element, "aria-level", 2), 1), _MAX_LEVEL)
    return _HEADINGS.get(element.tag, 0)


def _is_contents(element: html.HtmlElement) -> bool:
    """Whether a list holds nothing but links to places in its own page."""
    links = list(element.iter("a"))
    if len(links) < _LEAST_CONTENTS or not all(link.get("href", "").startswith("#") for link in links):
        return False
    linked = sum(len("".join(link.text_content().split())) for link in links)
    return linked >= _CONTENTS_SHARE * len("".join(element.text_content().split()))


def _number(element: html.HtmlElement, name: str, otherwise: int) -> int:
    value = element.get(name, "").strip()
    return int(value) if value.isdecimal() and len(value) <= _MOST_DIGITS else otherwise


def _inline_text(element: html.HtmlElement) -> str:
    """All text of an element, blocks within it on lines of their own."""
    parts: list[str] = [_collapse(element.text)]
    for child in element.iterchildren(tag=etree.Element):
        if child.tag == "br":
            parts.append("\n")
        elif child.tag == "img":
            parts.append(_collapse(child.get("alt")))
        else:
            inner = _inline_text(child)
            parts.append(f"\n{inner}\n" if child.tag in _BLOCKS | _ITEMS | _LISTS else inner)
        parts.append(_collapse(child.tail))
    return "".join(parts)


def _preformatted(element: html.HtmlElement) -> str:
    """White space as it stands; a newline right after the tag does not count (HTML, 4.4.3)."""
    for line_break in element.iter("br"):
        line_break.tail = "\n" + (line_break.tail or "")
    return str(element.text_content()).expandtabs().removeprefix("\n").rstrip()


def _collapse(text: str | None) -> str:
    return _SPACES.sub(" ", text) if text else ""


def _tidy(text: str) -> str:
    return "\n".join(line for raw in text.split("\n") if (line := _one_line(raw)))


def _one_line(text: str) -> str:
    return " ".join(text.split())
