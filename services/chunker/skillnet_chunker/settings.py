"""Settings of the chunker."""

from __future__ import annotations

from pydantic import Field

from skillnet_common.settings import WorkSettings


class ChunkerSettings(WorkSettings):
    """Sizes in tokens of the embedding model."""

    chunk_target_tokens: int = Field(default=350, ge=64)
    chunk_min_tokens: int = Field(default=50, ge=0)
    chunk_overlap_sentences: int = Field(default=2, ge=0)
    embed_batch_tokens: int = Field(default=4096, ge=64)
    """A batch of embed work holds at least one chunk and at most this many tokens."""
