"""Follows a document until its newest version has ended. No connection to the database is held in between."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from skillnet_common.auth import Principal
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.contracts.progress import Ending, ProgressEvent, ProgressKind
from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_gateway.documents import Documents
from skillnet_gateway.settings import GatewaySettings

Verify = Callable[[], Awaitable[Principal]]
"""Who follows, as long as the key holds."""

_SLOWER = 1.5
_SLOWEST = 4
"""While nothing changes looks become rarer, up to this many times the usual pause."""


class ProgressStreams:
    """The streams of one gateway: bounded in number, for all together and for each organisation, and in time."""

    def __init__(self, documents: Documents, settings: GatewaySettings) -> None:
        self._documents = documents
        self._poll_seconds = settings.progress_poll_seconds
        self._stream_seconds = settings.progress_stream_seconds
        self._most = settings.progress_streams
        self._most_of_one = settings.progress_streams_per_organization
        self._open: Counter[UUID] = Counter()
        self._closing = asyncio.Event()

    @contextmanager
    def place(self, org_id: UUID) -> Iterator[None]:
        """Room for one stream. PassingFault `unavailable` where there is none."""
        if self._open.total() >= self._most or self._open[org_id] >= self._most_of_one:
            raise PassingFault(
                ErrorCode.UNAVAILABLE, "Too many documents are being followed just now; ask for the document itself."
            )
        self._open[org_id] += 1
        try:
            yield
        finally:
            self._open[org_id] -= 1
            if not self._open[org_id]:
                del self._open[org_id]

    @property
    def open_streams(self) -> int:
        """How many there are."""
        return self._open.total()

    def close(self) -> None:
        """Ends every stream, so that the gateway can stop; readers go on at another one."""
        self._closing.set()

    async def look(self, principal: Principal, document_id: UUID) -> ProgressEvent:
        """How far the document is now."""
        document = await self._documents.summary(principal, document_id)
        if document is None:
            return ProgressEvent(
                kind=ProgressKind.ENDED, event_id="deleted", document_id=document_id, ending=Ending.DELETED
            )
        return _event(document)

    async def follow(
        self, verify: Verify, first: ProgressEvent, last_event_id: str | None
    ) -> AsyncGenerator[ProgressEvent, None]:
        """The state `first`, unless it is the one that the reader has, and every later one that a look finds.

        `verify` is asked before each look. Ends with `ended`, or without it after a while: the reader comes again.
        Raises what `verify` raises: RequestError `unauthorized` once the key holds no longer.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + self._stream_seconds
        event, seen, pause = first, last_event_id, self._poll_seconds
        while True:
            if event.event_id != seen:
                yield event
                seen, pause = event.event_id, self._poll_seconds
            if event.kind is ProgressKind.ENDED or clock() >= deadline:
                return
            if await self._closes_within(pause):
                return
            pause = min(pause * _SLOWER, self._poll_seconds * _SLOWEST)
            event = await self.look(await verify(), first.document_id)

    async def _closes_within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._closing.wait()
        except TimeoutError:
            return False
        return True


def _event(document: DocumentSummary) -> ProgressEvent:
    ended = document.is_settled
    return ProgressEvent(
        kind=ProgressKind.ENDED if ended else ProgressKind.PROGRESS,
        event_id=_state_id(document),
        document_id=document.document_id,
        version=document.newest_version,
        state=document.newest_state,
        progress=document.progress,
        ending=Ending(document.newest_state) if ended else None,
        failure=document.failure,
        warnings=document.warnings,
    )


def _state_id(document: DocumentSummary) -> str:
    parts = [str(document.newest_version), document.newest_state.value]
    if document.progress is not None:
        progress = document.progress
        parts += [str(progress.batches_done), str(progress.batches_total), str(progress.waiting_ahead)]
    return ".".join(parts)
