"""Waiting until uploads have ended; shared by the sync and the async client."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

from skillnet_common.contracts.documents import DocumentSummary

OnProgress = Callable[[Sequence[DocumentSummary]], None]
"""Called after every look with all the documents waited for that still exist."""

IDS_A_PAGE = 100


class Settling:
    """Which of the documents waited for have ended. A document that is gone counts as ended."""

    def __init__(self, ids: Iterable[UUID], on_progress: OnProgress | None) -> None:
        self._open = list(dict.fromkeys(ids))
        self._on_progress = on_progress
        self.seen: dict[UUID, DocumentSummary] = {}

    @property
    def is_over(self) -> bool:
        """Whether every document has ended."""
        return not self._open

    def batches(self) -> list[list[UUID]]:
        """What to ask for in the next look, a page each."""
        return [self._open[at : at + IDS_A_PAGE] for at in range(0, len(self._open), IDS_A_PAGE)]

    def observe(self, documents: Sequence[DocumentSummary]) -> None:
        """Takes in the result of one whole look."""
        found = {document.document_id: document for document in documents}
        for gone in set(self._open) - found.keys():
            self.seen.pop(gone, None)
        self.seen.update(found)
        self._open = [one for one in self._open if one in found and not found[one].is_settled]
        if self._on_progress is not None:
            self._on_progress(list(self.seen.values()))
