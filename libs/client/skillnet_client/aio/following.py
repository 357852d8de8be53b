"""Following documents until they have ended."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from uuid import UUID

from skillnet_client.aio.documents import AsyncDocumentCalls
from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import documents as requests
from skillnet_client.responses import read_event
from skillnet_client.settling import OnProgress, Settling
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.contracts.progress import ProgressEvent, ProgressKind
from skillnet_common.errors import ErrorCode


class AsyncFollowingCalls(AsyncDocumentCalls):
    """One document event by event, or many by looking."""

    async def progress(self, document_id: UUID) -> AsyncIterator[ProgressEvent]:
        """Every change of a document until its newest version has ended, told by the last event.

        Goes on after a broken connection, with what comes next.
        """
        last: str | None = None
        attempt = 0
        while True:
            try:
                async with self._stream(requests.progress(document_id, last)) as response:
                    async for line in response.aiter_lines():
                        event = read_event(line, ProgressEvent)
                        if event is None:
                            continue
                        last, attempt = event.event_id, 0
                        yield event
                        if event.kind is ProgressKind.ENDED:
                            return
            except SkillnetApiError as error:
                if not self._retry.goes_on(error, attempt):
                    raise
                await asyncio.sleep(self._retry.pause(attempt))
                attempt += 1
            else:
                await asyncio.sleep(self._retry.pause(0))

    async def wait_until_settled(
        self,
        ids: Iterable[UUID],
        on_progress: OnProgress | None = None,
        *,
        timeout: float | None = None,
        poll_seconds: float = 0.5,
    ) -> dict[UUID, DocumentSummary]:
        """Waits until the newest version of every document has ended, well or badly.

        Returns what they came to; a document deleted meanwhile is missing. Raises SkillnetApiError `timeout`
        after `timeout` seconds.
        """
        deadline = None if timeout is None else asyncio.get_running_loop().time() + timeout
        settling = Settling(ids, on_progress)
        while not settling.is_over:
            settling.observe(
                [one for batch in settling.batches() for one in (await self.documents_page(ids=batch)).documents]
            )
            if settling.is_over:
                break
            if deadline is not None and asyncio.get_running_loop().time() >= deadline:
                raise SkillnetApiError(ErrorCode.TIMEOUT, None, f"Not every document had ended in {timeout:g} s.")
            await asyncio.sleep(poll_seconds)
        return settling.seen
