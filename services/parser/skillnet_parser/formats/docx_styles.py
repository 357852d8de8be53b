"""What a paragraph's style makes of it: a heading of some level, an entry of a contents, an item of a list."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from skillnet_parser.formats.docx_package import W
from skillnet_parser.formats.ooxml import read_number

_HEADING_NAME = re.compile(
    r"(?:heading|t[ií]tulo|titre|überschrift|encabezado|t[ií]tol|cap[cç]alera|título de sección)\s*(\d)\b",
    re.IGNORECASE,
)
_LIST_STYLE = re.compile(r"list (?:bullet|number|continue) ([2-5])", re.IGNORECASE)
_TITLE_NAMES = frozenset({"title", "título", "titulo", "puesto", "títol", "titre", "titel"})
_CONTENTS_NAME = re.compile(r"(?:toc|tdc|sumário|índice|indice|contents?)\s*\d\b", re.IGNORECASE)
_CONTENTS_HEADING = re.compile(r"toc heading|título de tdc|encabezado de tdc|titulo tdc", re.IGNORECASE)
_BODY_LEVEL = 9  # outline level "body text"
_MAX_CHAIN = 20
_DEEPEST_LIST = 8


@dataclass(frozen=True, slots=True)
class ListPlace:
    """A numbering definition and a depth in it, from 0; `shown_depth` counts the lists around it too."""

    num_id: str
    depth: int
    shown_depth: int


class Styles:
    """The style sheet of a document."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles: dict[str, etree._Element] = {}
        self._default: str | None = None
        for style in root.iter(f"{W}style") if root is not None else ():
            identifier = style.get(f"{W}styleId", "")
            self._styles[identifier] = style
            if style.get(f"{W}type") == "paragraph" and style.get(f"{W}default") in ("1", "true", "on"):
                self._default = identifier
        self._hiding = {identifier for identifier in self._styles if self._hides(identifier)}

    def heading_level(self, paragraph: etree._Element) -> int:
        """1 to 9, or 0 where the paragraph is no heading. The outline level counts, the paragraph's own
        before its style's and its style's ancestors'; else the style's name, in any of several languages."""
        properties = [element.find(f"{W}pPr") for element in (paragraph, *self._chain(paragraph))]
        for holder in properties:
            level = _value(holder, "outlineLvl")
            if level is not None:
                stated = read_number(level, _BODY_LEVEL)
                return 0 if stated >= _BODY_LEVEL else stated + 1
        for name in self._names(paragraph):
            match = _HEADING_NAME.match(name)
            if match and match[1] != "0":
                return int(match[1])
        return 0

    def is_title(self, paragraph: etree._Element) -> bool:
        """Whether the paragraph has a title's style."""
        return any(name.lower() in _TITLE_NAMES for name in self._names(paragraph)[:1])

    def is_contents(self, paragraph: etree._Element) -> bool:
        """Whether the paragraph is an entry of a table of contents."""
        names = self._names(paragraph)[:1]
        return any(_CONTENTS_NAME.match(name) for name in names)

    def is_contents_heading(self, paragraph: etree._Element) -> bool:
        """Whether the paragraph is the heading of a table of contents."""
        return any(_CONTENTS_HEADING.match(name) for name in self._names(paragraph)[:1])

    def list_place(self, paragraph: etree._Element) -> ListPlace | None:
        """None where the paragraph is not numbered or bulleted."""
        number, depth = None, None
        for element in (paragraph, *self._chain(paragraph)):
            holder = element.find(f"{W}pPr/{W}numPr")
            if holder is None:
                continue
            number = number or _value(holder, "numId")
            depth = depth or _value(holder, "ilvl")
            if number is not None:
                break
        if number is None or number == "0":
            return None
        own = min(read_number(depth, 0), _DEEPEST_LIST)
        return ListPlace(number, own, max(own, self._depth_by_name(paragraph)))

    def _depth_by_name(self, paragraph: etree._Element) -> int:
        """The second to fifth list styles of every template are lists of their own, each of one level."""
        match = next(filter(None, map(_LIST_STYLE.fullmatch, self._names(paragraph)[:1])), None)
        return int(match[1]) - 1 if match is not None else 0

    def is_bold(self, paragraph: etree._Element) -> bool:
        """Whether the style sets the whole paragraph in bold."""
        for element in self._chain(paragraph):
            bold = element.find(f"{W}rPr/{W}b")
            if bold is not None:
                return is_on(bold)
        return False

    def is_hidden(self, run: etree._Element) -> bool:
        """Whether the run is hidden text, by itself, by its style or by its paragraph's."""
        own = run.find(f"{W}rPr/{W}vanish")
        if own is not None:
            return is_on(own)
        if not self._hiding:
            return False
        paragraph = next(run.iterancestors(f"{W}p"), None)
        of_paragraph = self._style_of(paragraph) if paragraph is not None else None
        return _value(run.find(f"{W}rPr"), "rStyle") in self._hiding or of_paragraph in self._hiding

    def _hides(self, identifier: str) -> bool:
        toggles = (style.find(f"{W}rPr/{W}vanish") for style in self._based_on(identifier))
        return is_on(next((toggle for toggle in toggles if toggle is not None), None))

    def _chain(self, paragraph: etree._Element) -> list[etree._Element]:
        """The paragraph's style and those it is based on, the nearest first."""
        return self._based_on(self._style_of(paragraph))

    def _style_of(self, paragraph: etree._Element) -> str | None:
        return _value(paragraph.find(f"{W}pPr"), "pStyle") or self._default

    def _based_on(self, identifier: str | None) -> list[etree._Element]:
        chain: list[etree._Element] = []
        while identifier in self._styles and len(chain) < _MAX_CHAIN:
            chain.append(self._styles[identifier])
            identifier = _value(chain[-1], "basedOn")
        return chain

    def _names(self, paragraph: etree._Element) -> list[str]:
        return [_value(style, "name") or "" for style in self._chain(paragraph)]


def is_on(element: etree._Element | None) -> bool:
    """A toggle of WordprocessingML: there without a value is on."""
    return element is not None and element.get(f"{W}val", "1") not in ("0", "false", "off", "none")


def _value(holder: etree._Element | None, name: str) -> str | None:
    element = holder.find(f"{W}{name}") if holder is not None else None
    return element.get(f"{W}val") if element is not None else None
