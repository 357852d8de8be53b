"""The title of a document that does not say it plainly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from skillnet_parser.domain.layout import Fragment, PageLayout
from skillnet_parser.domain.numbering import read_label

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
_NUMBER_END = r"(?=[\s.:)–—-]|$)"
_FIRST_OF_RUN = re.compile(rf"(?P<before>(?:[^\W\d_]+\s+)?)(?P<number>1|I){_NUMBER_END}")
_SECONDS = {"1": "2", "I": "II"}


def choose_title(metadata_title: str | None, pages: Sequence[PageLayout]) -> str | None:
    """The title in the file's properties where the first pages repeat it (others are left over from a
    template or a file name), else the largest print on page 1, else None. The first of a run of numbered headings
    is no title."""
    printed = [fragment for page in pages for fragment in page.fragments]
    titles = (_stated_title(metadata_title, pages[:_FIRST_PAGES]), _largest_print(pages[0]) if pages else None)
    return next((title for title in titles if title and not _opens_run(title, printed)), None)


def _stated_title(metadata_title: str | None, pages: Sequence[PageLayout]) -> str | None:
    stated = " ".join((metadata_title or "").split())
    fragments = [fragment for page in pages for fragment in page.fragments]
    return stated if stated and not _JUNK.search(stated) and _is_repeated(stated, fragments) else None


def _opens_run(title: str, printed: Sequence[Fragment]) -> bool:
    """Whether the title has the number 1 of a run whose number 2 is set like it: `1. Alta` above a `2. Baja`."""
    first = _FIRST_OF_RUN.match(title)
    if first is None:
        return False
    after = rf"{re.escape(first['before'])}{_SECONDS[first['number']]}{_NUMBER_END}"
    second = re.compile(after, re.IGNORECASE)
    styles = [fragment.style for fragment in printed if _begins(title, fragment.text.strip())]
    return any(
        fragment.style.bold == style.bold and abs(fragment.style.size - style.size) <= _SAME_SIZE
        for fragment in printed
        if second.match(fragment.text.strip())
        for style in styles
    )


def _begins(title: str, text: str) -> bool:
    return title.startswith(text) and _FIRST_OF_RUN.match(text) is not None


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
    downwards = sorted(lettered, key=lambda fragment: (fragment.rect.middle, fragment.rect.x0))
    lines = _run(downwards, largest)
    if sum(len(fragment.text.split()) for fragment in lines) == 1:
        lines += _next_largest(downwards[downwards.index(lines[-1]) + 1 :], largest)
    return " ".join(fragment.text.strip() for fragment in lines[:_MAX_FRAGMENTS]) or None


def _run(downwards: Sequence[Fragment], size: float) -> list[Fragment]:
    """The first lines set in that size or larger, one right after the other; of a label's heading it is none."""
    start = dropwhile(lambda fragment: fragment.style.size < size - _SAME_SIZE, downwards)
    lines = list(takewhile(lambda fragment: fragment.style.size >= size - _SAME_SIZE, start))
    unlabelled = takewhile(lambda fragment: read_label(fragment.text) is None, lines[1:])
    return [*lines[:1], *unlabelled]


def _next_largest(below: Sequence[Fragment], largest: float) -> list[Fragment]:
    """What is set in the second size right below a name or a logo, which stand above the title."""
    second = max(
        (fragment.style.size for fragment in below if fragment.style.size < largest - _SAME_SIZE), default=0.0
    )
    if not below or second < _MIN_SECOND_SIZE or below[0].style.size < second - _SAME_SIZE:
        return []
    run = _run(below, second)
    return [] if read_label(run[0].text) is not None else run
