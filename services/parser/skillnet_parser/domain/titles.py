"""The title of a document that does not say it plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillnet_parser.domain.layout import Fragment, PageLayout

_JUNK = re.compile(
    r"\.(docx?|pdf|indd|qxd|tex|dvi|rtf|odt|pptx?|xlsx?|pub|pmd)$|^(microsoft|untitled|sin t[ií]tulo|document\d|"
    r"documento?\s*\d*$|presentaci[óo]n\s*de\s*powerpoint|powerpoint presentation|slide \d)",
    re.IGNORECASE,
)
_MIN_SHARED = 0.5  # of the title's words, on the first pages
_FIRST_PAGES = 2
_MIN_SIZE_RATIO = 1.3
_MIN_SECOND_SIZE = 14.0  # points: of a title set below a name
_SAME_SIZE = 0.5
_MAX_FRAGMENTS = 4
_WORD = re.compile(r"\w+")


def choose_title(metadata_title: str | None, pages: Sequence[PageLayout]) -> str | None:
    """The title in the file's properties where the first pages repeat it (others are left over from a
    template or a file name), else the largest print on page 1, else None."""
    fragments = [fragment for page in pages[:_FIRST_PAGES] for fragment in page.fragments]
    stated = " ".join((metadata_title or "").split())
    if stated and not _JUNK.search(stated) and _is_repeated(stated, fragments):
        return stated
    return _largest_print(pages[0]) if pages else None


def _is_repeated(title: str, fragments: Sequence[Fragment]) -> bool:
    words = {word.casefold() for word in _WORD.findall(title)}
    if not words:
        return False
    printed = {word.casefold() for fragment in fragments for word in _WORD.findall(fragment.text)}
    return len(words & printed) >= _MIN_SHARED * len(words)


def _largest_print(page: PageLayout) -> str | None:
    lettered = [
        fragment
        for fragment in page.fragments
        if any(char.isalpha() for char in fragment.text) and fragment.rect.y1 <= page.height
    ]
    if not lettered:
        return None
    sizes = sorted(fragment.style.size for fragment in lettered)
    largest, usual = sizes[-1], sizes[len(sizes) // 2]
    if len(lettered) > 3 and largest < _MIN_SIZE_RATIO * usual:
        return None
    lines = [fragment for fragment in lettered if fragment.style.size >= largest - _SAME_SIZE]
    if sum(len(fragment.text.split()) for fragment in lines) == 1:
        lines += _next_largest(lettered, largest)  # a name or a logo stands above the title
    return " ".join(fragment.text.strip() for fragment in lines[:_MAX_FRAGMENTS]) or None


def _next_largest(fragments: Sequence[Fragment], largest: float) -> list[Fragment]:
    smaller = [fragment for fragment in fragments if fragment.style.size < largest - _SAME_SIZE]
    second = max((fragment.style.size for fragment in smaller), default=0.0)
    if second < _MIN_SECOND_SIZE:
        return []
    return [fragment for fragment in smaller if fragment.style.size >= second - _SAME_SIZE]
