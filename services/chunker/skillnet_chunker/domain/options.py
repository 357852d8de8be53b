"""Sizes a chunk must keep to, in tokens of the embedding model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from skillnet_common.documents import Chunk

LEAST_ROOM = 16
"""Tokens a body can always count on: more than any one character takes, so that cutting always advances."""


class TokenCounter(Protocol):
    """The embedding model's own tokenizer."""

    def count(self, final_text: str, /) -> int:
        """Tokens of the text with the model's special tokens, not truncated."""
        ...


@dataclass(frozen=True, slots=True)
class ChunkOptions:
    """Limits of a chunk, in tokens; the text counted is always `prefix + header + "\\n\\n" + body`.

    `window` is never exceeded. `target` is the size aimed at. A passage whose body is below `minimum` is
    merged with a sibling. `header_limit` caps the header (0: no header). A chunk repeats at most
    `overlap_sentences` sentences of the one before, and at most `overlap_limit` tokens or `overlap_share`
    of the target, whichever is less. Raises `ValueError` where the sizes leave no room for a body.
    """

    window: int = 512
    target: int = 350
    minimum: int = 50
    header_limit: int = 64
    overlap_sentences: int = 2
    overlap_limit: int = 60
    overlap_share: float = 0.15
    prefix: str = "passage: "

    def __post_init__(self) -> None:
        negative = [name for name in _COUNTS if getattr(self, name) < 0]
        if negative:
            raise ValueError(f"{', '.join(negative)} must not be negative")
        if not 0.0 <= self.overlap_share <= 0.5:
            raise ValueError(f"overlap_share must be between 0 and 0.5, not {self.overlap_share}")
        if self.target > self.window:
            raise ValueError(f"the target of {self.target} tokens exceeds the window of {self.window}")
        if self.minimum >= self.target:
            raise ValueError(f"the minimum of {self.minimum} tokens must be below the target of {self.target}")
        if self.overlap_limit >= self.target:
            raise ValueError(f"an overlap of {self.overlap_limit} tokens must be below the target of {self.target}")
        self.check_room(overhead=0)

    @property
    def overlap(self) -> int:
        """The most tokens a chunk repeats of the one before."""
        return min(self.overlap_limit, int(self.overlap_share * self.target))

    def check_room(self, *, overhead: int) -> None:
        """Raise `ValueError` unless a target-size chunk has room for text beside `overhead` tokens of prefix."""
        room = self.target - self.header_limit - self.overlap - overhead
        if room < LEAST_ROOM:
            raise ValueError(
                f"a target of {self.target} tokens leaves {room} for the text beside prefix ({overhead}), "
                f"header ({self.header_limit}) and overlap ({self.overlap}); at least {LEAST_ROOM} are needed"
            )

    def model_input(self, chunk: Chunk) -> str:
        """The exact string that is embedded for the chunk."""
        return self.prefix + chunk.model_text


_COUNTS = ("window", "target", "minimum", "header_limit", "overlap_sentences", "overlap_limit")
