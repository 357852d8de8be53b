"""What character recognition gives: whether it is text at all, and print of a steady size."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from skillnet_parser.domain.layout import Fragment, PageLayout, Rect, Style

MIN_CHARS = 20
_WORD = re.compile(r"(?<![^\W_])(?:[^\W\d_]?[a-zà-öø-ÿ]{3,}|[A-ZÀ-ÖØ-Þ]{4,})(?![^\W_])")
_NUMBER = re.compile(r"(?<!\w)\d[\d.,/:-]*\d(?!\w)")
_VOWELS = frozenset("aeiouy")
_MIN_SHARE = 0.58
_SAME_SIZE = 0.25
_SHORT = 40  # characters


def is_text(text: str) -> bool:
    """Whether most of it is words and numbers.

    Of pictures, other scripts and pages that stand on their side or head, recognition makes letters and marks at
    random. Counted are the characters in words of four letters or more, of consistent case and with a vowel, and in
    numbers of two digits or more: on pages read right 0.66 to 0.89 of all, on others up to 0.51 by measurement.
    """
    chars = count_chars(text)
    words = sum(len(word) for word in _WORD.findall(text) if _has_vowel(word))
    return chars >= MIN_CHARS and words + sum(map(len, _NUMBER.findall(text))) >= _MIN_SHARE * chars


def count_chars(text: str) -> int:
    """White space left out."""
    return sum(not char.isspace() for char in text)


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(unicodedata.normalize("NFD", word.casefold()))


def add_lines_within(page: PageLayout, recognised: PageLayout, place: Rect) -> PageLayout | None:
    """The page with the lines that were recognised at that place, or None where there are none, or where the page
    was read another way up."""
    if abs(page.width - recognised.width) > 1 or abs(page.height - recognised.height) > 1:
        return None
    lines = tuple(fragment for fragment in recognised.fragments if place.contains_middle_of(fragment.rect))
    return replace(page, fragments=(*page.fragments, *lines)) if lines else None


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
