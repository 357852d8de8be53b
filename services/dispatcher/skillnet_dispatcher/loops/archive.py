"""Vectors and postings of ended versions leave the tables that searches read."""

from __future__ import annotations

from uuid import UUID

import structlog

from skillnet_common.database import Database, Queries
from skillnet_dispatcher.metrics import CLEANED

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "cleanup.sql")
_VERSIONS = 20
_VECTORS = 500


class Archive:
    """Moves vectors to the archive, from where later versions reuse them and a roll-back takes them back."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def step(self) -> bool:
        """Archives some versions; True where there may be more."""
        async with self._database.system() as connection:
            rows = await connection.fetch(_SQL.to_archive, _VERSIONS)
        for row in rows:
            await self._archive(row["org_id"], row["document_id"], row["version"])
        return len(rows) == _VERSIONS

    async def _archive(self, *version: UUID | int) -> None:
        while await self._move_some(*version):
            pass

    async def _move_some(self, *version: UUID | int) -> bool:
        """One small transaction; False when the version is archived, or is another's business."""
        async with self._database.system() as connection:
            if await connection.fetchval(_SQL.hold_ended, *version) is None:
                return False
            moved = int((await connection.execute(_SQL.archive_vectors, *version, _VECTORS)).rpartition(" ")[2])
            CLEANED.labels("vectors_archived").inc(moved)
            if moved == _VECTORS:
                return True
            await connection.execute(_SQL.delete_postings, *version)
            await connection.execute(_SQL.mark_archived, *version)
        CLEANED.labels("versions_archived").inc()
        return False
