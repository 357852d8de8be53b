"""The typefaces: the base fonts that come with PyMuPDF, measured in points."""

from __future__ import annotations

from functools import cache

import pymupdf

FONT_NAMES = {
    ("sans", False, False): "helv",
    ("sans", True, False): "hebo",
    ("sans", False, True): "heit",
    ("sans", True, True): "hebi",
    ("serif", False, False): "tiro",
    ("serif", True, False): "tibo",
    ("serif", False, True): "tiit",
    ("serif", True, True): "tibi",
}


@cache
def font(family: str, bold: bool, italic: bool) -> pymupdf.Font:
    return pymupdf.Font(FONT_NAMES[family, bold, italic])


@cache
def text_width(text: str, family: str, bold: bool, italic: bool, size: float) -> float:
    return float(font(family, bold, italic).text_length(text, fontsize=size))
