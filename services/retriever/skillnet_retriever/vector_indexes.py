"""Which tenants' vectors have an index, and how far it is walked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from skillnet_common.database.pool import Connection
from skillnet_common.database.vector_indexes import EXACT_CHUNKS, index_name
from skillnet_retriever.statements import SQL, Walk

_BELIEVED_SECONDS = 60.0
_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class WalkSettings:
    """`breadth`: candidates of one round of the walk; `reach`: vectors seen before it is given up."""

    exact_chunks: int = EXACT_CHUNKS
    breadth: int = 400
    reach: int = 2_000

    @property
    def of_postgresql(self) -> Mapping[str, str]:
        """As settings of a transaction."""
        return {
            "hnsw.iterative_scan": "strict_order",
            "hnsw.ef_search": str(self.breadth),
            "hnsw.max_scan_tuples": str(self.reach),
            "hnsw.scan_mem_multiplier": "8",
        }


class VectorIndexes:
    """Asks the catalog once a minute a tenant. A belief that is out of date costs time and never a result: a walk
    without an index compares every vector of the tenant."""

    def __init__(self, model_id: int, settings: WalkSettings) -> None:
        self._model_id = model_id
        self._settings = settings
        self._known: dict[UUID, tuple[float, bool]] = {}

    async def walk(self, connection: Connection, org_id: UUID, dimension: int) -> Walk | None:
        """How the tenant's large scopes are searched; None where they are compared one by one as well."""
        return Walk(dimension, self._settings.exact_chunks) if await self._exists(connection, org_id) else None

    async def _exists(self, connection: Connection, org_id: UUID) -> bool:
        until, exists = self._known.get(org_id, (0.0, False))
        if time.monotonic() >= until:
            exists = bool(await connection.fetchval(SQL.vector_index, index_name(self._model_id, org_id)))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[org_id] = (time.monotonic() + _BELIEVED_SECONDS, exists)
        return exists
