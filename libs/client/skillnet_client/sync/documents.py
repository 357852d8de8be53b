"""Calls on documents: the part of the synchronous client that everybody uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Unpack
from uuid import UUID

from skillnet_client.requests import DocumentFilters, UploadOptions, uploads
from skillnet_client.requests import documents as requests
from skillnet_client.responses import cut_short, read_line
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.bulk import BulkFile, BulkSummary
from skillnet_common.contracts.documents import (
    DocumentChange,
    DocumentDetail,
    DocumentPage,
    DocumentSummary,
    UploadReply,
)
from skillnet_common.contracts.reprocessing import ReprocessReply, ReprocessRequest


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

    def upload_archive(
        self, archive: Path | bytes, options: UploadOptions | None = None
    ) -> Iterator[BulkFile | BulkSummary]:
        """Sends a ZIP archive of files, each a document with its path as its key: a line each, then the summary.

        `options` hold for every file, and name none. After a break send the archive again.
        """
        with self._stream(uploads.upload_archive(archive, options or UploadOptions())) as response:
            for text in response.iter_lines():
                line = read_line(text)
                if line is not None:
                    yield line
                if isinstance(line, BulkSummary):
                    return
        raise cut_short()

    def documents_page(
        self,
        *,
        cursor: str | None = None,
        limit: int = 100,
        ids: Sequence[UUID] = (),
        **filters: Unpack[DocumentFilters],
    ) -> DocumentPage:
        """One page of documents, last created first; `ids` (at most 100) limits it to these."""
        request = requests.documents(cursor=cursor, limit=limit, ids=ids, filters=filters)
        return self._call(request, DocumentPage)

    def documents(self, **filters: Unpack[DocumentFilters]) -> Iterator[DocumentSummary]:
        """Every document, page by page."""
        cursor: str | None = None
        while True:
            page = self.documents_page(cursor=cursor, **filters)
            yield from page.documents
            cursor = page.next_cursor
            if cursor is None:
                return

    def document(self, document_id: UUID) -> DocumentDetail:
        """A document with its versions."""
        return self._call(requests.document(document_id), DocumentDetail)

    def change_document(self, document_id: UUID, change: DocumentChange) -> DocumentDetail:
        """Changes what is said of a document, without a new version."""
        return self._call(requests.change(document_id, change), DocumentDetail)

    def reprocess(self, request: ReprocessRequest | None = None) -> ReprocessReply:
        """Reads or cuts anew what an older pipeline made, a portion at a time; needs the scope `admin`."""
        return self._call(requests.reprocess(request or ReprocessRequest()), ReprocessReply)

    def delete(self, document_id: UUID) -> None:
        """Deletes a document with all its versions."""
        self._send(requests.delete(document_id))

    def cancel(self, document_id: UUID, version: int) -> None:
        """Ends a version under way; the live one keeps serving."""
        self._send(requests.cancel(document_id, version))
