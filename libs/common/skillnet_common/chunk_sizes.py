"""How large chunks are: as the deployment says, as an organisation says instead, within the model's window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self
from uuid import UUID

from skillnet_common.database.pool import Connection
from skillnet_common.settings import ChunkSettings

_PREFIX = "chunk_"


@dataclass(frozen=True, slots=True)
class OwnSizes:
    """What an organisation says of its chunks, in tokens and sentences; None: as the deployment does."""

    max_tokens: int | None = None
    min_tokens: int | None = None
    overlap_sentences: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Out of the settings of an organisation; what is no number there says nothing."""
        found = {field.name: settings.get(_PREFIX + field.name) for field in fields(cls)}
        return cls(**{name: value for name, value in found.items() if type(value) is int and value >= 0})


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """What holds, in tokens of the embedding model: no chunk is larger than `max_tokens`, prefix and header
    included; `target_tokens` is aimed at; a body below `min_tokens` is merged with a neighbour."""

    max_tokens: int
    target_tokens: int
    min_tokens: int
    overlap_sentences: int


def setting_of(name: str) -> str:
    """The key of a field of `OwnSizes` in an organisation's settings."""
    return _PREFIX + name


def chunk_sizes(deployment: ChunkSettings, own: OwnSizes, *, window: int) -> ChunkSizes:
    """The organisation's own sizes, else the deployment's. `window` is the model's, in tokens: it is never exceeded,
    whatever was said under another model, and the minimum stays below the target."""
    most = min(own.max_tokens if own.max_tokens is not None else deployment.chunk_max_tokens, window)
    target = min(deployment.chunk_target_tokens, most)
    least = own.min_tokens if own.min_tokens is not None else deployment.chunk_min_tokens
    overlap = own.overlap_sentences if own.overlap_sentences is not None else deployment.chunk_overlap_sentences
    return ChunkSizes(most, target, min(least, target - 1), overlap)


async def own_sizes(connection: Connection, org_id: UUID) -> OwnSizes:
    """Those of the organisation whose transaction this is."""
    settings = await connection.fetchval("SELECT settings FROM organizations WHERE org_id = $1", org_id)
    return OwnSizes.of(settings or {})
