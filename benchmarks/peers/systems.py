"""Which peers are asked, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

CHUNK_TOKENS = (256, 400, None)
"""None: what the peer does where nothing is said."""


@dataclass(frozen=True, slots=True)
class System:
    """A peer, the program that runs it and the way it joins words and meaning, by the peer's own name."""

    name: str
    program: str
    fusion: str


@dataclass(frozen=True, slots=True)
class Setting:
    """A system with chunks of a length, in tokens of the peer's own tokenizer."""

    system: System
    chunk_tokens: int | None

    @property
    def name(self) -> str:
        """As it stands in the tables."""
        return f"{self.system.name}, {self.chunk_tokens or 'default'}"


SYSTEMS = (
    System("LlamaIndex, relative score", "llama_index_hybrid", "relative_score"),
    System("Haystack, reciprocal rank", "haystack_hybrid", "reciprocal_rank_fusion"),
    System("Haystack, distribution", "haystack_hybrid", "distribution_based_rank_fusion"),
    System("txtai", "txtai_hybrid", "default"),
)


def settings() -> Iterator[Setting]:
    """Every system in every length of chunks."""
    for system in SYSTEMS:
        for chunk_tokens in CHUNK_TOKENS:
            yield Setting(system, chunk_tokens)
