"""Sets a source as a PDF: pages, columns, headings, contents, tables, header and footer lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import zip_longest

import pymupdf

from typesetting.blocks import (
    Block,
    Directive,
    Heading,
    ListItem,
    Note,
    Paragraph,
    Run,
    Runs,
    Table,
)
from typesetting.canvas import A4, ACCENT, Canvas, put_wrapped
from typesetting.fonts import text_width
from typesetting.lines import Line, Typeface, break_lines
from typesetting.source import Source
from typesetting.tables import Grid, Row, make_grid

LEADING = 1.42
COLUMN_GAP = 26.0
HEADING_SIZES = {1: 22.0, 2: 16.0, 3: 13.0, 4: 11.5}
LIST_INDENT = 16.0
CONTENTS_LEVELS = (2, 3)
PDF_DATE = "D:20260115090000+01'00'"
COMPANY = "Panadería La Espiga Dorada, S. L."


@dataclass(frozen=True, slots=True)
class Frame:
    """A box to be filled with text, top down."""

    x: float
    top: float
    width: float
    bottom: float


@dataclass(slots=True)
class Placed:
    """A heading and the page, from 1, it came to stand on."""

    level: int
    text: str
    page: int


def render_pdf(source: Source) -> bytes:
    """The finished file. Two passes: the contents page needs the pages that the first one finds."""
    first = _Setter(source, contents=_unplaced_headings(source))
    first.set_blocks()
    final = _Setter(source, contents=first.placed)
    final.set_blocks()
    return final.finish()


def _unplaced_headings(source: Source) -> list[Placed]:
    return [Placed(block.level, block.text, 0) for block in source.blocks if isinstance(block, Heading)]


@dataclass(slots=True)
class _Setter:
    source: Source
    contents: list[Placed]
    placed: list[Placed] = field(default_factory=list)
    pages: list[Canvas] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    columns: int = 1
    y: float = 0

    def set_blocks(self) -> None:
        self._start_page()
        for block, following in zip_longest(self.source.blocks, self.source.blocks[1:]):
            if isinstance(block, Heading):
                self._set_heading(block, before_heading=isinstance(following, Heading))
            else:
                self._set_block(block)
        self._put_headers()

    def finish(self) -> bytes:
        document = pymupdf.open()
        for canvas in self.pages:
            canvas.draw(document)
        document.set_metadata(
            {
                "title": self.source.title,
                "author": COMPANY,
                "creationDate": PDF_DATE,
                "modDate": PDF_DATE,
            }
        )
        document.set_language(self.source.language)
        if self.source.style.bookmarks:
            document.set_toc([[max(p.level - 1, 1), p.text, p.page] for p in self.placed if p.level > 1])
        document.subset_fonts()
        return bytes(document.tobytes(garbage=4, deflate=True, use_objstms=1, no_new_id=True))

    @property
    def _canvas(self) -> Canvas:
        return self.pages[-1]

    @property
    def _frame(self) -> Frame:
        return self.frames[0]

    @property
    def _body(self) -> Typeface:
        return Typeface(self.source.style.family, self.source.style.size, language=self.source.language)

    def _set_block(self, block: Block) -> None:
        match block:
            case Paragraph(runs):
                self._set_text(runs)
            case Note(runs):
                self._set_note(runs)
            case ListItem():
                self._set_list_item(block)
            case Table():
                self._set_table(block)
            case Directive():
                self._obey(block)

    def _obey(self, directive: Directive) -> None:
        match directive.name:
            case "page-break":
                self._start_page()
            case "column-break":
                self._next_frame()
            case "columns":
                self.columns = 2
                self.frames = self._page_frames(self.y)
            case "contents":
                self._set_contents()

    # Pages and frames

    def _start_page(self) -> None:
        self.pages.append(Canvas())
        self.frames = self._page_frames(self.source.style.margin + 8)
        self.y = self._frame.top

    def _page_frames(self, top: float) -> list[Frame]:
        margin = self.source.style.margin
        width = (A4[0] - 2 * margin - COLUMN_GAP * (self.columns - 1)) / self.columns
        bottom = A4[1] - margin - 4
        return [Frame(margin + number * (width + COLUMN_GAP), top, width, bottom) for number in range(self.columns)]

    def _next_frame(self) -> None:
        if len(self.frames) == 1:
            self._start_page()
            return
        self.frames = self.frames[1:]
        self.y = self._frame.top

    def _need(self, height: float) -> None:
        """Goes to the next frame unless `height` fits in what is left of this one."""
        if self.y + height > self._frame.bottom and self.y > self._frame.top:
            self._next_frame()

    def _skip(self, height: float) -> None:
        """Leaves a gap, but none at a frame's top."""
        if self.y > self._frame.top:
            self.y += height

    # Blocks

    def _set_heading(self, heading: Heading, *, before_heading: bool) -> None:
        """Keeps the heading with the first lines of what it stands over."""
        size = HEADING_SIZES[heading.level] * (0.86 if self.columns > 1 else 1)
        face = Typeface(self.source.style.family, size, bold=True)
        lines = break_lines((Run(heading.text),), face, self._frame.width)
        leading = size * 1.22
        before = size * 0.9
        kept_lines = 6 if before_heading else 3.2
        self._need(before + len(lines) * leading + kept_lines * self._body.size * LEADING)
        self._skip(before)
        put_wrapped(
            self._canvas,
            lines,
            face,
            x=self._frame.x,
            top=self.y,
            width=self._frame.width,
            leading=leading,
            color=ACCENT,
        )
        self.y += len(lines) * leading + size * 0.35
        self.placed.append(Placed(heading.level, heading.text, len(self.pages)))

    def _set_text(self, runs: Runs, *, indent: float = 0, after: float = 0.55) -> None:
        lines = break_lines(runs, self._body, self._frame.width - indent)
        while lines:
            fitting = self._fitting_lines(len(lines))
            if fitting == 0:
                self._next_frame()
                continue
            self._put_body_lines(lines[:fitting], indent)
            lines = lines[fitting:]
        self.y += self._body.size * after

    def _fitting_lines(self, wanted: int) -> int:
        """How many of `wanted` lines go here: no single line is left behind or carried over alone."""
        leading = self._body.size * LEADING
        room = int((self._frame.bottom - self.y) / leading)
        if room >= wanted:
            return wanted
        fitting = room - 1 if wanted - room == 1 else room
        return fitting if fitting >= 2 else 0

    def _put_body_lines(self, lines: list[Line], indent: float) -> None:
        leading = self._body.size * LEADING
        put_wrapped(
            self._canvas,
            lines,
            self._body,
            x=self._frame.x + indent,
            top=self.y,
            width=self._frame.width - indent,
            leading=leading,
            justify=self.source.style.justify,
        )
        self.y += len(lines) * leading

    def _set_note(self, runs: Runs) -> None:
        height = len(break_lines(runs, self._body, self._frame.width - LIST_INDENT)) * self._body.size * LEADING
        self._need(height)
        top = self.y
        self._set_text(runs, indent=LIST_INDENT, after=0)
        self._canvas.put_rule(self._frame.x + 5, top, self._frame.x + 5, self.y, width=2)
        self.y += self._body.size * 0.8

    def _set_list_item(self, item: ListItem) -> None:
        indent = LIST_INDENT * (item.depth + 1)
        self._need(2 * self._body.size * LEADING)
        marker = "•" if item.number is None else f"{item.number}."
        left = self._frame.x + indent - LIST_INDENT + 2
        self._canvas.put_text(left, self.y + self._body.size, marker, self._body)
        self._set_text(item.runs, indent=indent, after=0.3)

    def _set_table(self, table: Table) -> None:
        style = self.source.style
        face = Typeface(style.family, style.table_size, language=self.source.language)
        header_face = Typeface(style.family, style.table_size, bold=True)
        grid = make_grid(table, face, header_face, self._frame.width)
        self._need(sum(row.height for row in grid.rows[:3]))
        self._draw_rows(grid)
        self.y += self._body.size * 0.9

    def _draw_rows(self, grid: Grid) -> None:
        header, *rows = grid.rows
        self._draw_row(grid, header)
        for row in rows:
            if self.y + row.height > self._frame.bottom:
                self._next_frame()
                self._draw_row(grid, header)
            self._draw_row(grid, row)

    def _draw_row(self, grid: Grid, row: Row) -> None:
        grid.draw_row(self._canvas, row, self._frame.x, self.y)
        self.y += row.height

    def _set_contents(self) -> None:
        for entry in self.contents:
            if entry.level in CONTENTS_LEVELS:
                self._set_contents_entry(entry)

    def _set_contents_entry(self, entry: Placed) -> None:
        face = Typeface(self.source.style.family, 10.5, bold=entry.level == 2)
        frame = self._frame
        indent = 14.0 * (entry.level - 2)
        number = str(entry.page)
        dots = "." * int((frame.width - indent - 34 - _width(entry.text, face)) / _width(".", face))
        self._need(15.5)
        self._skip(3 if entry.level == 2 else 0)
        baseline = self.y + face.size
        self._canvas.put_text(frame.x + indent, baseline, f"{entry.text} {dots}", face)
        self._canvas.put_text(frame.x + frame.width - _width(number, face), baseline, number, face)
        self.y += 15.5

    # Header and footer

    def _put_headers(self) -> None:
        for number, canvas in enumerate(self.pages, start=1):
            if number > 1 or not self.source.style.cover:
                self._put_marginal(canvas, self.source.style.header, number, at_top=True)
                self._put_marginal(canvas, self.source.style.footer, number, at_top=False)

    def _put_marginal(self, canvas: Canvas, template: str, number: int, *, at_top: bool) -> None:
        if not template:
            return
        margin = self.source.style.margin
        face = Typeface(self.source.style.family, 8.5)
        baseline = margin - 22 if at_top else A4[1] - margin + 26
        left, _, right = template.format(page=number, pages=len(self.pages)).partition(" | ")
        rule = baseline + 5 if at_top else baseline - 12
        canvas.put_rule(margin, rule, A4[0] - margin, rule, width=0.5)
        canvas.put_text(margin, baseline, left, face)
        if right:
            canvas.put_text(A4[0] - margin - _width(right, face), baseline, right, face)


def _width(text: str, face: Typeface) -> float:
    return text_width(text, face.family, face.bold, False, face.size)
