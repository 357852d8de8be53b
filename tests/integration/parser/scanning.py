"""Pages as a scanner leaves them: an image, a little askew and grainy, and no text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest

from skillnet_parser.limits import OcrLimits
from skillnet_parser.ocr import find_tessdata
from skillnet_parser.settings import ParserSettings

_INSTALLED = Path(sys.prefix) / "share" / "tessdata"  # where the package that the tests install puts it


def scanned(document: Any, *, dpi: int = 200, degrees: float = 0.4, grain: float = 12.0) -> Any:
    """A document (pymupdf) whose pages are pictures of the pages of `document`."""
    scan = pymupdf.open()
    for page in document:
        add_picture(scan.new_page(width=page.rect.width, height=page.rect.height), page, dpi, degrees, grain)
    return scan


def add_picture(target: Any, page: Any, dpi: int = 200, degrees: float = 0.4, grain: float = 12.0) -> None:
    """Covers the page `target` with a picture of `page`."""
    scale = dpi / 72
    picture = page.get_pixmap(
        matrix=pymupdf.Matrix(scale, scale).prerotate(degrees), colorspace=pymupdf.csGRAY, clip=page.rect
    )
    shades = np.frombuffer(picture.samples, np.uint8).reshape(picture.height, picture.stride)[:, : picture.width]
    noise = np.random.default_rng(7).normal(0, grain, shades.shape)
    noisy = np.clip(shades + noise, 0, 255).astype(np.uint8)
    grainy = pymupdf.Pixmap(pymupdf.csGRAY, picture.width, picture.height, noisy.tobytes(), False)
    target.insert_image(target.rect, stream=grainy.tobytes("jpeg", jpg_quality=70), keep_proportion=False)


def add_scan_below_caption(target: Any, lines: Sequence[str]) -> None:
    """Puts a picture of a page with those lines on the page `target`, but for its top."""
    original = pymupdf.open()
    page = original.new_page(width=595, height=692)
    for number, line in enumerate(lines):
        page.insert_text((72, 110 + 22 * number), line, fontsize=10)
    target.insert_image(pymupdf.Rect(0, 150, 595, 842), pixmap=page.get_pixmap(dpi=200))


def ocr_limits(languages: str = "spa+eng", **limits: Any) -> OcrLimits:
    """Limits with the data of this machine. Skips the test where there is none."""
    configured = ParserSettings().tessdata_prefix
    found = find_tessdata(configured, languages) or find_tessdata(_INSTALLED, languages)
    if found is None:
        pytest.skip(f"no Tesseract data for {languages}: set TESSDATA_PREFIX to a folder that has it")
    folder, present = found
    return OcrLimits(str(folder), present, **limits)


def error_rate(read: str, truth: str) -> float:
    """Character error rate: the edits that make one of the other (Levenshtein), by the length of the truth. White
    space counts as one space."""
    read, truth = " ".join(read.split()), " ".join(truth.split())
    row = list(range(len(truth) + 1))
    for at, char in enumerate(read, 1):
        before, row[0] = row[0], at
        for place, true in enumerate(truth, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (char != true))
    return row[-1] / max(len(truth), 1)
