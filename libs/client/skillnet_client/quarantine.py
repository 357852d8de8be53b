"""Calls on work that was given up: the part of both clients that administrators use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator
from uuid import UUID

from skillnet_client.requests import ApiRequest, Params
from skillnet_client.responses import Reply
from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply

_PATH = "/v1/quarantine"


class QuarantineCalls(ABC):
    """Of the synchronous client. All need a key with the scope `admin`."""

    @abstractmethod
    def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply: ...

    def quarantine_page(self, *, cursor: str | None = None, limit: int = 100) -> QuarantinePage:
        """One page of quarantined work, newest first."""
        return self._call(_page(cursor, limit), QuarantinePage)

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
        return self._call(_one(work_id), QuarantinedWork)

    def replay(self, work_id: UUID) -> ReplayReply:
        """Tries it again; refused with `not_quarantined` or `version_outrun` where that makes no sense."""
        return self._call(_replay(work_id), ReplayReply)


class AsyncQuarantineCalls(ABC):
    """Of the asynchronous client. All need a key with the scope `admin`."""

    @abstractmethod
    async def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply: ...

    async def quarantine_page(self, *, cursor: str | None = None, limit: int = 100) -> QuarantinePage:
        """One page of quarantined work, newest first."""
        return await self._call(_page(cursor, limit), QuarantinePage)

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
        return await self._call(_one(work_id), QuarantinedWork)

    async def replay(self, work_id: UUID) -> ReplayReply:
        """Tries it again; refused with `not_quarantined` or `version_outrun` where that makes no sense."""
        return await self._call(_replay(work_id), ReplayReply)


def _page(cursor: str | None, limit: int) -> ApiRequest:
    params: Params = [("limit", limit)]
    if cursor is not None:
        params.append(("cursor", cursor))
    return ApiRequest("GET", _PATH, params)


def _one(work_id: UUID) -> ApiRequest:
    return ApiRequest("GET", f"{_PATH}/{work_id}")


def _replay(work_id: UUID) -> ApiRequest:
    # Not repeatable: a second one would be refused though the first, whose reply was lost, did it.
    return ApiRequest("POST", f"{_PATH}/{work_id}/replay", repeatable=False)
