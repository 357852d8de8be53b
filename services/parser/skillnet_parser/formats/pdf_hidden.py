"""Text that a file holds but a reader cannot see: a way to slip words past people into an index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pymupdf

from skillnet_parser.formats.pdf_scan import SCAN_COVER

_PAINTED = 16 | 32  # filled or stroked, in a span's char_flags
_MIN_ALPHA = 13  # of 255
_MIN_SIZE = 1.0  # points
_NEAR_WHITE = 0xF0
_MIN_CONTRAST = 24  # of 255


class HiddenText:
    """Tells which spans of a page are invisible: render mode 3, transparent, under one point, white on white.

    On a scanned page render mode 3 is how recognised text is laid over the image: where the image has print, it is
    read, and `recognised` says so; where it is blank, nobody can have recognised anything. `found` tells whether
    anything was left out, text off the page included; `texts` is what was.
    """

    def __init__(self, page: Any, log: Sequence[tuple[str, tuple[float, ...]]], *, image_cover: float) -> None:
        self._page = page
        self._is_scan = image_cover >= SCAN_COVER
        self.recognised = False
        self._texts = self._text_off_page() if self._has_text_off_page(log) else {}
        self.found = bool(self._texts)

    def hides(self, span: dict[str, Any]) -> bool:
        """Whether a span (of `Page.get_text("dict")`) is invisible."""
        if not span["text"].strip():
            return False
        if not span["char_flags"] & _PAINTED:
            if self._is_scan and self._has_contrast(_grown(span["bbox"])):
                self.recognised = True
                return False
            hidden = True
        else:
            hidden = (
                span["alpha"] < _MIN_ALPHA
                or span["size"] < _MIN_SIZE
                or (_is_near_white(span["color"]) and not self._has_contrast(span["bbox"]))
            )
        if hidden:
            self.found = True
            self._texts[tuple(span["bbox"])] = span["text"]
        return hidden

    @property
    def texts(self) -> list[str]:
        """What was left out, each span once however often it was asked about."""
        return list(self._texts.values())

    def _has_text_off_page(self, log: Sequence[tuple[str, tuple[float, ...]]]) -> bool:
        bounds = self._page.rect * self._page.derotation_matrix
        return any(
            kind in ("fill-text", "stroke-text") and not pymupdf.Rect(rect).intersects(bounds) and _has_area(rect)
            for kind, rect in log
        )

    def _text_off_page(self) -> dict[tuple[float, ...], str]:
        """The spans that lie off the page as a whole, by their places."""
        bounds = self._page.rect * self._page.derotation_matrix
        content = self._page.get_text("dict", clip=pymupdf.INFINITE_RECT(), flags=pymupdf.TEXT_PRESERVE_WHITESPACE)
        return {
            tuple(span["bbox"]): span["text"]
            for block in content["blocks"]
            for line in block["lines"]
            for span in line["spans"]
            if span["text"].strip() and not pymupdf.Rect(span["bbox"]).intersects(bounds)
        }

    def _has_contrast(self, bbox: Sequence[float]) -> bool:
        """Whether anything but one shade is printed where the span stands."""
        pixmap = self._pixmap
        area = (pymupdf.Rect(bbox) * self._page.rotation_matrix).irect & pixmap.irect
        if area.is_empty:
            return False
        lowest, highest = 255, 0
        for y in range(area.y0, area.y1):
            row = pixmap.samples_mv[y * pixmap.stride + area.x0 : y * pixmap.stride + area.x1]
            lowest, highest = min(lowest, *row), max(highest, *row)
        return highest - lowest >= _MIN_CONTRAST

    @cached_property
    def _pixmap(self) -> Any:
        """The page at 72 dpi in grey: a pixel a point."""
        return self._page.get_pixmap(dpi=72, colorspace=pymupdf.csGRAY, annots=False)


def _grown(bbox: Sequence[float]) -> tuple[float, ...]:
    """A layer may lie up to half a line beside its image."""
    reach = (bbox[3] - bbox[1]) / 2
    return bbox[0], bbox[1] - reach, bbox[2], bbox[3] + reach


def _is_near_white(color: int) -> bool:
    return min(color >> 16 & 0xFF, color >> 8 & 0xFF, color & 0xFF) >= _NEAR_WHITE


def _has_area(rect: Sequence[float]) -> bool:
    return rect[2] > rect[0] and rect[3] > rect[1]
