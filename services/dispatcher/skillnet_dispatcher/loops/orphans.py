"""Originals that no version names: what a gateway left that ended between storing a body and writing its row."""

from __future__ import annotations

from datetime import timedelta

import structlog

from skillnet_common.database import Database
from skillnet_common.objects import Originals
from skillnet_dispatcher.metrics import CLEANED

log = structlog.get_logger(__name__)

_UNNAMED = """
    SELECT o.object_key FROM unnest($1::uuid[], $2::text[]) AS o (org_id, object_key)
    WHERE NOT EXISTS (SELECT FROM document_versions v WHERE v.org_id = o.org_id AND v.object_key = o.object_key)
"""


class Orphans:
    """Looks only at objects older than any upload can take, so that one under way is never taken for an orphan."""

    def __init__(self, database: Database, originals: Originals, *, age: timedelta) -> None:
        self._database = database
        self._originals = originals
        self._age = age

    async def step(self) -> bool:
        """One pass over the store; never has more to do at once."""
        async for page in self._originals.keys_older_than(self._age):
            async with self._database.system() as connection:
                rows = await connection.fetch(_UNNAMED, [org_id for org_id, _ in page], [key for _, key in page])
            for row in rows:
                await self._originals.delete(row["object_key"])
                CLEANED.labels("orphans_deleted").inc()
                log.info("orphan_deleted", object_key=row["object_key"])
        return False
