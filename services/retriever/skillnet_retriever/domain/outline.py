"""The outline of a course or of documents: which of its parts a question is about (PageIndex, by words).

A part is a module of a course or a section of a document, with all that lies below it. A part is ranked by BM25 as if
it were one text, headings and linked documents included, plus the coverage of its best passage: a part that speaks of
everything a little does not outrank the one that holds the answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from skillnet_retriever.domain.bm25 import Postings, SoughtTerm, WordScores

_MOST = 0xFFFF
"""The largest count that an entry of postings holds."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document's live version; `path` holds its headings from the top down, () for the root."""

    section_index: int
    section_id: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """A chunk by its place in the scope: (number of its document << 32) | chunk_index."""

    key: int
    chunk_id: UUID
    section_index: int
    tokens: int


@dataclass(frozen=True, slots=True)
class OutlinedDocument:
    """A document with its sections and chunks in reading order."""

    document_id: UUID
    title: str
    sections: tuple[Section, ...]
    chunks: tuple[PlacedChunk, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A lesson, by its module's place in the course and its own place in the module (from 1), and a document that it
    points at."""

    module: int
    lesson: int
    document_id: UUID


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the outline. `headings` are those of the sections right below it."""

    part_id: str
    document_id: UUID
    document_title: str
    path: tuple[str, ...]
    headings: tuple[str, ...]
    chunks: tuple[PlacedChunk, ...]

    @property
    def name(self) -> str:
        """As a person knows it."""
        return self.path[-1] if self.path else self.document_title


@dataclass(frozen=True, slots=True)
class RankedPart:
    """A part and its score."""

    part: Part
    score: float


def parts_of(document: OutlinedDocument) -> list[Part]:
    """The document's parts in reading order: the sections of the first level that has more than one."""
    depth = _depth(document.sections)
    ids: dict[tuple[str, ...], str] = {}
    headings: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    path_of: dict[int, tuple[str, ...]] = {}
    for section in document.sections:
        path = path_of[section.section_index] = section.path[:depth]
        ids.setdefault(path, section.section_id)
        if len(section.path) == depth + 1:
            headings[path][section.path[-1]] = None
    chunks: dict[tuple[str, ...], list[PlacedChunk]] = defaultdict(list)
    for chunk in document.chunks:
        chunks[path_of.get(chunk.section_index, ())].append(chunk)
    return [
        Part(
            part_id=f"{document.document_id}/{section_id}",
            document_id=document.document_id,
            document_title=document.title,
            path=path,
            headings=tuple(headings[path]),
            chunks=tuple(chunks[path]),
        )
        for path, section_id in ids.items()
        if chunks[path]
    ]


def whole_part(document: OutlinedDocument) -> Part:
    """A document as a part of its own: one that names a course beside its modules."""
    headings = dict.fromkeys(section.path[0] for section in document.sections if len(section.path) == 1)
    return Part(
        part_id=f"{document.document_id}/",
        document_id=document.document_id,
        document_title=document.title,
        path=(),
        headings=tuple(headings),
        chunks=document.chunks,
    )


def with_links(
    parts: Sequence[Part], course: OutlinedDocument, links: Sequence[Link], linked: Mapping[UUID, OutlinedDocument]
) -> list[Part]:
    """The parts of a course, each with the chunks of the documents that its lessons point at."""
    depth = _depth(course.sections)
    added: dict[tuple[str, ...], dict[UUID, None]] = defaultdict(dict)
    paths = _lesson_paths(course.sections)
    for link in links:
        path = paths.get((link.module, link.lesson))
        if path is not None and link.document_id in linked:
            added[path[:depth]][link.document_id] = None
    return [
        replace(part, chunks=(*part.chunks, *(c for one in added[part.path] for c in linked[one].chunks)))
        for part in parts
    ]


def rank_parts(
    parts: Sequence[Part],
    sought: Sequence[SoughtTerm],
    postings: Postings,
    best_coverage: Callable[[Part], float],
) -> list[RankedPart]:
    """Best first, ties in reading order; those that hold no word are left out. `best_coverage` gives the share of the
    question's idf, 0 to 1, that the part's best passage has."""
    sizes = [sum(chunk.tokens for chunk in part.chunks) for part in parts]
    scale = min(1.0, _MOST / max(sizes, default=1))
    words = [max(1, int(size * scale)) for size in sizes]
    scores = WordScores(
        [replace(term, has_forms=False) for term in sought],
        _postings_of_parts(parts, postings, words),
        chunks=len(parts),
        mean_words=sum(words) / max(1, len(words)),
    )
    total = sum(term.idf for term in scores.terms) or 1.0
    hits = [(part, scores.of(1, number)) for number, part in enumerate(parts)]
    ranked = [RankedPart(part, hit.bm25 / total + best_coverage(part)) for part, hit in hits if hit is not None]
    return sorted(ranked, key=lambda one: -one.score)


def choose_parts(ranking: Sequence[RankedPart], *, most: int, share: float) -> list[Part]:
    """The best part, and up to `most` in all that reach `share` of its score."""
    if not ranking:
        return []
    return [one.part for one in ranking[:most] if one.score >= share * ranking[0].score]


def foremost(parts: Sequence[Part], ranking: Sequence[RankedPart], most: int) -> list[tuple[Part, int | None]]:
    """The best `most` parts, in reading order, each with its place in the ranking from 1. Those that are not ranked
    come after all that are."""
    ranks = {one.part.part_id: rank for rank, one in enumerate(ranking, start=1)}
    best_first = sorted(parts, key=lambda part: ranks.get(part.part_id, len(ranks) + 1))
    kept = {part.part_id for part in best_first[:most]}
    return [(part, ranks.get(part.part_id)) for part in parts if part.part_id in kept]


def _depth(sections: Sequence[Section]) -> int:
    deepest = max((len(section.path) for section in sections), default=0)
    for depth in range(1, deepest + 1):
        if len({section.path[:depth] for section in sections if len(section.path) >= depth}) > 1:
            return depth
    return 1


def _lesson_paths(sections: Sequence[Section]) -> dict[tuple[int, int], tuple[str, ...]]:
    """By the places of module and lesson: modules are the headings of the first level, lessons of the second."""
    paths: dict[tuple[int, int], tuple[str, ...]] = {}
    modules = lessons = 0
    for section in sections:
        if len(section.path) == 1:
            modules, lessons = modules + 1, 0
        elif len(section.path) == 2:
            lessons += 1
            paths[modules, lessons] = section.path
    return paths


def _postings_of_parts(parts: Sequence[Part], postings: Postings, words: Sequence[int]) -> Postings:
    """The postings of a single document whose chunks are the parts. A chunk that holds several forms of a term counts
    the most frequent."""
    holders: dict[int, list[int]] = defaultdict(list)
    for number, part in enumerate(parts):
        for chunk in part.chunks:
            holders[chunk.key].append(number)
    counted: dict[tuple[int, int], int] = defaultdict(int)
    at = 0
    for term, document, count in zip(
        postings.terms.tolist(), postings.documents.tolist(), postings.counts.tolist(), strict=True
    ):
        for entry in postings.entries[at : at + count].tolist():
            key = (document << 32) | (entry >> 32)
            if key in holders:
                counted[term, key] = max(counted[term, key], (entry >> 16) & _MOST)
        at += count
    frequencies: dict[tuple[int, int], int] = defaultdict(int)
    for (term, key), frequency in counted.items():
        for number in holders[key]:
            frequencies[term, number] += frequency
    rows = sorted(frequencies.items())
    entries = [(number << 32) | (min(frequency, _MOST) << 16) | words[number] for (_, number), frequency in rows]
    return Postings(
        terms=np.array([term for (term, _), _ in rows], dtype=np.int64),
        documents=np.ones(len(rows), dtype=np.int64),
        counts=np.ones(len(rows), dtype=np.int64),
        entries=np.array(entries, dtype=np.int64),
    )
