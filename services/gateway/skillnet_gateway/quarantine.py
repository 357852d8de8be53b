"""Work that was given up, as administrators of the organisation see it."""

from __future__ import annotations

from uuid import UUID

import structlog

from skillnet_common.auth import Principal
from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply
from skillnet_common.database import Database, Queries
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions import replay_work

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "quarantine.sql")


class Quarantine:
    """Lists and replays the organisation's quarantined work, of documents that the asker may see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, principal: Principal, cursor: UUID | None, limit: int) -> QuarantinePage:
        """Newest first; `cursor` is the last piece of the page before."""
        found = await self._find(principal, None, cursor, limit + 1)
        more = len(found) > limit
        return QuarantinePage(work=found[:limit], next_cursor=str(found[limit - 1].work_id) if more else None)

    async def get(self, principal: Principal, work_id: UUID) -> QuarantinedWork:
        """Raises RequestError `not_found`."""
        found = await self._find(principal, work_id, None, 1)
        if not found:
            raise RequestError(ErrorCode.NOT_FOUND, "The quarantine holds no such work.")
        return found[0]

    async def replay(self, principal: Principal, work_id: UUID) -> ReplayReply:
        """Lets the work wait again. Raises RequestError as `replay_work` does; the log says which key it was."""
        async with self._database.tenant(principal.org_id, audience=principal.audience) as connection:
            replayed = await replay_work(connection, principal.org_id, work_id)
        log.info(
            "work_replayed",
            org_id=str(principal.org_id),
            key_id=str(principal.key_id),
            work_id=str(work_id),
            stage=replayed.stage,
        )
        return ReplayReply(document_id=replayed.document_id, version=replayed.version, stage=replayed.stage)

    async def _find(
        self, principal: Principal, work_id: UUID | None, before: UUID | None, limit: int
    ) -> list[QuarantinedWork]:
        async with self._database.tenant(principal.org_id, audience=principal.audience, readonly=True) as connection:
            rows = await connection.fetch(_SQL.quarantined, principal.org_id, work_id, before, limit)
        return [QuarantinedWork(**row) for row in rows]
