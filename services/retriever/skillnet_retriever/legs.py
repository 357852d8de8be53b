"""What the rows of the two legs say, put together."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np

from skillnet_retriever.domain.bm25 import Hit, Integers, Postings, SoughtTerm, WordScores
from skillnet_retriever.domain.candidates import Candidate, Pool
from skillnet_retriever.domain.routing import ScopeDocument
from skillnet_retriever.domain.spelling import near_words

_READ_CHUNKS = 2_000
"""Chunks of a scope whose text is read for stop words, which have no postings: a fifth of a second or so."""
_CORRECTED_TERMS = 8
"""Unknown words of a question that are looked up with a typing error; more are a text in another language."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gives. `documents`: up to two of the scope, for the router."""

    pool: Pool
    documents: tuple[ScopeDocument, ...]


class Near(NamedTuple):
    """A chunk of the semantic leg; its document by the number in the scope."""

    chunk_id: UUID
    document: int
    chunk_index: int
    cosine: float


class ChunkHit(NamedTuple):
    """A chunk of the keyword leg. `cosine` is None without a semantic leg."""

    chunk_id: UUID
    cosine: float | None
    hit: Hit


class KeywordLeg:
    """What the row of the keyword statement says: the scope, and the scores of words in it."""

    def __init__(self, row: Mapping[str, Any], candidates: int) -> None:
        self.model_id: int = row["model_id"]
        self.config: str = row["config"] or ""
        """The text search configuration of the question's language."""
        self._scope = _Scope(row["scope"] or b"")
        self._sought = [SoughtTerm(*fields) for fields in row["terms"]]
        self._postings = _postings(row)
        self._chunks: float = row["chunks"]
        self._mean_words: float = row["mean_words"]
        self._documents = tuple(ScopeDocument(*fields) for fields in row["documents"])
        self._allowed = _integers(row["allowed"], "i8") if "allowed" in row else None
        self._candidates = candidates

    def near_words(self) -> dict[int, list[str]]:
        """By the number of each word that nothing in the scope holds: the words one typing error away."""
        if not self._chunks:
            return {}
        rows = np.bincount(self._postings.terms, minlength=max((term.number for term in self._sought), default=0) + 1)
        unknown = [term for term in self._sought if not rows[term.number] and not term.is_optional]
        near = {term.number: near_words(term.text) for term in unknown[:_CORRECTED_TERMS]}
        return {number: words for number, words in near.items() if words}

    def correct(self, row: Mapping[str, Any], near: Mapping[int, Sequence[str]]) -> None:
        """Takes the row of the corrections, asked for with `near`, into account."""
        readings: dict[int, list[str]] = {}
        for number, word_number, written in row["readings"]:
            readings.setdefault(number, []).append(written or near[number][word_number - 1])
        self._postings = self._postings.joined(_postings(row))
        self._sought = [
            replace(term, has_forms=True, read_as=tuple(readings[term.number])) if term.number in readings else term
            for term in self._sought
        ]

    @property
    def has_stop_words_only(self) -> bool:
        """Whether no word is left to be sought, in a scope small enough to seek the stop words in its texts."""
        return not self._sought and 0 < self._chunks <= _READ_CHUNKS

    def take_stop_words(self, row: Mapping[str, Any]) -> None:
        """Takes the row of the stop words into account."""
        self._postings = _postings(row)
        self._sought = [replace(SoughtTerm(*fields), is_stop_word=True) for fields in row["terms"]]

    @cached_property
    def hits(self) -> list[Hit]:
        """The best chunks by their words."""
        return self._words.best(self._candidates, self._allowed)

    @cached_property
    def _words(self) -> WordScores:
        return WordScores(self._sought, self._postings, chunks=self._chunks, mean_words=self._mean_words)

    @property
    def documents(self) -> Sequence[ScopeDocument]:
        """Up to two of the scope, for the router."""
        return self._documents

    @property
    def sought(self) -> Sequence[SoughtTerm]:
        """The question's terms, as they are looked up."""
        return self._sought

    @property
    def postings(self) -> Postings:
        """Of the question's terms, in the whole scope."""
        return self._postings

    def within(self, chunk_ids: Mapping[int, UUID], *, limit: int) -> Pool:
        """The best of these chunks by their words; keys are (document << 32) | chunk_index."""
        hits = self._words.best(limit, np.fromiter(chunk_ids, dtype=np.int64, count=len(chunk_ids)))
        chunks = [ChunkHit(chunk_ids[(hit.document << 32) | hit.chunk_index], None, hit) for hit in hits]
        return self.joined(chunks, ()).pool

    def places(self) -> list[tuple[UUID, int, int]]:
        """(document, version, chunk index) of each hit."""
        documents = [self._scope.document(hit.document) for hit in self.hits]
        return [(d.document_id, d.version, h.chunk_index) for d, h in zip(documents, self.hits, strict=True)]

    def joined(self, chunks: Sequence[ChunkHit], near: Sequence[Near]) -> Found:
        """The candidates of both legs. `chunks` are the hits with their ids."""
        by_words = sorted(chunks, key=lambda chunk: (-chunk.hit.bm25, chunk.chunk_id))
        return Found(Pool(_candidates(near, by_words, self._words, self._scope), self._words.terms), self._documents)


class _ScopeDocument(NamedTuple):
    document_id: UUID
    version: int
    same_language: bool


class _Scope:
    """The documents of the scope, each unpacked when it is first asked for: most are not."""

    _ROW = struct.Struct(">16si?")

    def __init__(self, packed: bytes) -> None:
        self._packed = packed
        self._known: dict[int, _ScopeDocument] = {}

    def document(self, number: int) -> _ScopeDocument:
        """`number` counts from 1."""
        known = self._known.get(number)
        if known is None:
            identity, version, same_language = self._ROW.unpack_from(self._packed, (number - 1) * self._ROW.size)
            known = self._known[number] = _ScopeDocument(UUID(bytes=identity), version, same_language)
        return known


def _postings(row: Mapping[str, Any]) -> Postings:
    counts = _integers(row["posting_counts"], "i4")
    return Postings(
        _integers(row["posting_terms"], "i4"),
        _integers(row["posting_documents"], "i4"),
        counts,
        _entries(row["entries"], counts),
    )


_HEADER = 20
_LENGTH = 4


def _integers(array: bytes | None, kind: str) -> Integers:
    """The elements of an array in PostgreSQL's binary form: none is NULL, each stands behind its length."""
    if array is None:
        return np.zeros(0, dtype=np.int64)
    element = np.dtype([("size", ">i4"), ("value", f">{kind}")])
    return np.frombuffer(array, dtype=element, offset=_HEADER)["value"].astype(np.int64)


def _entries(arrays: bytes | None, counts: Integers) -> Integers:
    """The elements of arrays of bigint that follow each other, each with a header; `counts` are their lengths."""
    if arrays is None:
        return np.zeros(0, dtype=np.int64)
    headers = np.repeat(_HEADER * np.arange(1, len(counts) + 1), counts)
    value = headers + (_LENGTH + 8) * np.arange(len(headers)) + _LENGTH
    octets = np.lib.stride_tricks.sliding_window_view(np.frombuffer(arrays, dtype=np.uint8), 8)
    entries: Integers = octets[value].view(">i8").ravel().astype(np.int64)
    return entries


def _candidates(
    near: Sequence[Near], hits: Sequence[ChunkHit], words: WordScores, scope: _Scope
) -> tuple[Candidate, ...]:
    """What either leg found, each with the scores of both."""
    keyword_ranks = {chunk.chunk_id: rank for rank, chunk in enumerate(hits, start=1)}

    def candidate(
        chunk_id: UUID, document: int, chunk_index: int, cosine: float | None, hit: Hit | None, rank: int | None
    ) -> Candidate:
        own = scope.document(document)
        return Candidate(
            chunk_id,
            own.document_id,
            own.version,
            chunk_index,
            cosine,
            hit.bm25 if hit else None,
            hit.matched if hit else 0,
            rank,
            keyword_ranks.get(chunk_id),
            own.same_language,
        )

    semantic = [
        candidate(n.chunk_id, n.document, n.chunk_index, n.cosine, words.of(n.document, n.chunk_index), rank)
        for rank, n in enumerate(near, start=1)
    ]
    seen = {n.chunk_id for n in near}
    rest = [
        candidate(h.chunk_id, h.hit.document, h.hit.chunk_index, h.cosine, h.hit, None)
        for h in hits
        if h.chunk_id not in seen
    ]
    return (*semantic, *rest)
