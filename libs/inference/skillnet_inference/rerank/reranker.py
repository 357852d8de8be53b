"""What every reranker offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Scores how well passages answer a question. Safe for concurrent calls.

    Faults: PermanentFault `provider_failed` for wrong scores or a refused request, PassingFault `provider_failed`
    where another attempt may help. Nothing is tried again: whoever asks has no time for it.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score for each passage in the order given, the higher the better; the scale is the model's own."""
        ...

    async def close(self) -> None:
        """Frees threads and connections."""
        ...
