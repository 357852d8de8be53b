"""Calls on work that was given up."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from skillnet_client.requests import quarantine as requests
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply


class QuarantineCalls(Connection):
    """What administrators do with quarantined work: all need a key with the scope `admin`."""

    def quarantine_page(self, *, cursor: str | None = None, limit: int = 100) -> QuarantinePage:
        """One page of quarantined work, newest first."""
        return self._call(requests.page(cursor, limit), QuarantinePage)

    def quarantine(self) -> Iterator[QuarantinedWork]:
        """All quarantined work, page by page."""
        cursor: str | None = None
        while True:
            page = self.quarantine_page(cursor=cursor)
            yield from page.work
            cursor = page.next_cursor
            if cursor is None:
                return

    def quarantined(self, work_id: UUID) -> QuarantinedWork:
        """One piece of quarantined work."""
        return self._call(requests.one(work_id), QuarantinedWork)

    def replay(self, work_id: UUID) -> ReplayReply:
        """Tries it again; refused with `not_quarantined` or `version_outrun` where that makes no sense."""
        return self._call(requests.replay(work_id), ReplayReply)
