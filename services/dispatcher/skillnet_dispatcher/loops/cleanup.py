"""What is past its time goes: old versions, their originals, sent events, keys, instances that vanished."""

from __future__ import annotations

from uuid import UUID

import structlog

from skillnet_common.database import Database, Queries
from skillnet_common.errors import PassingFault
from skillnet_common.objects import Originals
from skillnet_dispatcher.metrics import CLEANED
from skillnet_dispatcher.settings import DispatcherSettings

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "cleanup.sql")
_VERSIONS = 20
_CHUNKS = 500
_ROWS = 1_000


class Cleanup:
    """Small transactions only. A row tells which object to delete, and goes when the object is gone."""

    def __init__(self, database: Database, originals: Originals, settings: DispatcherSettings) -> None:
        self._database = database
        self._originals = originals
        self._settings = settings

    async def step(self) -> bool:
        """One pass; True where there may be more to remove."""
        rows = await self._delete_old_rows()
        versions = await self._remove_versions()
        objects = await self._delete_objects()  # last: a store that is away holds up nothing else
        return rows or versions or objects

    async def _remove_versions(self) -> bool:
        async with self._database.system() as connection:
            rows = await connection.fetch(
                _SQL.past_keeping, self._settings.keep_versions, self._settings.version_grace_hours, _VERSIONS
            )
        for row in rows:
            await self._remove_version(row["org_id"], row["document_id"], row["version"])
        return len(rows) == _VERSIONS

    async def _remove_version(self, org_id: UUID, document_id: UUID, version: int) -> None:
        while await self._delete_some_chunks(org_id, document_id, version):
            pass
        async with self._database.system() as connection:
            await connection.execute(_SQL.lock_document, org_id, document_id)
            await connection.execute(_SQL.delete_version, org_id, document_id, version)
        CLEANED.labels("versions_removed").inc()
        log.info("version_removed", org_id=str(org_id), document_id=str(document_id), version=version)

    async def _delete_some_chunks(self, org_id: UUID, document_id: UUID, version: int) -> bool:
        async with self._database.system() as connection:
            if await connection.fetchval(_SQL.hold_removable, org_id, document_id, version) is None:
                return False
            status = await connection.execute(_SQL.delete_chunks, org_id, document_id, version, _CHUNKS)
        return _count(status) == _CHUNKS

    async def _delete_objects(self) -> bool:
        async with self._database.system() as connection:
            rows = await connection.fetch(_SQL.objects_to_delete, _VERSIONS)
        deleted = [await self._delete_object(row["org_id"], row["object_key"]) for row in rows]
        return len(rows) == _VERSIONS and any(deleted)

    async def _delete_object(self, org_id: UUID, key: str) -> bool:
        """False where the store refuses: the row stays, and is tried again after the others."""
        try:
            await self._originals.delete(key)
        except PassingFault as fault:
            log.warning("object_not_deleted", object_key=key, reason=fault.message)
            query = _SQL.object_refused
        else:
            CLEANED.labels("objects_deleted").inc()
            query = _SQL.object_deleted
        async with self._database.system() as connection:
            await connection.execute(query, org_id, key)
        return query is _SQL.object_deleted

    async def _delete_old_rows(self) -> bool:
        more = False
        for what, query, days in (
            ("events", _SQL.delete_sent_events, self._settings.outbox_days),
            ("idempotency_keys", _SQL.delete_idempotency_keys, self._settings.idempotency_days),
        ):
            async with self._database.system() as connection:
                count = _count(await connection.execute(query, days, _ROWS))
            CLEANED.labels(what).inc(count)
            more |= count == _ROWS
        async with self._database.system() as connection:
            await connection.execute(_SQL.delete_instances)
        return more


def _count(status: str) -> int:
    return int(status.rpartition(" ")[2])
