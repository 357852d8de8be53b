"""Whether found passages and cited sources are those that answer. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from skillnet_evaluation.questions import Answer, Question

_MOST_PAGES = 2
_RUN = 3  # words: one or two stand anywhere
_MOST_OF_A_QUOTE = 0.5
_ANY = "answer"


class Place(Protocol):
    """A passage, a cited source or what another system found: where it stands and what it holds."""

    @property
    def page_start(self) -> int | None:
        """Its first page; None where the format has none."""
        ...

    @property
    def page_end(self) -> int | None:
        """Its last page; None where it is the first, or where the format has none."""
        ...

    @property
    def section_path(self) -> Sequence[str]:
        """The headings down to it."""
        ...

    @property
    def text(self) -> str:
        """What it holds."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """A passage or source with its document's key; a distractor's is no document of the questions."""

    unit: str
    document: str
    place: Place


def hits(found: Found, answer: Answer) -> bool:
    """Whether it is of the answer's document and overlaps its pages; without pages its section; else the document."""
    if found.document != answer.document:
        return False
    if answer.pages is not None and found.place.page_start is not None:
        return _overlaps(found.place, answer.pages)
    if answer.section:
        return _meets(found.place, answer)
    return True


def units_of(question: Question, found: Sequence[Found], *, ranks_documents: bool) -> list[str]:
    """The ranking as unit ids: those of `gains_of` where something answers, others elsewhere.

    Where documents are ranked each stands at its best passage; distractors stand for themselves.
    """
    if ranks_documents:
        return list(dict.fromkeys(one.document for one in found))
    units: list[str] = []
    for one in found:
        matching = [name for name, answer in _named(question) if hits(one, answer)]
        fresh = [name for name in matching if name not in units]
        units.append((fresh or matching or [f"other {one.unit}"])[0])
    return units


def gains_of(question: Question, *, ranks_documents: bool) -> dict[str, float]:
    """The relevant units with their gains."""
    if ranks_documents:
        return {answer.document: answer.gain for answer in question.answers}
    return {name: answer.gain for name, answer in _named(question)}


def cites_page(question: Question, first: Found | None) -> bool | None:
    """Whether the first citation includes a page that answers and spans at most two.

    Where answers stand in formats without pages too, citing one of their sections is as right. None where all do.
    """
    paged = [answer for answer in question.answers if answer.pages is not None]
    if not paged:
        return None
    if first is None:
        return False
    if first.place.page_start is None:
        return any(hits(first, answer) for answer in question.answers if answer.pages is None)
    last = first.place.page_end or first.place.page_start
    brief = last - first.place.page_start < _MOST_PAGES
    return brief and any(hits(first, answer) for answer in paged)


def span_recall(question: Question, found: Sequence[Found]) -> float | None:
    """Share of the quoted words that the passages' texts hold: of the answer that fares best, or the mean of all that
    are needed. A quote that runs over two passages is held where both are found. None where nothing is quoted."""
    texts: dict[str, list[str]] = {}
    for one in found:
        texts.setdefault(one.document, []).append(one.place.text)
    shares = [_held(answer.quote, texts.get(answer.document, [])) for answer in question.answers if answer.quote]
    if not shares:
        return None
    return sum(shares) / len(shares) if question.all_needed else max(shares)


def citation_precision(question: Question, cited: Sequence[Found]) -> float | None:
    """Share of the cited sources that answer; None where none is cited."""
    if not cited:
        return None
    return sum(any(hits(one, answer) for answer in question.answers) for one in cited) / len(cited)


def citation_recall(question: Question, cited: Sequence[Found]) -> float:
    """Share of the needed answers that a cited source holds."""
    held = [any(hits(one, answer) for one in cited) for answer in question.answers]
    return sum(held) / len(held) if question.all_needed else float(any(held))


def _named(question: Question) -> list[tuple[str, Answer]]:
    """The answers by unit: one unit for all where any of them will do."""
    if question.all_needed:
        return [(f"{_ANY} {number}", answer) for number, answer in enumerate(question.answers)]
    return [(_ANY, answer) for answer in question.answers]


def _overlaps(place: Place, pages: tuple[int, int]) -> bool:
    first = place.page_start or 0
    return first <= pages[1] and (place.page_end or first) >= pages[0]


def _meets(place: Place, answer: Answer) -> bool:
    """Whether it stands in the answer's section or below it. Headings are compared as a reader does.

    A chunk of merged small sections has the path of the section above them: its text shows which it holds.
    """
    wanted = [_plain(heading) for heading in answer.section]
    path = [_plain(heading) for heading in place.section_path]
    if _is_within(path, wanted):
        return True
    if not _is_above(path, wanted):
        return False
    heading = f" {wanted[-1]} " in f" {_plain(place.text)} "
    return heading or (bool(answer.quote) and _held(answer.quote, [place.text]) >= _MOST_OF_A_QUOTE)


def _is_within(path: list[str], wanted: list[str]) -> bool:
    """Whether the headings wanted follow each other in the path; the first, a document's title, may be left out."""
    size = len(wanted)
    follows = any(path[start : start + size] == wanted for start in range(len(path) - size + 1))
    return follows or (size > 1 and path[: size - 1] == wanted[1:])


def _is_above(path: list[str], wanted: list[str]) -> bool:
    """Whether the path leads to the headings wanted without reaching the last; either may leave out the title."""
    return any(
        len(above) < len(below) and above == below[: len(above)]
        for above, below in ((path, wanted), (path, wanted[1:]), (path[1:], wanted))
    )


def _held(quote: str, texts: Sequence[str]) -> float:
    """Share of the quote's words that stand in some text together with those beside them: in a run of three."""
    words = _plain(quote).split()
    size = min(_RUN, len(words))
    if size == 0:
        return 0.0
    runs = {run for text in texts for run in _runs(_plain(text).split(), size)}
    held = {at + offset for at, run in enumerate(_runs(words, size)) if run in runs for offset in range(size)}
    return len(held) / len(words)


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)]


def _plain(text: str) -> str:
    """Lower case, words only: punctuation, Markdown and white space are no difference to a reader."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))
