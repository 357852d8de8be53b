"""HTML inside Markdown: read as HTML is, and what it hides is hidden, be it written in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lxml import html
from markdown_it.token import Token

from skillnet_common.documents import Removal, RemovalReason
from skillnet_parser.domain.draft import DraftBlock
from skillnet_parser.formats.html import parse_html
from skillnet_parser.formats.html_flow import read_flow
from skillnet_parser.formats.html_hidden import is_hidden, take_hidden

_TAG = re.compile(r"<(?P<closing>/?)(?P<name>[a-zA-Z][\w-]*)(?P<rest>[^<>]*)>")
_NEVER_SHOWN = frozenset({"script", "style", "template"})
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr", "area", "base", "col", "embed", "source"})


class HtmlWithin:
    """Reads the blocks and tags of one Markdown text. `removed` is what was hidden.

    A tag that hides may stand alone in its block; then all up to its end is hidden.
    """

    def __init__(self) -> None:
        self.removed: list[Removal] = []
        self._hiding = _Hiding()

    def read(self, source: str) -> Iterator[DraftBlock]:
        """The blocks of an HTML block."""
        self._hiding.follow(source)
        root = parse_html(source)
        if root is not None:
            self.removed += take_hidden(root).removed
            yield from read_flow(root)

    def shown(self, blocks: Iterable[DraftBlock]) -> Iterator[DraftBlock]:
        """The blocks without those that an open tag hides."""
        for block in blocks:
            if self._hiding.is_open:
                self._remove("".join(piece.joint + piece.text for piece in block.pieces))
            else:
                yield block

    def visible(self, children: Sequence[Token]) -> Iterator[Token]:
        """What a line shows of its parts."""
        hiding, hidden = _Hiding(), ""
        for child in children:
            if child.type == "html_inline":
                was_open = hiding.is_open
                hiding.follow(child.content)
                if was_open and not hiding.is_open:
                    self._remove(hidden)
                    hidden = ""
            if not hiding.is_open:
                yield child
            elif hiding.is_told and child.type in ("text", "code_inline"):
                hidden += child.content
        self._remove(hidden)

    def _remove(self, text: str) -> None:
        words = " ".join(text.split())
        if words:
            self.removed.append(Removal(RemovalReason.HIDDEN, None, words))


def open_tables(source: str) -> int:
    """How many tables a piece opens without closing them (negative: closes): a blank line in a table begins another
    block of HTML."""
    names = [(tag["closing"], tag["name"].lower()) for tag in _TAG.finditer(source)]
    return names.count(("", "table")) - names.count(("/", "table"))


class _Hiding:
    """Follows tags in the order of the text: open from a tag that hides to the end of its element."""

    def __init__(self) -> None:
        self._name = ""
        self._depth = 0

    @property
    def is_open(self) -> bool:
        """Whether what comes is hidden."""
        return self._depth > 0

    @property
    def is_told(self) -> bool:
        """Whether what is hidden is text, not a script."""
        return self._name not in _NEVER_SHOWN

    def follow(self, source: str) -> None:
        """Takes in the tags of a piece of text."""
        for tag in _TAG.finditer(source):
            name = tag["name"].lower()
            if self.is_open:
                if name == self._name:
                    self._depth += -1 if tag["closing"] else 1
            elif not tag["closing"] and name not in _VOID and not tag["rest"].endswith("/") and _hides(tag[0], name):
                self._name, self._depth = name, 1


def _hides(tag: str, name: str) -> bool:
    return name in _NEVER_SHOWN or is_hidden(html.fragment_fromstring(tag, create_parent="div")[0])
