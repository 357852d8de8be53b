"""Whether found passages and cited sources are those that answer. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Passage, Source
from skillnet_evaluation.questions import Answer, Question

_MOST_PAGES = 2
_ANY = "answer"


Place = Passage | Source
"""A passage, or a cited source: both say where they stand and what they hold."""


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
    """Whether the first citation includes a page that answers and spans at most two; None without such pages."""
    paged = [answer for answer in question.answers if answer.pages is not None]
    if not paged:
        return None
    if first is None or first.place.page_start is None:
        return False
    last = first.place.page_end or first.place.page_start
    brief = last - first.place.page_start < _MOST_PAGES
    return brief and any(hits(first, answer) for answer in paged)


def span_recall(question: Question, found: Sequence[Found]) -> float | None:
    """Share of the quoted words, in their order, that the passages' texts hold: of the answer that fares best, or the
    mean of all that are needed. None where nothing is quoted."""
    texts: dict[str, str] = {}
    for one in found:
        texts[one.document] = f"{texts.get(one.document, '')} {_plain(one.place.text)}"
    shares = [_held(answer.quote, texts.get(answer.document, "")) for answer in question.answers if answer.quote]
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
    """Headings are compared as a reader does; a chunk of merged small sections shows the later ones in its text."""
    wanted = _plain(answer.section[-1])
    return any(_plain(heading) == wanted for heading in place.section_path) or bool(
        answer.quote and _held(answer.quote, _plain(place.text)) > 0.99
    )


def _held(quote: str, text: str) -> float:
    """The longest run of the quote's words that the text holds, as a share of them."""
    words = _plain(quote).split()
    padded = f" {' '.join(text.split())} "
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            if f" {' '.join(words[start : start + length])} " in padded:
                return length / len(words)
    return 0.0


def _plain(text: str) -> str:
    """Lower case, words only: punctuation, Markdown and white space are no difference to a reader."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))
