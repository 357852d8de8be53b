"""Sentences that stand at the same place of every page: text, of which one copy is enough."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from skillnet_parser.domain.layout import Fragment, PageLayout

_MIN_WORDS = 8
_NOTE = re.compile(r"(?:\(\d{1,2}\)|\d{1,2}\.?|\(?[*†‡]{1,3}\)?)\s*[^\W\d_]+\s+\w+")
_NEAR = 0.8  # times the height: from one line of a paragraph to the next
_SENTENCE_END = re.compile(r"(?<![.\s][A-Z])[.!?…]['»”\")]*$")  # S. L. ends none


def first_copies(pages: Sequence[PageLayout], running: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Of the running lines (page number, index of the fragment) those that are to stay: the first copy of each
    paragraph of whole sentences."""
    indices: dict[int, list[int]] = defaultdict(list)
    for number, index in running:
        indices[number].append(index)
    kept: set[tuple[int, int]] = set()
    seen: set[str] = set()
    for page in pages:
        for paragraph in _paragraphs(page, indices[page.number]):
            text = " ".join(page.fragments[index].text.strip() for index in paragraph)
            if text not in seen and _is_prose(text):
                kept |= {(page.number, index) for index in paragraph}
            seen.add(text)
    return kept


def _paragraphs(page: PageLayout, indices: Iterable[int]) -> list[list[int]]:
    """Lines close below each other, in one size."""
    paragraphs: list[list[int]] = []
    for index in sorted(indices, key=lambda index: page.fragments[index].rect.middle):
        above = page.fragments[paragraphs[-1][-1]] if paragraphs else None
        if above is not None and _goes_on(above, page.fragments[index]):
            paragraphs[-1].append(index)
        else:
            paragraphs.append([index])
    return paragraphs


def _goes_on(above: Fragment, line: Fragment) -> bool:
    return (
        above.style.size == line.style.size
        and line.rect.middle > above.rect.y1
        and line.rect.y0 - above.rect.y1 <= _NEAR * line.rect.height
    )


def _is_prose(text: str) -> bool:
    """A note of a few words is text too."""
    if _NOTE.match(text) is not None and _SENTENCE_END.search(text) is not None:
        return True
    return len(text.split()) >= _MIN_WORDS and _SENTENCE_END.search(text) is not None and text.upper() != text
