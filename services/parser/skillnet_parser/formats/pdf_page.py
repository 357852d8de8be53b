"""One page of a PDF: its visible text with style and place, its ruled tables, and how legible it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pymupdf

from skillnet_common.documents import Box
from skillnet_parser.domain.characters import SOFT_HYPHEN, clean_characters, count_unreadable, drop_ornaments
from skillnet_parser.domain.layout import Fragment, PageLayout, Rect, Style, TableRegion, mix_styles
from skillnet_parser.domain.soup import is_soup
from skillnet_parser.formats.pdf_edges import words_at_edges
from skillnet_parser.formats.pdf_fields import read_fields
from skillnet_parser.formats.pdf_hidden import HiddenText
from skillnet_parser.formats.pdf_scan import find_unread_image, is_scan
from skillnet_parser.formats.pdf_tables import find_tables

# Without TEXT_PRESERVE_LIGATURES ligatures come out as letters; without TEXT_CID_FOR_UNKNOWN_UNICODE a glyph
# whose meaning the file does not give comes out as U+FFFD, which can be counted, not as a wrong letter.
TEXT_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
_SUPERSCRIPT, _ITALIC, _MONOSPACED, _BOLD = 1, 2, 8, 16
_FILLED_AND_STROKED = 16 | 32
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi")
_WORD_GAP = 0.18  # times the size: a wider gap between two runs is a space that the file leaves out
_BOX_DIGITS = 4
_MIN_CHROMA = 48  # of 255: less is a grey
_BELOW_PAGE = 1.05  # where sideways text stands in the reading order: after all else
MAX_UNREADABLE = 0.02  # of a page's characters
_RAISED = str.maketrans({"o": "º", "a": "ª", "O": "º", "A": "ª"})


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page's layout and what the whole document is judged by. `image_cover` is a share of the page. The text of a
    scan is in its image; that of a garbled page stands for other letters than those it shows. `unread_image` is where
    a large image with print stands beside the text, in points of the page as a reader sees it."""

    layout: PageLayout
    chars: int
    unreadable: int
    image_cover: float
    has_hidden_text: bool
    hidden_texts: tuple[str, ...]
    has_recognised_text: bool
    is_scan: bool
    is_soup: bool
    unread_image: Rect | None = None

    @property
    def is_garbled(self) -> bool:
        """Whether more than 2 % of the characters stand for glyphs whose meaning the file does not give, or letters
        for other letters."""
        return self.is_soup or self.unreadable > MAX_UNREADABLE * max(self.chars, 1)


@dataclass(frozen=True, slots=True)
class _Printed:
    """A line as printed: visible runs only. `direction` is of the page as a reader sees it."""

    text: str
    rect: pymupdf.Rect
    style: Style
    direction: tuple[int, int]
    parts: tuple[_Printed, ...] = ()


def read_page(page: Any, number: int, table_above: TableRegion | None = None) -> PageReading:
    """Reads `page` (a `pymupdf.Page`); `number` counts from 1. `table_above` is the last table of the page before."""
    log = page.get_bboxlog()
    cover = _image_cover(page, log)
    hidden = HiddenText(page, log, image_cover=cover)
    turn = page.rotation_matrix
    content = page.get_text("dict", flags=TEXT_FLAGS)
    blocks, beyond = words_at_edges(page, log, content["blocks"], TEXT_FLAGS)
    _mark_links(page, blocks)
    printed = [line for block in read_fields(page, blocks) for line in _read_block(block, turn, hidden)]
    tables = find_tables(page, log, hidden, table_above) if page.rotation == 0 else []
    text = "\n".join(line.text for line in printed)
    chars = sum(not char.isspace() for char in text)
    scan = not hidden.recognised and is_scan(page, chars, [line.rect for line in printed], cover)
    readable = [(line.text, line.rect) for line in printed]
    image = None if scan or hidden.recognised else find_unread_image(page, readable, _images(log, turn))
    return PageReading(
        layout=_arrange(page, number, printed, tables),
        chars=chars,
        unreadable=count_unreadable(text),
        image_cover=cover,
        has_hidden_text=hidden.found or bool(beyond),
        hidden_texts=tuple(clean_characters(text) for text in dict.fromkeys([*hidden.texts, *beyond])),
        has_recognised_text=hidden.recognised,
        is_scan=scan,
        is_soup=is_soup(text),
        unread_image=Rect(image.x0, image.y0, image.x1, image.y1) if image is not None else None,
    )


def _mark_links(page: Any, blocks: Sequence[dict[str, Any]]) -> None:
    """Marks coloured runs that lead elsewhere: their colour says so, and nothing else about the text."""
    spans = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"]]
    coloured = [span for span in spans if _is_colourful(span["color"])]
    if not coloured:
        return
    links = [pymupdf.Rect(link["from"]) for link in page.links()]
    for span in coloured:
        x0, y0, x1, y1 = span["bbox"]
        span["is_link"] = any(link.contains(pymupdf.Point((x0 + x1) / 2, (y0 + y1) / 2)) for link in links)


def _image_cover(page: Any, log: Sequence[tuple[str, tuple[float, ...]]]) -> float:
    """The share of the page under its images."""
    bounds = page.rect * page.derotation_matrix
    area = abs(bounds.get_area()) or 1.0
    covers = [(rect & bounds).get_area() / area for rect in _images(log, pymupdf.Identity)]
    # A scan may be stored as strips, each an image of its own.
    return float(min(1.0, sum(covers)))


def _images(log: Sequence[tuple[str, tuple[float, ...]]], turn: pymupdf.Matrix) -> list[pymupdf.Rect]:
    return [pymupdf.Rect(rect) * turn for kind, rect in log if kind in ("fill-image", "fill-imgmask")]


def _read_block(block: dict[str, Any], turn: pymupdf.Matrix, hidden: HiddenText) -> Iterator[_Printed]:
    for line in block.get("lines", ()):
        spans = [span for span in line["spans"] if not hidden.hides(span)]
        if not any(span["text"].strip() for span in spans):
            continue
        direction = _direction(line["dir"], turn)
        end = _end_of_lead(spans)
        parts = (spans[:end], spans[end:]) if end else ()
        yield replace(_print(spans, turn, direction), parts=tuple(_print(part, turn, direction) for part in parts))


def _print(spans: Sequence[dict[str, Any]], turn: pymupdf.Matrix, direction: tuple[int, int]) -> _Printed:
    inked = [span for span in spans if span["text"].strip()]
    rect = pymupdf.Rect(inked[0]["bbox"])
    for span in inked[1:]:
        rect |= pymupdf.Rect(span["bbox"])
    style = mix_styles([(len(span["text"].strip()), _style(span)) for span in inked])
    return _Printed(_mark_bullet(_join_spans(spans), inked), rect * turn, style, direction)


def _end_of_lead(spans: Sequence[dict[str, Any]]) -> int:
    """How many runs at the head of a line are bold or italic before plain ones end it; 0 where it is not so."""
    emphasised = [_style(span).emphasised if span["text"].strip() else None for span in spans]
    known = [flag for flag in emphasised if flag is not None]
    if not known or not known[0] or known[-1]:
        return 0
    return emphasised.index(False)


def _join_spans(spans: Sequence[dict[str, Any]]) -> str:
    parts: list[str] = []
    for index, span in enumerate(spans):
        text = span["text"]
        before = spans[index - 1] if index else None
        if before is not None and text and parts[-1]:
            gap = span["bbox"][0] - before["bbox"][2]
            if gap > _WORD_GAP * span["size"] and not (text[0].isspace() or parts[-1][-1].isspace()):
                text = " " + text
            text = _raise(text, "".join(parts), span, before)
        parts.append(text)
    return "".join(parts)


def _raise(text: str, before: str, span: dict[str, Any], last: dict[str, Any]) -> str:
    """Superscripts: `n.` + `o` is `n.º`; a number behind a word is a note's mark and not part of the word."""
    stripped = text.strip()
    if not span["flags"] & _SUPERSCRIPT or last["flags"] & _SUPERSCRIPT:
        return str(text)
    if stripped in ("o", "a", "O", "A") and before[-1:] == ".":
        return str(text.translate(_RAISED))
    if stripped.isdigit() and before[-3:].isalpha() and len(before) >= 3:
        return str(text.replace(stripped, f" ({stripped})"))
    return str(text)


def _mark_bullet(text: str, spans: Sequence[dict[str, Any]]) -> str:
    """The bullet of a list's second level in Word files is the letter o of Courier New."""
    first = spans[0]
    if first["text"].strip() == "o" and first["font"].startswith("Courier"):
        return text.replace("o", "◦", 1)
    return text


def _style(span: dict[str, Any]) -> Style:
    font = span["font"].lower()
    drawn_bold = span["char_flags"] & _FILLED_AND_STROKED == _FILLED_AND_STROKED
    bold = bool(span["flags"] & _BOLD) or drawn_bold or any(name in font for name in _BOLD_NAMES)
    italic = bool(span["flags"] & _ITALIC)
    return Style(
        size=round(span["size"] * 2) / 2,
        bold=bold,
        italic=italic,
        emphasised=bold or italic,
        monospaced=bool(span["flags"] & _MONOSPACED),
        colour=span["color"] if _is_colourful(span["color"]) and not span.get("is_link") else None,
    )


def _is_colourful(colour: int) -> bool:
    parts = (colour >> 16 & 255, colour >> 8 & 255, colour & 255)
    return max(parts) - min(parts) >= _MIN_CHROMA


def _direction(direction: tuple[float, float], turn: pymupdf.Matrix) -> tuple[int, int]:
    x = direction[0] * turn.a + direction[1] * turn.c
    y = direction[0] * turn.b + direction[1] * turn.d
    return round(x), round(y)


def _arrange(page: Any, number: int, printed: Sequence[_Printed], tables: Sequence[TableRegion]) -> PageLayout:
    """The page turned so that most of its text reads from left to right; the rest comes last."""
    width, height = page.rect.width, page.rect.height
    main = _main_direction(printed)
    flow_width, flow_height = (width, height) if main[0] else (height, width)
    fragments: list[Fragment] = []
    sideways = flow_height * _BELOW_PAGE
    for line in printed:
        text = _legible(line.text)
        if not text.strip():
            continue
        box = _box(number, line.rect, width, height)
        if line.direction == main:
            rect = _turn(line.rect, main, width, height)
        else:
            rect = Rect(0.0, sideways, flow_width, sideways + line.style.size)
            sideways += 3 * line.style.size
        parts = _place_parts(line, number, width, height) if line.direction == main else ()
        fragments.append(Fragment(text, rect, box, line.style, parts))
    outside = [
        fragment
        for fragment in fragments
        if not any(table.rect.contains_middle_of(fragment.rect) for table in tables)
    ]
    placed = tuple(_place_table(table, number, fragments) for table in tables)
    return PageLayout(number, flow_width, flow_height, tuple(outside), placed)


def _place_table(table: TableRegion, number: int, fragments: Sequence[Fragment]) -> TableRegion:
    inside = [one for one in fragments if table.rect.contains_middle_of(one.rect)]
    size = mix_styles([(len(one.text), one.style) for one in inside]).size if inside else None
    boxes = tuple(Box(number, box.x0, box.y0, box.x1, box.y1) for box in table.row_boxes)
    return replace(table, row_boxes=boxes, size=size)


def _place_parts(line: _Printed, number: int, width: float, height: float) -> tuple[Fragment, ...]:
    parts = tuple(
        Fragment(
            text,
            _turn(part.rect, part.direction, width, height),
            _box(number, part.rect, width, height),
            part.style,
        )
        for part in line.parts
        if (text := _legible(part.text)).strip()
    )
    return parts if len(parts) == 2 else ()


def _legible(text: str) -> str:
    """Clean text; a soft hyphen at its end stays, for it says that a word goes on in the next line."""
    ending = SOFT_HYPHEN if text.rstrip().endswith(SOFT_HYPHEN) else ""
    return drop_ornaments(clean_characters(text)).replace("\n", " ") + ending


def _main_direction(printed: Sequence[_Printed]) -> tuple[int, int]:
    chars: dict[tuple[int, int], int] = {(1, 0): 0}
    for line in printed:
        if line.direction in ((1, 0), (0, -1), (0, 1), (-1, 0)):
            chars[line.direction] = chars.get(line.direction, 0) + len(line.text)
    return max(chars, key=lambda direction: chars[direction])


def _turn(rect: pymupdf.Rect, main: tuple[int, int], width: float, height: float) -> Rect:
    if main == (0, -1):  # reads upwards
        return Rect(height - rect.y1, rect.x0, height - rect.y0, rect.x1)
    if main == (0, 1):  # reads downwards
        return Rect(rect.y0, width - rect.x1, rect.y1, width - rect.x0)
    if main == (-1, 0):  # upside down
        return Rect(width - rect.x1, height - rect.y1, width - rect.x0, height - rect.y0)
    return Rect(rect.x0, rect.y0, rect.x1, rect.y1)


def _box(number: int, rect: pymupdf.Rect, width: float, height: float) -> Box:
    return Box(
        number,
        _fraction(rect.x0, width),
        _fraction(rect.y0, height),
        _fraction(rect.x1, width),
        _fraction(rect.y1, height),
    )


def _fraction(value: float, whole: float) -> float:
    return round(min(max(value / whole, 0.0), 1.0), _BOX_DIGITS)
