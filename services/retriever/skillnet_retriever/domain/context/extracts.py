"""Neighbouring passages of one section read as one extract."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from skillnet_retriever.domain.passages import TABLE, FoundPassage


@dataclass(frozen=True, slots=True)
class Extract:
    """Passages of one section that follow each other without a gap, in reading order."""

    passages: tuple[FoundPassage, ...]

    @property
    def score(self) -> float:
        """That of the best passage."""
        return max(passage.score for passage in self.passages)

    @property
    def text(self) -> str:
        """The passages' text, what they repeat of each other left out."""
        first, *following = self.passages
        parts = [first.text.shown_text]
        end = first.text.char_end
        for passage in following:
            # Two characters or more between two passages are the blank line between two paragraphs.
            gap = passage.text.char_start - end
            parts.append("\n\n" if gap >= 2 else "\n" if passage.text.kind == TABLE else " ")
            parts.append(passage.text.own_text)
            end = passage.text.char_end
        return "".join(parts)


def extracts_of(passages: Iterable[FoundPassage]) -> list[Extract]:
    """All passages as extracts: the document of the best one first, the order of reading inside a document."""
    by_document: dict[tuple[UUID, int], list[FoundPassage]] = defaultdict(list)
    for passage in passages:
        by_document[passage.text.document_id, passage.text.version].append(passage)
    groups = sorted(by_document.items(), key=lambda item: (-max(p.score for p in item[1]), item[0]))
    return [extract for _, group in groups for extract in _runs(group)]


def _runs(passages: Sequence[FoundPassage]) -> list[Extract]:
    runs: list[list[FoundPassage]] = []
    for passage in sorted(passages, key=lambda p: p.text.chunk_index):
        if runs and _follows(runs[-1][-1], passage):
            runs[-1].append(passage)
        else:
            runs.append([passage])
    return [Extract(tuple(run)) for run in runs]


def _follows(before: FoundPassage, after: FoundPassage) -> bool:
    return after.text.chunk_index == before.text.chunk_index + 1 and after.text.section_id == before.text.section_id
