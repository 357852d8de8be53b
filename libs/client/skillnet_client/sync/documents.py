"""Calls on documents: the part of the synchronous client that everybody uses."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from uuid import UUID

from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import UploadOptions, uploads
from skillnet_client.requests import documents as requests
from skillnet_client.settling import OnProgress, Settling
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.documents import (
    DocumentDetail,
    DocumentPage,
    DocumentStatus,
    DocumentSummary,
    UploadReply,
)
from skillnet_common.errors import ErrorCode


class DocumentCalls(Connection):
    """What is done with documents."""

    def upload(self, file: Path | bytes, options: UploadOptions | None = None) -> UploadReply:
        """Sends a file as a document, or as the next version of the one with its key and source."""
        return self._call(uploads.upload(file, options or UploadOptions()), UploadReply)

    def upload_version(
        self, document_id: UUID, file: Path | bytes, options: UploadOptions | None = None
    ) -> UploadReply:
        """Sends a file as the next version of a known document."""
        return self._call(uploads.upload_version(document_id, file, options or UploadOptions()), UploadReply)

    def documents_page(
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
        return self._call(request, DocumentPage)

    def documents(
        self,
        *,
        status: DocumentStatus | None = None,
        course_id: str | None = None,
        source: str | None = None,
        external_key: str | None = None,
    ) -> Iterator[DocumentSummary]:
        """Every document, page by page."""
        cursor: str | None = None
        while True:
            page = self.documents_page(
                cursor=cursor, status=status, course_id=course_id, source=source, external_key=external_key
            )
            yield from page.documents
            cursor = page.next_cursor
            if cursor is None:
                return

    def document(self, document_id: UUID) -> DocumentDetail:
        """A document with its versions."""
        return self._call(requests.document(document_id), DocumentDetail)

    def original(self, document_id: UUID, target: Path, *, version: int | None = None) -> None:
        """Writes the original file of a version (the live one unless named) to `target`."""
        request = requests.original(document_id, version)
        with self._stream(request) as response, target.open("wb") as file:
            for piece in response.iter_bytes():
                file.write(piece)

    def delete(self, document_id: UUID) -> None:
        """Deletes a document with all its versions."""
        self._send(requests.delete(document_id))

    def cancel(self, document_id: UUID, version: int) -> None:
        """Ends a version under way; the live one keeps serving."""
        self._send(requests.cancel(document_id, version))

    def wait_until_settled(
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
        deadline = None if timeout is None else time.monotonic() + timeout
        settling = Settling(ids, on_progress)
        while not settling.is_over:
            settling.observe(
                [one for batch in settling.batches() for one in self.documents_page(ids=batch).documents]
            )
            if settling.is_over:
                break
            if deadline is not None and time.monotonic() >= deadline:
                raise SkillnetApiError(ErrorCode.TIMEOUT, None, f"Not every document had ended in {timeout:g} s.")
            time.sleep(poll_seconds)
        return settling.seen
