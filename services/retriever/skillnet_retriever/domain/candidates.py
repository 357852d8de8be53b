"""What the two legs found, before it is ranked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

MARKED_TERMS = 62
"""Terms numbered above this have no bit in `Candidate.matched`: a question of that length needs none."""


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """A word or code the question looks for. `idf` is Robertson's, over the scope; `chunk_count` chunks hold it. One
    that nothing holds may be `read_as` words a typing error away: it keeps its idf, of which they are worth the share
    `certainty`, and `chunk_count` chunks hold them."""

    number: int
    text: str
    idf: float
    chunk_count: int
    read_as: tuple[str, ...] = ()
    certainty: float = 1.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that a leg found. Scores of both legs; ranks count from 1 and are None where the leg left it out.

    `cosine` is None without a semantic leg, `bm25` where no term matches; bit n of `matched` stands for the term
    with number n. `same_language`: the document's language is the question's, as far as both are known.
    """

    chunk_id: UUID
    document_id: UUID
    version: int
    chunk_index: int
    cosine: float | None
    bm25: float | None
    matched: int
    semantic_rank: int | None
    keyword_rank: int | None
    same_language: bool = True


@dataclass(frozen=True)
class Pool:
    """The candidates of one question and the terms they were looked up by."""

    candidates: tuple[Candidate, ...]
    terms: tuple[QueryTerm, ...]

    @cached_property
    def total_idf(self) -> float:
        """Sum over all terms, those unknown to the scope included."""
        return sum(term.idf for term in self.terms)

    def coverage(self, candidate: Candidate) -> float:
        """BM25 divided by the summed idf of all terms, 0 to 1."""
        return (candidate.bm25 or 0.0) / self.total_idf if self.total_idf > 0 else 0.0

    def covered_share(self, matched: int) -> float:
        """Share of the question's idf, 0 to 1, that the terms marked in `matched` make up."""
        if self.total_idf <= 0:
            return 0.0
        held = sum(term.idf * term.certainty for term in self.terms if is_marked(matched, term))
        return held / self.total_idf

    def missing_terms(self, candidates: Iterable[Candidate]) -> list[QueryTerm]:
        """Terms that none of the candidates holds."""
        held = 0
        for candidate in candidates:
            held |= candidate.matched
        return [term for term in self.terms if term.number <= MARKED_TERMS and not is_marked(held, term)]


def is_marked(matched: int, term: QueryTerm) -> bool:
    """Whether the term's bit is set."""
    return bool(matched >> term.number & 1) if term.number <= MARKED_TERMS else False
