"""Whether the text of a PDF's page is in an image on it, where only character recognition can read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pymupdf

MIN_PAGE_CHARS = 20  # fewer on a page with a large image: a scan
SCAN_COVER = 0.5  # of the page, by images
_WHOLE_COVER = 0.8
_LARGE_COVER = 0.6
_MARGIN = 0.13  # of the page's width and height: where stamps of registers and signatures stand
_PAPER, _INK = bytes(range(160, 256)), bytes(range(151))  # shades
_MIN_PAPER = 0.5
_MIN_INK, _MAX_INK = 0.004, 0.4  # a page of three lines has 0.005
_DPI = 72  # a pixel a point


def is_scan(page: Any, chars: int, rects: Sequence[pymupdf.Rect], image_cover: float) -> bool:
    """Whether an image covers the page and its text is none, or stamps in the margins of what looks like paper with
    print on it. `rects` are the places of the page's `chars` characters, on the page as a reader sees it."""
    if chars < MIN_PAGE_CHARS:
        return image_cover >= SCAN_COVER
    return (
        image_cover >= _WHOLE_COVER and _are_in_margins(page, rects) and _looks_printed(page, _inner(_upright(page)))
    )


def find_unread_image(
    page: Any, lines: Sequence[tuple[str, pymupdf.Rect]], images: Sequence[pymupdf.Rect]
) -> pymupdf.Rect | None:
    """The place of a large image beside the page's text, which looks like paper with print on it, or None. `lines`
    and `images` are on the page as a reader sees it."""
    area = pymupdf.Rect()
    for image in images:
        area |= image
    area &= _upright(page)
    if area.is_empty or area.get_area() < _LARGE_COVER * page.rect.get_area():
        return None
    over = sum(len(text.strip()) for text, rect in lines if area.contains((rect.tl + rect.br) / 2))
    return area if over < MIN_PAGE_CHARS and _looks_printed(page, area) else None


def _are_in_margins(page: Any, rects: Sequence[pymupdf.Rect]) -> bool:
    inner = _inner(_upright(page))
    return all(not inner.contains((rect.tl + rect.br) / 2) for rect in rects)


def _looks_printed(page: Any, place: pymupdf.Rect) -> bool:
    """Dark marks on light ground at that place."""
    pixmap = page.get_pixmap(dpi=_DPI, colorspace=pymupdf.csGRAY, annots=False)
    area = place.irect & pixmap.irect
    rows = range(area.y0 - pixmap.y, area.y1 - pixmap.y)
    left, right = area.x0 - pixmap.x, area.x1 - pixmap.x
    shades = b"".join(bytes(pixmap.samples_mv[y * pixmap.stride + left : y * pixmap.stride + right]) for y in rows)
    if not shades:
        return False
    return _share(shades, _PAPER) >= _MIN_PAPER and _MIN_INK <= _share(shades, _INK) <= _MAX_INK


def _share(shades: bytes, wanted: bytes) -> float:
    return 1 - len(shades.translate(None, wanted)) / len(shades)


def _upright(page: Any) -> pymupdf.Rect:
    return pymupdf.Rect(0, 0, page.rect.width, page.rect.height)


def _inner(rect: pymupdf.Rect) -> pymupdf.Rect:
    x, y = _MARGIN * rect.width, _MARGIN * rect.height
    return pymupdf.Rect(rect.x0 + x, rect.y0 + y, rect.x1 - x, rect.y1 - y)
