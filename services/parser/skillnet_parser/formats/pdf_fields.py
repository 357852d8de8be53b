"""The fields of a PDF form: what was filled in stands behind its label as text, in the label's type."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pymupdf

_BOLD = 16
_PAINTED = 16  # filled, in a span's char_flags
_BOXES = ("CheckBox", "RadioButton")
_OFF = ("", "Off", None, False)
_INSIDE = 0.5  # of a line's area

Block = dict[str, Any]


def read_fields(page: Any, blocks: list[Block]) -> list[Block]:
    """The text blocks of a `pymupdf.Page`, the values of its fields in the size most of the other text has and never
    bold: a viewer sets them as large as the field allows. Boxes to tick read `[x]` and `[ ]`."""
    fields = [(pymupdf.Rect(field.rect), field.field_type_string in _BOXES, field) for field in page.widgets()]
    if not fields:
        return blocks
    areas = [rect for rect, _, _ in fields]
    boxes = [rect for rect, is_box, _ in fields if is_box]
    size = _usual_size(blocks, areas)
    read = [_read_block(block, areas, boxes, size) for block in blocks]
    return [*read, *(_tick(rect, _is_ticked(field), size) for rect, is_box, field in fields if is_box)]


def _is_ticked(field: Any) -> bool:
    """A choice may be called anything, `No` too."""
    return field.field_value not in _OFF and field.field_value in (True, field.on_state())


def _usual_size(blocks: list[Block], areas: list[pymupdf.Rect]) -> float | None:
    """None where all text stands in fields."""
    sizes: Counter[float] = Counter()
    for block in blocks:
        for line in block.get("lines", ()):
            if not _stands_in(line, areas):
                for span in line["spans"]:
                    sizes[span["size"]] += len(span["text"].strip())
    return max(sizes, key=lambda size: sizes[size]) if sizes else None


def _read_block(block: Block, areas: list[pymupdf.Rect], boxes: list[pymupdf.Rect], size: float | None) -> Block:
    if "lines" not in block:
        return block
    lines = [_read_line(line, areas, size) for line in block["lines"] if not _stands_in(line, boxes)]
    return {**block, "lines": lines}


def _read_line(line: Block, areas: list[pymupdf.Rect], size: float | None) -> Block:
    if size is None or not _stands_in(line, areas):
        return line
    spans = [
        {**span, "size": min(span["size"], size), "flags": span["flags"] & ~_BOLD, "font": "Helvetica"}
        for span in line["spans"]
    ]
    return {**line, "spans": spans}


def _stands_in(line: Block, areas: list[pymupdf.Rect]) -> bool:
    rect = pymupdf.Rect(line["bbox"])
    return any((rect & area).get_area() > _INSIDE * rect.get_area() for area in areas if rect.intersects(area))


def _tick(rect: pymupdf.Rect, is_on: bool, size: float | None) -> Block:
    """A box to tick as a line of text at its place."""
    bbox = (rect.x0, rect.y0, rect.x1, rect.y1)
    span: dict[str, Any] = {
        "text": "[x]" if is_on else "[ ]",
        "bbox": bbox,
        "size": size or rect.height,
        "font": "Helvetica",
        "flags": 0,
        "char_flags": _PAINTED,
        "alpha": 255,
        "color": 0,
    }
    return {"type": 0, "lines": [{"spans": [span], "dir": (1.0, 0.0), "bbox": bbox}]}
