"""Which tenants' vectors have an index."""

from __future__ import annotations

import time
from uuid import UUID

from skillnet_common.database.pool import Connection
from skillnet_common.database.vector_indexes import index_name
from skillnet_retriever.statements import SQL, Indexed

_BELIEVED_SECONDS = 60.0
_REMEMBERED = 10_000


class VectorIndexes:
    """Asks the catalog once a minute a tenant. A belief that is out of date costs time and never a result: without
    its index the same statement compares every vector of the tenant."""

    def __init__(self, model_id: int, exact_chunks: int) -> None:
        self._model_id = model_id
        self._exact_chunks = exact_chunks
        self._known: dict[UUID, tuple[float, bool]] = {}

    async def of(self, connection: Connection, org_id: UUID, dimension: int) -> Indexed | None:
        """How the tenant's large scopes are searched; None where they are compared one by one as well."""
        return Indexed(dimension, self._exact_chunks) if await self._exists(connection, org_id) else None

    async def _exists(self, connection: Connection, org_id: UUID) -> bool:
        until, exists = self._known.get(org_id, (0.0, False))
        if time.monotonic() >= until:
            exists = bool(await connection.fetchval(SQL.vector_index, index_name(self._model_id, org_id)))
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[org_id] = (time.monotonic() + _BELIEVED_SECONDS, exists)
        return exists
