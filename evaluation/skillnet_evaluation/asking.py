"""Every question of a dataset is asked of a deployment, and what comes back is judged."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from skillnet_client import SkillnetClient
from skillnet_common.contracts.answers import AskReply, AskRequest, Turn
from skillnet_common.contracts.retrieval import Passage, Rung, Source, Strategy
from skillnet_evaluation import judging, metrics
from skillnet_evaluation.configurations import Configuration
from skillnet_evaluation.corpus import LoadedCorpus
from skillnet_evaluation.judging import Found
from skillnet_evaluation.questions import Dataset, Question

DEPTHS = (1, 5, 10, 20)
_PASSAGES = 20
_PASSAGES_OF_DOCUMENTS = 50  # as many as a leg's candidates by default: more would measure another search
_WARMING = Configuration("warming", {"strategy": Strategy.SEMANTIC})
_ON_DOCUMENTS = frozenset({Rung.CHUNKS, Rung.DOCUMENT})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one question. `figures` by name; one that does not apply is absent.

    `took_ms` is the service's own time, `wall_ms` includes HTTP. `units`, `first` (the first passage), `rung` and
    `cited` (the answer's sources, in order of citation) help to see why.
    """

    question: Question
    figures: dict[str, float]
    took_ms: float
    wall_ms: float
    units: tuple[str, ...]
    first: dict[str, Any] | None
    rung: str | None = None
    cited: tuple[dict[str, Any], ...] = ()


def ask(
    client: SkillnetClient,
    dataset: Dataset,
    corpus: LoadedCorpus,
    configurations: Sequence[Configuration],
    question: Question,
    *,
    answers: bool,
) -> list[Outcome]:
    """What becomes of a question in each configuration, one after the other. `answers`: ask for one too.

    The services remember a question's vector, so it is asked once beforehand: the times are those of a search alone.
    """
    client.search(_WARMING.request(question.text, limit=1, earlier=question.earlier))
    return [_ask(client, dataset, corpus, one, question, answers=answers) for one in configurations]


def _ask(
    client: SkillnetClient,
    dataset: Dataset,
    corpus: LoadedCorpus,
    configuration: Configuration,
    question: Question,
    *,
    answers: bool,
) -> Outcome:
    limit = _PASSAGES_OF_DOCUMENTS if dataset.ranks_documents else _PASSAGES
    begun = time.perf_counter()
    reply = client.search(configuration.request(question.text, limit=limit, earlier=question.earlier))
    wall = 1000 * (time.perf_counter() - begun)
    found = [_found(passage, str(passage.chunk_id), corpus) for passage in reply.passages]
    units = judging.units_of(question, found, ranks_documents=dataset.ranks_documents)
    figures: dict[str, float | None] = {}
    if question.is_answerable:
        figures |= _of_ranking(question, units, found, ranks_documents=dataset.ranks_documents)
    answer: AskReply | None = None
    cited: list[Found] = []
    if answers:
        history = [Turn(question=asked) for asked in question.earlier]
        fields = {**configuration.fields, "question": question.text, "history": history}
        answer = client.ask(AskRequest.model_validate(fields))
        cited = _cited(answer, corpus)
        figures |= _of_answer(question, answer, cited)
    return Outcome(
        question,
        {name: value for name, value in figures.items() if value is not None},
        reply.took_ms,
        wall,
        tuple(units),
        {**_shown(found[0]), "scores": reply.passages[0].scores.model_dump(mode="json")} if found else None,
        answer.rung if answer is not None else None,
        tuple(_shown(source) for source in cited),
    )


def _of_ranking(
    question: Question, units: list[str], found: list[Found], *, ranks_documents: bool
) -> dict[str, float | None]:
    gains = judging.gains_of(question, ranks_documents=ranks_documents)
    return {
        **{f"recall@{depth}": metrics.recall_at(units, gains, depth) for depth in DEPTHS},
        "mrr@10": metrics.reciprocal_rank(units, gains, 10),
        "ndcg@10": metrics.ndcg_at(units, gains, 10),
        "page_accuracy": _page_accuracy(question, found[0] if found else None),
        "span_recall": judging.span_recall(question, found[:5]),
    }


def _cited(reply: AskReply, corpus: LoadedCorpus) -> list[Found]:
    """The cited sources in order of first citation."""
    by_number = {source.number: source for source in reply.sources}
    return [_found(by_number[number], str(number), corpus) for number in reply.citations]


def _of_answer(question: Question, reply: AskReply, cited: Sequence[Found]) -> dict[str, float | None]:
    """Page accuracy is that of the answer's first citation: it takes the place of the first passage's."""
    answered = float(reply.rung in _ON_DOCUMENTS and bool(cited))
    if not question.is_answerable:
        return {"no_answer_accuracy": 1.0 - answered}
    return {
        "answered": answered,
        "page_accuracy": _page_accuracy(question, cited[0] if cited else None),
        "citation_precision": judging.citation_precision(question, cited),
        "citation_recall": judging.citation_recall(question, cited),
    }


def _page_accuracy(question: Question, first: Found | None) -> float | None:
    cites = judging.cites_page(question, first)
    return None if cites is None else float(cites)


def _found(place: Passage | Source, unit: str, corpus: LoadedCorpus) -> Found:
    key = corpus.keys.get(place.document_id, f"other {unit}")
    return Found(unit, key, place)


def _shown(found: Found) -> dict[str, Any]:
    place = found.place
    return {
        "document": found.document,
        "section_path": place.section_path,
        "pages": [place.page_start, place.page_end],
        "text": place.text,
    }


def values(outcomes: Iterable[Outcome], name: str) -> list[float]:
    """A figure of every question that has it."""
    return [outcome.figures[name] for outcome in outcomes if name in outcome.figures]
