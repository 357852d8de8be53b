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
    return replace(page, fragments=tuple(_steady_fragment(fragment, body) for fragment in page.fragments))


def _steady_fragment(fragment: Fragment, body: float) -> Fragment:
    size = fragment.style.size
    size = body if abs(size - body) <= _SAME_SIZE * body else float(round(size))
    # Neither weight nor slant is recognised: what a layer says of them is by chance.
    return replace(fragment, style=Style(size), parts=())
