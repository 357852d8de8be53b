"""What a version holds: its outline, its chunks and its original file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from skillnet_client.downloads import Download
from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import contents as requests
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.contents import Chunk, ChunkPage, Outline


class ContentCalls(Connection):
    """All of a version: the one named, else the live one, else the newest."""

    def outline(self, document_id: UUID, *, version: int | None = None) -> Outline:
        """The tree of sections, in reading order; `contents_missing` where it was not read."""
        return self._call(requests.outline(document_id, version), Outline)

    def chunks_page(
        self, document_id: UUID, *, version: int | None = None, cursor: str | None = None, limit: int = 100
    ) -> ChunkPage:
        """One page of chunks, in reading order."""
        return self._call(requests.chunks(document_id, version, cursor=cursor, limit=limit), ChunkPage)

    def chunks(self, document_id: UUID, *, version: int | None = None) -> Iterator[Chunk]:
        """Every chunk of one version, page by page, whatever becomes live meanwhile."""
        cursor: str | None = None
        while True:
            page = self.chunks_page(document_id, version=version, cursor=cursor)
            yield from page.chunks
            cursor = page.next_cursor
            if cursor is None:
                return

    def chunk(self, document_id: UUID, chunk_id: UUID) -> Chunk:
        """One chunk, as a passage or a source names it."""
        return self._call(requests.chunk(document_id, chunk_id), Chunk)

    def original(self, document_id: UUID, target: Path, *, version: int | None = None) -> None:
        """Writes the original file to `target`: whole, verified, or not at all. Goes on after a broken connection."""
        attempt = 0
        with Download(document_id, version, target) as download:
            while True:
                try:
                    with self._stream(download.request()) as response:
                        download.begin(response)
                        for piece in response.iter_bytes():
                            download.write(piece)
                    break
                except SkillnetApiError as error:
                    if not self._retry.goes_on(error, attempt):
                        raise
                time.sleep(self._retry.pause(attempt))
                attempt += 1
            download.finish()
