"""Every peer in every setting against ours: nDCG@10, and the paired interval of ours minus theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.peers.corpora import PeerCorpus
from benchmarks.peers.environment import PeerFailed
from benchmarks.peers.judging import Hit, ndcg
from benchmarks.peers.protocol import Job, Reply
from skillnet_evaluation.questions import Dataset
from skillnet_evaluation.statistics import interval, paired

DEPTH = 50
"""Chunks asked for: several may be of one document, and ten documents are ranked."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One corpus: nDCG@10 of each question by configuration (ours) and setting (theirs).

    The first of ours is what the peers are held against. `chunks` counts what each peer cut; `failed` says why a
    peer has no figures; `versions` are those of the peers' packages.
    """

    corpus: PeerCorpus
    ours: dict[str, list[float]]
    peers: dict[str, list[float]] = field(default_factory=dict)
    chunks: dict[str, int] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def report(self) -> dict[str, Any]:
        """The figures as one object."""
        first = next(iter(self.ours.values()))
        return {
            "corpus": self.corpus.name,
            "documents": len(self.corpus.dataset.documents),
            "questions": len(self.corpus.dataset.questions),
            "ours": {name: _mean(values) for name, values in self.ours.items()},
            "peers": {
                name: {"ndcg@10": _mean(values), "chunks": self.chunks[name], "difference": difference(values, first)}
                for name, values in self.peers.items()
            },
            "failed": self.failed,
        }


def job_of(corpus: PeerCorpus, chunk_tokens: int | None, fusion: str, embeddings: str) -> Job:
    """What a peer is told of the corpus."""
    questions = [question.text for question in corpus.dataset.questions]
    texts = [text.body for text in corpus.texts]
    return Job(texts, questions, chunk_tokens, fusion, corpus.language, DEPTH, embeddings)


def hits_of(corpus: PeerCorpus, reply: Reply) -> Iterator[list[Hit]]:
    """What a peer found for each question, with where it stands."""
    for ranking in reply.rankings:
        chunks = [reply.chunks[number] for number in ranking]
        texts = [corpus.texts[chunk.text] for chunk in chunks]
        yield [
            Hit(text.document, text.page, text.page, chunk.body) for text, chunk in zip(texts, chunks, strict=True)
        ]


def judged(dataset: Dataset, found: Sequence[Sequence[Hit]]) -> list[float]:
    """nDCG@10 of each question."""
    return [
        ndcg(question, hits, ranks_documents=dataset.ranks_documents)
        for question, hits in zip(dataset.questions, found, strict=True)
    ]


def difference(theirs: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """Ours minus theirs with its paired 95 % interval, and on how many questions either is ahead."""
    found = paired(theirs, ours)
    if found is None:
        raise PeerFailed("there is no question")
    mean = found.interval
    return {
        "mean": round(mean.mean, 4),
        "low": round(mean.low, 4),
        "high": round(mean.high, 4),
        "ours_ahead": found.second_ahead,
        "theirs_ahead": found.first_ahead,
    }


def _mean(values: Sequence[float]) -> float | None:
    found = interval(values)
    return None if found is None else round(found.mean, 4)
