"""Lines that run over the edge of a page: the library cuts them between two letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pymupdf

_OVER = 2.0  # points beyond the edge
_WORD = re.compile(r"\s*\S+")


def words_at_edges(
    page: Any, log: Sequence[tuple[str, tuple[float, ...]]], blocks: Sequence[dict[str, Any]], flags: int
) -> tuple[list[dict[str, Any]], list[str]]:
    """The blocks of a page (of `Page.get_text("dict")`), words of which a letter is seen as a whole; and what of
    their lines lies off the page."""
    bounds = page.rect * page.derotation_matrix
    if not any(kind in ("fill-text", "stroke-text") and _runs_over(rect, bounds) for kind, rect in log):
        return list(blocks), []
    content = page.get_text("rawdict", clip=pymupdf.INFINITE_RECT(), flags=flags & ~pymupdf.TEXT_MEDIABOX_CLIP)
    lost: list[str] = []
    whole: list[dict[str, Any]] = []
    for block in content["blocks"]:
        lines = [line for line in map(_as_text, block.get("lines", ())) if _is_seen(line["bbox"], bounds)]
        for line in lines:
            if _runs_over(line["bbox"], bounds):
                lost += [text for text in _cut(line, bounds) if text]
        whole.append({**block, "lines": [line for line in lines if line["spans"]]})
    return whole, lost


def _as_text(line: dict[str, Any]) -> dict[str, Any]:
    """The line with its text in the spans; the letters' places stay beside it."""
    spans = [{**span, "text": "".join(char["c"] for char in span["chars"])} for span in line["spans"]]
    return {**line, "spans": spans}


def _cut(line: dict[str, Any], bounds: pymupdf.Rect) -> Iterator[str]:
    """Takes the words that are off the page out of a line, and gives them back, a text a run."""
    for span in line["spans"]:
        words = list(_WORD.finditer(span["text"]))
        kept = [word for word in words if _has_seen_letter(span["chars"][word.start() : word.end()], bounds)]
        gone = [word for word in words if word not in kept]
        yield "".join(word[0] for word in gone).strip()
        if gone:
            boxes = [pymupdf.Rect(char["bbox"]) for word in kept for char in span["chars"][word.start() : word.end()]]
            span["text"] = "".join(word[0] for word in kept)
            span["bbox"] = tuple(pymupdf.Rect(boxes[0]) | boxes[-1]) if boxes else span["bbox"]
    line["spans"] = [span for span in line["spans"] if span["text"].strip()]


def _has_seen_letter(chars: Sequence[dict[str, Any]], bounds: pymupdf.Rect) -> bool:
    return any(_is_seen(char["bbox"], bounds) for char in chars if char["c"].strip())


def _runs_over(rect: Sequence[float], bounds: pymupdf.Rect) -> bool:
    """Whether a part is off the page by its sides, and a part is on it."""
    x0, y0, x1, y1 = rect
    if min(x1, bounds.x1) <= max(x0, bounds.x0) or min(y1, bounds.y1) <= max(y0, bounds.y0):
        return False
    return x0 < bounds.x0 - _OVER or x1 > bounds.x1 + _OVER


def _is_seen(rect: Sequence[float], bounds: pymupdf.Rect) -> bool:
    """Whether the middle of a letter, or a part of a line, is on the page."""
    x0, y0, x1, y1 = rect
    return x0 < bounds.x1 and x1 > bounds.x0 and bounds.y0 <= (y0 + y1) / 2 <= bounds.y1
