"""What stands on a PDF page: shades, rules and text. Lengths are in points, the origin is the top left."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter

import pymupdf

from typesetting.blocks import Run
from typesetting.fonts import font
from typesetting.lines import Line, Typeface, gap_width

Color = tuple[float, float, float]

A4 = (595.0, 842.0)
INK: Color = (0.0, 0.0, 0.0)
ACCENT: Color = (0.42, 0.24, 0.08)
RULE: Color = (0.55, 0.5, 0.45)
SHADE: Color = (0.95, 0.92, 0.86)


@dataclass(frozen=True, slots=True)
class _Piece:
    x: float
    baseline: float
    text: str
    font: pymupdf.Font
    size: float


@dataclass(frozen=True, slots=True)
class _Rule:
    start: tuple[float, float]
    end: tuple[float, float]
    width: float


@dataclass(slots=True)
class Canvas:
    """One page, recorded first and drawn at the end; its text keeps the order in which it was put."""

    shades: list[tuple[float, float, float, float]] = field(default_factory=list)
    rules: list[_Rule] = field(default_factory=list)
    texts: list[tuple[Color, list[_Piece]]] = field(default_factory=list)

    def put_text(self, x: float, baseline: float, text: str, face: Typeface, color: Color = INK) -> None:
        self.texts.append((color, [_piece(x, baseline, Run(text), face)]))

    def put_line(
        self, x: float, baseline: float, line: Line, face: Typeface, *, gap: float, color: Color = INK
    ) -> None:
        """Puts one line of words; a space follows every word but the last, whatever the gap."""
        pieces: list[_Piece] = []
        for number, word in enumerate(line.words):
            left = x
            for run in word.runs:
                pieces.append(_piece(left, baseline, run, face))
                left += face.width(run)
            if number < len(line.words) - 1:
                pieces.append(_piece(left, baseline, Run(" "), face))
            x += word.width + gap
        self.texts.append((color, pieces))

    def put_rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.rules.append(_Rule((x0, y0), (x1, y1), width))

    def put_shade(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.shades.append((x0, y0, x1, y1))

    def draw(self, document: pymupdf.Document) -> None:
        """Adds the page to the document: shades below, rules over them, text on top."""
        page = document.new_page(width=A4[0], height=A4[1])
        shape = page.new_shape()
        for shade in self.shades:
            shape.draw_rect(shade)
            shape.finish(color=None, fill=SHADE, width=0)
        for rule in self.rules:
            shape.draw_line(rule.start, rule.end)
            shape.finish(color=RULE, width=rule.width)
        shape.commit()
        for color, lines in groupby(self.texts, key=itemgetter(0)):
            writer = pymupdf.TextWriter(page.rect, color=color)
            for piece in chain.from_iterable(pieces for _, pieces in lines):
                writer.append((piece.x, piece.baseline), piece.text, font=piece.font, fontsize=piece.size)
            writer.write_text(page)


def put_wrapped(
    canvas: Canvas,
    lines: list[Line],
    face: Typeface,
    *,
    x: float,
    top: float,
    width: float,
    leading: float,
    justify: bool = False,
    alignment: str = "left",
    color: Color = INK,
) -> None:
    """Puts lines one under the other; the first one's box begins at `top`."""
    for number, line in enumerate(lines):
        indent = {"left": 0.0, "right": width - line.width, "center": (width - line.width) / 2}[alignment]
        gap = gap_width(line, face, width, justify=justify)
        baseline = top + number * leading + face.size
        canvas.put_line(x + indent, baseline, line, face, gap=gap, color=color)


def _piece(x: float, baseline: float, run: Run, face: Typeface) -> _Piece:
    typeface = font(face.family, run.bold or face.bold, run.italic)
    return _Piece(x, baseline, run.text, typeface, face.size)
