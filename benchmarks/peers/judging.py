"""Ours and theirs judged alike: by document and page, and without pages by the words of the answer. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from skillnet_evaluation import judging, metrics
from skillnet_evaluation.judging import Found
from skillnet_evaluation.questions import Answer, Question

DEPTH = 10
_MOST_OF_A_QUOTE = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found: where it stands (pages None where the format has none) and what it holds.

    It is a `judging.Place` that names no section: sections would favour ours, as the peers' chunks have none.
    """

    document: str
    page_start: int | None
    page_end: int | None
    text: str
    section_path: tuple[str, ...] = ()


def ndcg(question: Question, hits: Sequence[Hit], *, ranks_documents: bool) -> float:
    """nDCG@10 of the hits, best first: of documents, each at its best chunk, or of the places that answer.

    A place is found by a chunk of its page. Where the format has no pages by one that holds half of the quoted words.
    """
    gains = judging.gains_of(question, ranks_documents=ranks_documents)
    if ranks_documents:
        return metrics.ndcg_at(list(dict.fromkeys(hit.document for hit in hits)), gains, DEPTH)
    return metrics.ndcg_at(list(_units(question, hits)), gains, DEPTH)


def _units(question: Question, hits: Sequence[Hit]) -> Iterator[str]:
    """A unit a hit, as `judging.units_of` names them: several hits of one answer are several ranks of one unit."""
    names = list(judging.gains_of(question, ranks_documents=False))
    seen: set[str] = set()
    for number, hit in enumerate(hits):
        found = Found(str(number), hit.document, hit)
        matching = [
            names[place if question.all_needed else 0]
            for place, answer in enumerate(question.answers)
            if _answers(found, answer)
        ]
        fresh = [name for name in matching if name not in seen]
        unit = (fresh or matching or [f"other {number}"])[0]
        seen.add(unit)
        yield unit


def _answers(found: Found, answer: Answer) -> bool:
    if found.document != answer.document:
        return False
    if answer.pages is not None and found.place.page_start is not None:
        return judging.hits(found, answer)
    held = judging.span_recall(Question("", "", (answer,)), [found])
    return held is None or held >= _MOST_OF_A_QUOTE
