"""PPTX to drafts of blocks: a section a slide, which is a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from lxml import etree

from skillnet_common.documents import BlockKind, Box, Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, Piece
from skillnet_parser.domain.tables import render_rows
from skillnet_parser.domain.typed_lists import typed_lists
from skillnet_parser.formats.ooxml import RELATIONSHIP_ID
from skillnet_parser.formats.pptx_order import order_shapes
from skillnet_parser.formats.pptx_package import A, P, Presentation, SlideParts, open_presentation
from skillnet_parser.formats.pptx_shapes import Shape, inherited_shapes, placeholder_of, read_shapes
from skillnet_parser.formats.pptx_text import C, TextLine, read_chart, read_diagram, read_lines, read_table
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.limits import ParseLimits

Progress = Callable[[int, int], None]

_TITLES = frozenset({"title", "ctrTitle"})
_RUNNING = frozenset({"dt", "ftr", "hdr", "sldNum"})
_BULLETED = frozenset({"obj", "body"})
_UNTITLED = "Diapositiva {number}"
_NOTES = "Notas: "
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def read_pptx(path: Path, limits: ParseLimits, on_progress: Progress) -> DraftDocument:
    """The blocks of a presentation: a heading a slide, its text, tables, charts and notes. Lines have the place
    of their shape on the slide, notes that of the whole slide. Hidden slides are left out.

    Raises `PermanentFault`: corrupt_file, unsafe_archive, no_pages, too_many_pages, needs_ocr.
    """
    presentation = open_presentation(path)
    count = len(presentation.slides)
    _check_count(count, limits)
    reader = _Reader(presentation)
    blocks: list[DraftBlock] = []
    for number, slide in enumerate(presentation.slides, start=1):
        blocks += reader.read_slide(number, slide)
        on_progress(number, count)
    if not blocks and reader.pictures:
        raise PermanentFault(
            ErrorCode.NEEDS_OCR,
            "The presentation holds images but no text: it needs character recognition (OCR).",
            pages=reader.pictures,
        )
    return DraftDocument(
        tuple(blocks),
        FileType.PPTX,
        page_count=count,
        title=reader.title,
        warnings=tuple(reader.warnings()),
        removed=tuple(reader.removed),
    )


def _check_count(count: int, limits: ParseLimits) -> None:
    if count == 0:
        raise PermanentFault(ErrorCode.NO_PAGES, "The presentation has no slides.")
    if count > limits.max_pages:
        raise PermanentFault(
            ErrorCode.TOO_MANY_PAGES,
            f"The presentation has {count} slides; at most {limits.max_pages} are read. Split it into parts.",
            pages=count,
            limit=limits.max_pages,
        )


class _Reader:
    def __init__(self, presentation: Presentation) -> None:
        self._width, self._height = presentation.width, presentation.height
        self.title: str | None = None
        self.pictures: list[int] = []
        """Numbers of the slides that show only images."""
        self.removed: list[Removal] = []
        self._hidden: list[int] = []
        self._missing: list[int] = []

    def warnings(self) -> Iterator[str]:
        for numbers, sentence in (
            (self._hidden, "Hidden slides were left out: {}."),
            (self._missing, "Slides that the file names but does not hold: {}."),
            (self.pictures, "Slides that hold images only, whose text is not read: {}."),
        ):
            if numbers:
                yield sentence.format(", ".join(map(str, numbers)))

    def read_slide(self, number: int, parts: SlideParts | None) -> list[DraftBlock]:
        """None of a slide without text."""
        if parts is None:
            self._missing.append(number)
            return []
        shapes = list(read_shapes(parts, self._width, self._height))
        if parts.slide.get("show", "1") in ("0", "false"):
            self._hidden.append(number)
            self.removed += _removals(shapes, number, RemovalReason.HIDDEN)
            return []
        shown = list(self._shown(shapes, number))
        titles = [shape for shape in shown if _kind(shape) in _TITLES]
        blocks = list(_body_blocks([shape for shape in shown if shape not in titles], parts, number))
        blocks += _note_blocks(parts.notes, number)
        heading = _heading(titles, number)
        if heading is None and not blocks:
            if next(parts.slide.iter(f"{A}blip"), None) is not None:
                self.pictures.append(number)
            return []
        if heading is None:
            box = Box(number, 0.0, 0.0, 1.0, 1.0)
            heading = DraftBlock(BlockKind.HEADING, (Piece(_UNTITLED.format(number=number), box),), 1)
        elif self.title is None:
            self.title = " ".join(piece.text for piece in heading.pieces)
        return [heading, *blocks]

    def _shown(self, shapes: Sequence[Shape], number: int) -> Iterator[Shape]:
        for shape in shapes:
            if shape.hidden:
                self.removed += _removals([shape], number, RemovalReason.HIDDEN)
            elif _kind(shape) in _RUNNING:
                self.removed += _removals([shape], number, RemovalReason.RUNNING_LINE)
            else:
                yield shape


def _kind(shape: Shape) -> str:
    return shape.placeholder.kind if shape.placeholder is not None else ""


def _removals(shapes: Sequence[Shape], number: int, reason: RemovalReason) -> Iterator[Removal]:
    for shape in shapes:
        text = " ".join("".join(part.text or "" for part in shape.element.iter(f"{A}t")).split())
        if text:
            yield Removal(reason, number, text)


def _heading(titles: Sequence[Shape], number: int) -> DraftBlock | None:
    pieces = tuple(
        Piece(line.text, title.box(number))
        for title in titles
        if (body := title.element.find(f"{P}txBody")) is not None
        for line in read_lines(body, bulleted=False)
    )
    return DraftBlock(BlockKind.HEADING, pieces, 1) if pieces else None


def _body_blocks(shapes: Sequence[Shape], parts: SlideParts, number: int) -> Iterator[DraftBlock]:
    """Those of the shapes in reading order, in which shapes without text have no part: many lie behind others."""
    blocks = {id(shape): list(_shape_blocks(shape, parts, number)) for shape in shapes}
    for shape in order_shapes([shape for shape in shapes if blocks[id(shape)]]):
        yield from blocks[id(shape)]


def _shape_blocks(shape: Shape, parts: SlideParts, number: int) -> Iterator[DraftBlock]:
    box = shape.box(number)
    body = shape.element.find(f"{P}txBody")
    if body is not None:
        yield from _line_blocks(read_lines(body, bulleted=_is_bulleted(shape, parts)), box)
    for table in shape.element.iterfind(f"{A}graphic/{A}graphicData/{A}tbl"):
        yield from _table_block(read_table(table), box)
    for frame, kind in _frames(shape, parts):
        if kind == "chart":
            title, rows = read_chart(frame)
            yield from _line_blocks([TextLine(title)] if title else [], box)
            yield from _table_block(rows, box)
        else:
            yield from _line_blocks(read_diagram(frame), box)


def _frames(shape: Shape, parts: SlideParts) -> Iterator[tuple[etree._Element, str]]:
    """The charts and diagrams that a frame shows."""
    for data in shape.element.iterfind(f"{A}graphic/{A}graphicData"):
        for reference in data.iterchildren(tag=etree.Element):
            for attribute, kind in ((RELATIONSHIP_ID, "chart"), (_DIAGRAM_DATA, "diagram")):
                frame = parts.frames.get(reference.get(attribute, ""))
                if frame is not None and (frame.tag == f"{C}chartSpace") == (kind == "chart"):
                    yield frame, kind


def _is_bulleted(shape: Shape, parts: SlideParts) -> bool:
    """Content placeholders have bullets, unless the layout or the shape takes them away."""
    if shape.placeholder is None or shape.placeholder.kind not in _BULLETED:
        return False
    return not any(
        element.find(f"{P}txBody/{A}lstStyle/{A}lvl1pPr/{A}buNone") is not None
        for element in (shape.element, *inherited_shapes(parts, shape.placeholder))
    )


def _line_blocks(lines: Sequence[TextLine], box: Box) -> Iterator[DraftBlock]:
    """Runs of items are lists, be their bullets typed; other lines are paragraphs, and so is an item without another
    beside it."""
    for is_item, group in groupby(lines, key=lambda line: bool(line.marker)):
        run = list(group)
        if is_item and len(lines) > 1:
            yield DraftBlock(BlockKind.LIST, tuple(Piece(line.as_item(), box, "\n") for line in run))
        else:
            yield from typed_lists(DraftBlock(BlockKind.PARAGRAPH, (Piece(line.text, box),)) for line in run)


def _table_block(rows: list[list[str]], box: Box) -> Iterator[DraftBlock]:
    pieces = tuple(Piece(line, box, "\n") for line in render_rows(rows))
    if pieces:
        yield DraftBlock(BlockKind.TABLE, pieces)


def _note_blocks(notes: etree._Element | None, number: int) -> Iterator[DraftBlock]:
    if notes is None:
        return
    box = Box(number, 0.0, 0.0, 1.0, 1.0)
    lead = _NOTES
    for shape in notes.iter(f"{P}sp"):
        placeholder = placeholder_of(shape)
        body = shape.find(f"{P}txBody")
        if placeholder is None or placeholder.kind != "body" or body is None:
            continue
        for line in read_lines(body, bulleted=False):
            yield DraftBlock(BlockKind.NOTE, (Piece(f"{lead}{line.as_item()}", box),))
            lead = ""
