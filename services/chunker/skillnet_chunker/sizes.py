"""Sizes of chunks from the settings and the serving model."""

from __future__ import annotations

from skillnet_chunker.domain import ChunkOptions
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_common.settings import ChunkSettings
from skillnet_inference.identity import ModelIdentity


def chunk_options(settings: ChunkSettings, identity: ModelIdentity) -> ChunkOptions:
    """Raises `PermanentFault` misconfigured where the settings do not fit together."""
    try:
        return ChunkOptions(
            window=identity.window,
            target=min(settings.chunk_target_tokens, identity.window),
            minimum=settings.chunk_min_tokens,
            overlap_sentences=settings.chunk_overlap_sentences,
            prefix=identity.passage_prefix,
        )
    except ValueError as error:
        raise PermanentFault(ErrorCode.MISCONFIGURED, f"The CHUNK_* settings do not fit together: {error}") from error
