"""What the builder of large tenants' vector indexes and those who search by them agree on (docs/adr/0012)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

INDEX_PREFIX = "near_"


class ExactSettings(BaseSettings):
    """Of the retriever and of the program that builds the indexes."""

    model_config = SettingsConfigDict(extra="ignore", frozen=True)

    exact_chunks: int = Field(default=20_000, ge=1)
    """Scopes of up to so many chunks are compared one by one; only larger tenants get an index."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How an index is walked. `breadth`: candidates of one round; `reach`: vectors seen before it is given up, where
    many are of deleted rows."""

    breadth: int
    reach: int

    @property
    def of_postgresql(self) -> Mapping[str, str]:
        """As settings of a transaction."""
        return {
            "hnsw.iterative_scan": "strict_order",
            "hnsw.ef_search": str(self.breadth),
            "hnsw.max_scan_tuples": str(self.reach),
            "hnsw.scan_mem_multiplier": "8",
        }


DEFAULT_WALK = Walk(breadth=200, reach=20_000)


def index_name(model_id: int, org_id: UUID) -> str:
    """The HNSW index over one tenant's vectors of one model. It bears this name once it is built and measured."""
    return f"{INDEX_PREFIX}{int(model_id)}_{org_id.hex}"
