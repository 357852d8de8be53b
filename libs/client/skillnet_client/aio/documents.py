"""Calls on documents: the part of the asynchronous client that everybody uses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from uuid import UUID

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import UploadOptions, uploads
from skillnet_client.requests import documents as requests
from skillnet_client.settling import OnProgress, Settling
from skillnet_common.contracts.documents import (
    DocumentDetail,
    DocumentPage,
    DocumentStatus,
    DocumentSummary,
    UploadReply,
)
from skillnet_common.errors import ErrorCode


class AsyncDocumentCalls(AsyncConnection):
    """What is done with documents."""

    async def upload(self, file: Path | bytes, options: UploadOptions | None = None) -> UploadReply:
        """Sends a file as a document, or as the next version of the one with its key and source."""
        return await self._call(uploads.upload(file, options or UploadOptions()), UploadReply)

    async def upload_version(
        self, document_id: UUID, file: Path | bytes, options: UploadOptions | None = None
    ) -> UploadReply:
        """Sends a file as the next version of a known document."""
        return await self._call(uploads.upload_version(document_id, file, options or UploadOptions()), UploadReply)

    async def documents_page(
        self,
        *,
        cursor: str | None = None,
        limit: int = 100,
        status: DocumentStatus | None = None,
        course_id: str | None = None,
        source: str | None = None,
        external_key: str | None = None,
        ids: Sequence[UUID] = (),
    ) -> DocumentPage:
        """One page of documents, last created first; `ids` (at most 100) limits it to these."""
        request = requests.documents(
            cursor=cursor,
            limit=limit,
            status=status,
            course_id=course_id,
            source=source,
            external_key=external_key,
            ids=ids,
        )
        return await self._call(request, DocumentPage)

    async def documents(
        self,
        *,
        status: DocumentStatus | None = None,
        course_id: str | None = None,
        source: str | None = None,
        external_key: str | None = None,
    ) -> AsyncIterator[DocumentSummary]:
        """Every document, page by page."""
        cursor: str | None = None
        while True:
            page = await self.documents_page(
                cursor=cursor, status=status, course_id=course_id, source=source, external_key=external_key
            )
            for document in page.documents:
                yield document
            cursor = page.next_cursor
            if cursor is None:
                return

    async def document(self, document_id: UUID) -> DocumentDetail:
        """A document with its versions."""
        return await self._call(requests.document(document_id), DocumentDetail)

    async def original(self, document_id: UUID, target: Path, *, version: int | None = None) -> None:
        """Writes the original file of a version (the live one unless named) to `target`."""
        request = requests.original(document_id, version)
        async with self._stream(request) as response:
            with target.open("wb") as file:
                async for piece in response.aiter_bytes():
                    await asyncio.to_thread(file.write, piece)

    async def delete(self, document_id: UUID) -> None:
        """Deletes a document with all its versions."""
        await self._send(requests.delete(document_id))

    async def cancel(self, document_id: UUID, version: int) -> None:
        """Ends a version under way; the live one keeps serving."""
        await self._send(requests.cancel(document_id, version))

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
