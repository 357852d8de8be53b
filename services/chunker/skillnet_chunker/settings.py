"""Settings of the chunker."""

from __future__ import annotations

from pydantic import Field

from skillnet_common.settings import ChunkSettings, WorkSettings


class ChunkerSettings(WorkSettings, ChunkSettings):
    """Sizes in tokens of the embedding model."""

    embed_batch_tokens: int = Field(default=4096, ge=64)
    """A batch of embed work holds at least one chunk and at most this many tokens."""
