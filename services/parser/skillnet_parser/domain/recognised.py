"""What character recognition gives: whether it is text at all, and print of a steady size."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from skillnet_parser.domain.layout import Fragment, PageLayout, Style

MIN_CHARS = 20
_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
_MIN_WORD_SHARE = 0.5
_SAME_SIZE = 0.25
_SHORT = 40  # characters


def is_text(text: str) -> bool:
    """Whether most of it is words and numbers: of a picture, recognition makes single letters and marks."""
    chars = sum(not char.isspace() for char in text)
    return chars >= MIN_CHARS and sum(map(len, _WORD.findall(text))) >= _MIN_WORD_SHARE * chars


def steady_sizes(pages: Sequence[PageLayout], recognised: Collection[int]) -> list[PageLayout]:
    """The pages, the recognised of them (numbers) with print about as large as the body's made as large as it.

    Recognition measures each word by itself: without this a line would be a heading by its tall letters.
    """
    body = _body_size(pages) if recognised else 0.0
    if not body:
        return list(pages)
    return [_steady(page, body) if page.number in recognised else page for page in pages]


def _body_size(pages: Sequence[PageLayout]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for fragment in page.fragments:
            sizes[fragment.style.size] += len(fragment.text)
    seen, half = 0, sizes.total() / 2
    for size in sorted(sizes):
        seen += sizes[size]
        if seen >= half:
            return size
    return 0.0


def _steady(page: PageLayout, body: float) -> PageLayout:
    steady: list[Fragment] = []
    above = body
    for fragment in page.fragments:
        above = _choose_size(fragment, body, above)
        # Neither weight nor slant is recognised: what a layer says of them is by chance.
        steady.append(replace(fragment, style=Style(above), parts=()))
    return replace(page, fragments=tuple(steady))


def _choose_size(fragment: Fragment, body: float, above: float) -> float:
    """Sizes are measured by the width of words, which says little of a few narrow ones: these are no smaller than
    the body, or than the small print that they end."""
    size = fragment.style.size
    if size < body and len(fragment.text) < _SHORT:
        return min(body, above)
    return body if abs(size - body) <= _SAME_SIZE * body else float(round(size))
