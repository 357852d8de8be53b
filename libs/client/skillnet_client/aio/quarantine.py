"""Calls on work that was given up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.requests import quarantine as requests
from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply


class AsyncQuarantineCalls(AsyncConnection):
    """What administrators do with quarantined work: all need a key with the scope `admin`."""

    async def quarantine_page(self, *, cursor: str | None = None, limit: int = 100) -> QuarantinePage:
        """One page of quarantined work, newest first."""
        return await self._call(requests.page(cursor, limit), QuarantinePage)

    async def quarantine(self) -> AsyncIterator[QuarantinedWork]:
        """All quarantined work, page by page."""
        cursor: str | None = None
        while True:
            page = await self.quarantine_page(cursor=cursor)
            for work in page.work:
                yield work
            cursor = page.next_cursor
            if cursor is None:
                return

    async def quarantined(self, work_id: UUID) -> QuarantinedWork:
        """One piece of quarantined work."""
        return await self._call(requests.one(work_id), QuarantinedWork)

    async def replay(self, work_id: UUID) -> ReplayReply:
        """Tries it again; refused with `not_quarantined` or `version_outrun` where that makes no sense."""
        return await self._call(requests.replay(work_id), ReplayReply)
