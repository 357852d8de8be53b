"""Sizes of chunks from the deployment's settings, the serving model and what the organisation says."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_chunker.domain import ChunkOptions
from skillnet_common.chunk_sizes import ChunkSizes, OwnSizes, chunk_sizes
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_common.settings import ChunkSettings
from skillnet_inference.identity import ModelIdentity


@dataclass(frozen=True, slots=True)
class ChunkRules:
    """How chunks are cut here. `window` is the model's, in tokens; `passage_prefix` stands before what it reads.

    Raises `PermanentFault` misconfigured where the settings do not fit together.
    """

    settings: ChunkSettings
    window: int
    passage_prefix: str

    def __post_init__(self) -> None:
        if self.settings.chunk_min_tokens >= self.settings.chunk_target_tokens:
            raise _misfit("the minimum must be below the target")
        try:
            self.options(self.sizes(OwnSizes()))
        except ValueError as error:
            raise _misfit(str(error)) from error

    def sizes(self, own: OwnSizes) -> ChunkSizes:
        """What holds for an organisation."""
        return chunk_sizes(self.settings, own, window=self.window)

    def options(self, sizes: ChunkSizes) -> ChunkOptions:
        """The same as the chunker takes it. Raises `ValueError` where no text would fit."""
        return ChunkOptions(
            window=sizes.max_tokens,
            target=sizes.target_tokens,
            minimum=sizes.min_tokens,
            overlap_sentences=sizes.overlap_sentences,
            prefix=self.passage_prefix,
        )


def _misfit(why: str) -> PermanentFault:
    return PermanentFault(ErrorCode.MISCONFIGURED, f"The CHUNK_* settings do not fit together: {why}.")


def rules_for(settings: ChunkSettings, identity: ModelIdentity) -> ChunkRules:
    """Under the serving model."""
    return ChunkRules(settings, identity.window, identity.passage_prefix)
