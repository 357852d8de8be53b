"""What the builder of large tenants' vector indexes and those who search by them agree on (docs/adr)."""

from __future__ import annotations

from uuid import UUID

EXACT_CHUNKS = 50_000
"""Scopes of up to so many chunks are compared one by one; only larger tenants get an index."""


def index_name(model_id: int, org_id: UUID) -> str:
    """The HNSW index over one tenant's vectors of one model. It bears this name once it is built and measured."""
    return f"near_{int(model_id)}_{org_id.hex}"
