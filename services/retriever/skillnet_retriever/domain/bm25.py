"""BM25 over the postings of a question's terms: for every chunk of the scope, in a few passes over flat arrays.

Robertson and Zaragoza 2009; k1 = 1.2, b = 0.75, without the constant factor k1 + 1, as in Lucene, so that no term
gives more than its idf. Document frequencies are counted over the scope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skillnet_retriever.domain.candidates import MARKED_TERMS, QueryTerm

Integers = npt.NDArray[np.int64]

_K1 = 1.2
_B = 0.75
READING_CERTAINTY = 0.5
"""What a word counts that was typed otherwise; the best of those measured (docs/retrieval.md)."""


@dataclass(frozen=True, slots=True)
class SoughtTerm:
    """A term before it is looked up. An optional one counts only where the scope knows it; the lexemes of one with
    several forms count once: a chunk takes the most frequent. `read_as`: the words in whose place it was typed.
    Stop words find and order, but that a chunk holds them proves nothing."""

    number: int
    text: str
    is_optional: bool
    has_forms: bool
    read_as: tuple[str, ...] = ()
    is_stop_word: bool = False


@dataclass(frozen=True, slots=True)
class Postings:
    """One row a lexeme and document: the term's number, the document's number in the scope (from 1), and how many of
    the `entries`, which follow each other, are its own. An entry packs
    (chunk_index << 32) | (frequency << 16) | words of the chunk."""

    terms: Integers
    documents: Integers
    counts: Integers
    entries: Integers

    def joined(self, other: Postings) -> Postings:
        """These, then those of `other`, in the same scope."""
        pairs = (
            (self.terms, other.terms),
            (self.documents, other.documents),
            (self.counts, other.counts),
            (self.entries, other.entries),
        )
        return Postings(*(np.concatenate(pair) for pair in pairs))


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk by its document's number and its index there, with its score and the bits of the terms it holds."""

    document: int
    chunk_index: int
    bm25: float
    matched: int


class WordScores:
    """The scores of all chunks that hold a term. `terms` are those that count, with their idf."""

    def __init__(self, sought: Sequence[SoughtTerm], postings: Postings, *, chunks: float, mean_words: float) -> None:
        chunk_indexes = postings.entries >> 32
        self._starts = _starts(postings, chunk_indexes)
        firsts = self._starts[postings.documents]
        places, term_of = (
            np.repeat(firsts, postings.counts) + chunk_indexes,
            np.repeat(postings.terms, postings.counts),
        )
        self._scores = np.zeros(int(self._starts[-1]))
        self._matched = np.zeros(int(self._starts[-1]), dtype=np.int64)
        added = []
        for term in sought:
            own = term_of == term.number
            added.append(self._add(term, places[own], postings.entries[own] & 0xFFFFFFFF, chunks, mean_words))
        self.terms = tuple(term for term in added if term is not None)

    def _add(
        self, term: SoughtTerm, places: Integers, counts: Integers, chunks: float, mean_words: float
    ) -> QueryTerm | None:
        if term.has_forms:
            places, counts = _most_frequent(places, counts)
        known = len(places)
        if known == 0 and term.is_optional:
            return None
        idf = _idf(chunks, known)
        weight = READING_CERTAINTY * idf if term.read_as else idf
        frequency, words = counts >> 16, counts & 0xFFFF
        gained = frequency / (frequency + _K1 * (1 - _B + _B / mean_words * words))
        self._scores[places] += weight * gained
        if term.number <= MARKED_TERMS:
            self._matched[places] |= 1 << term.number
        if not term.read_as:
            return QueryTerm(term.number, term.text, idf, known, certainty=0.0 if term.is_stop_word else 1.0)
        unknown = _idf(chunks, 0)
        return QueryTerm(term.number, term.text, unknown, known, term.read_as, weight / unknown)

    def best(self, limit: int, allowed: Integers | None) -> list[Hit]:
        """The best chunks, ties in the order of reading. `allowed`, where not None, lists those that may appear, as
        (document << 32) | chunk_index."""
        places = np.flatnonzero(self._scores)
        if allowed is not None:
            places = np.intersect1d(places, self._places(allowed), assume_unique=True)
        scores = self._scores[places].astype(np.float32)
        if len(places) > limit:
            kept = scores >= np.partition(scores, -limit)[-limit]
            places, scores = places[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")[:limit]
        places, scores = places[order], scores[order]
        documents = np.searchsorted(self._starts, places, side="right") - 1
        columns = (documents, places - self._starts[documents], scores, self._matched[places])
        return [Hit(*fields) for fields in zip(*(column.tolist() for column in columns), strict=True)]

    def of(self, document: int, chunk_index: int) -> Hit | None:
        """The score of one chunk; None where it holds no term."""
        if document + 1 >= len(self._starts):
            return None
        place = self._starts[document] + chunk_index
        if place >= self._starts[document + 1] or self._scores[place] == 0:
            return None
        return Hit(document, chunk_index, float(np.float32(self._scores[place])), int(self._matched[place]))

    def _places(self, keys: Integers) -> Integers:
        documents, chunk_indexes = keys >> 32, keys & 0xFFFFFFFF
        inside = documents < len(self._starts) - 1
        documents, chunk_indexes = documents[inside], chunk_indexes[inside]
        places: Integers = self._starts[documents] + chunk_indexes
        within: Integers = places[places < self._starts[documents + 1]]
        return within


def _starts(postings: Postings, chunk_indexes: Integers) -> Integers:
    """Where each document's chunks begin in an array of all of them, which ends at the last figure."""
    if len(postings.counts) == 0:
        return np.zeros(1, dtype=np.int64)
    sizes = np.zeros(int(postings.documents.max()) + 1, dtype=np.int64)
    first = np.cumsum(postings.counts) - postings.counts
    np.maximum.at(sizes, postings.documents, np.maximum.reduceat(chunk_indexes, first) + 1)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))


def _idf(chunks: float, known: int) -> float:
    return math.log(1 + (chunks - known + 0.5) / (known + 0.5))


def _most_frequent(places: Integers, counts: Integers) -> tuple[Integers, Integers]:
    chunks, which = np.unique(places, return_inverse=True)
    most = np.zeros(len(chunks), dtype=np.int64)
    np.maximum.at(most, which, counts)
    return chunks, most
