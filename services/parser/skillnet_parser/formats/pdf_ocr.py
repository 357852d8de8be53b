"""Character recognition of PDF pages by the engine within MuPDF (Tesseract)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pymupdf

from skillnet_parser.domain.recognised import MIN_CHARS, is_text
from skillnet_parser.formats.pdf_page import PageReading, read_page
from skillnet_parser.lifetime import ProcessorAllowance, run_forked
from skillnet_parser.limits import OcrLimits

# By measurement of Spanish pages scanned at 100 to 300 dpi: finer takes longer and reads no better.
_DPI = 200
_TURNS = (0, 90, 270, 180)  # degrees clockwise
_LEAST_PIXELS, _MOST_PIXELS = 1600, 3600  # of the longer side, where the page's stated size is not that of paper


class Recogniser:
    """Recognises page after page while the limits of one file allow it."""

    def __init__(self, limits: OcrLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._allowance = ProcessorAllowance()
        self._ends = 0.0
        self._pages = 0

    def has_left(self) -> bool:
        """Whether another page may be recognised."""
        if not self._pages:
            return True
        return self._pages < self._limits.max_pages and self._clock() < self._ends

    def read(self, page: Any, number: int) -> PageReading | None:
        """The page (a `pymupdf.Page`) as recognised from its picture, which may stand on its side or head; None where
        that gave no text, failed, or took longer than a page may."""
        with self._allowance.beside():
            return self._read(page, number)

    def _read(self, page: Any, number: int) -> PageReading | None:
        started = self._clock()
        if not self._pages:
            self._ends = started + self._limits.seconds
        self._pages += 1
        for turn in _TURNS:
            left = self._limits.page_seconds - (self._clock() - started)
            reading = self._read_turned(page, number, turn, left) if left > 0 else None
            if reading is None or reading.chars < MIN_CHARS:
                return None
            if is_text("\n".join(fragment.text for fragment in reading.layout.fragments)):
                return reading
        return None

    def _read_turned(self, page: Any, number: int, turn: int, seconds: float) -> PageReading | None:
        dpi = _choose_dpi(page.rect)
        # An image of one colour channel gives no text at all.
        zoom = pymupdf.Matrix(dpi / 72, dpi / 72).prerotate(turn)
        picture = page.get_pixmap(matrix=zoom, colorspace=pymupdf.csRGB, alpha=False)
        picture.set_dpi(dpi, dpi)
        layer = run_forked(lambda: self._recognise(picture), seconds)
        if layer is None:
            return None
        with pymupdf.open("pdf", layer) as document:
            document[0].set_rotation(-turn % 360)
            return read_page(document[0], number)

    def _recognise(self, picture: Any) -> bytes:
        """A PDF of one page: the picture, and its text in invisible print."""
        return bytes(
            picture.pdfocr_tobytes(compress=True, language=self._limits.languages, tessdata=self._limits.tessdata)
        )


def _choose_dpi(rect: pymupdf.Rect) -> int:
    longer = max(rect.width, rect.height, 1.0)
    return int(min(max(_DPI, _LEAST_PIXELS * 72 / longer), _MOST_PIXELS * 72 / longer))
