"""What is asked and what answers it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

MISSPELT = "misspelt"
"""The slice of questions with typing errors: a set of its own, left out of the overall figures."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A place that answers: in `document` (its key), on pages `pages` (first, last), or under `section`.

    Without pages the section's headings name the place, without either the document alone. `quote` are words of the
    document that give the answer. `gain` weighs it (graded relevance).
    """

    document: str
    pages: tuple[int, int] | None = None
    section: tuple[str, ...] = ()
    quote: str = ""
    gain: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `all_needed`: each of the answers gives a part, else any of them gives the whole.

    No `answers`: nothing in the documents answers it, and `kind` says how far off it is. `earlier`: the questions of
    the conversation it belongs to, oldest first.
    """

    id: str
    text: str
    answers: tuple[Answer, ...]
    all_needed: bool = False
    slices: tuple[str, ...] = ()
    kind: str = ""
    earlier: tuple[str, ...] = ()

    @property
    def is_answerable(self) -> bool:
        """Whether some document answers it."""
        return bool(self.answers)


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document to be searched. `content` is read when it is uploaded."""

    key: str
    file_name: str
    content: Path | bytes
    title: str | None = None
    is_distractor: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """Documents and questions. `ranks_documents`: answers name whole documents, so documents are ranked."""

    name: str
    documents: Sequence[SourceDocument]
    questions: Sequence[Question]
    ranks_documents: bool = False
    notes: tuple[str, ...] = field(default=())

    def having(self, wanted: Callable[[Question], bool]) -> Dataset:
        """The same documents with some of the questions."""
        kept = tuple(question for question in self.questions if wanted(question))
        return Dataset(self.name, self.documents, kept, self.ranks_documents, self.notes)
