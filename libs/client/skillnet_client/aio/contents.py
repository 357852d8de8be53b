"""What a version holds: its outline, its chunks and its original file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.downloads import Download
from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import contents as requests
from skillnet_common.contracts.contents import Chunk, ChunkPage, Outline


class AsyncContentCalls(AsyncConnection):
    """All of a version: the one named, else the live one, else the newest."""

    async def outline(self, document_id: UUID, *, version: int | None = None) -> Outline:
        """The tree of sections, in reading order; `contents_missing` where it was not read."""
        return await self._call(requests.outline(document_id, version), Outline)

    async def chunks_page(
        self, document_id: UUID, *, version: int | None = None, cursor: str | None = None, limit: int = 100
    ) -> ChunkPage:
        """One page of chunks, in reading order."""
        return await self._call(requests.chunks(document_id, version, cursor=cursor, limit=limit), ChunkPage)

    async def chunks(self, document_id: UUID, *, version: int | None = None) -> AsyncIterator[Chunk]:
        """Every chunk of one version, page by page, whatever becomes live meanwhile."""
        cursor: str | None = None
        while True:
            page = await self.chunks_page(document_id, version=version, cursor=cursor)
            for chunk in page.chunks:
                yield chunk
            cursor = page.next_cursor
            if cursor is None:
                return

    async def chunk(self, document_id: UUID, chunk_id: UUID) -> Chunk:
        """One chunk, as a passage or a source names it."""
        return await self._call(requests.chunk(document_id, chunk_id), Chunk)

    async def original(self, document_id: UUID, target: Path, *, version: int | None = None) -> None:
        """Writes the original file to `target`: whole, verified, or not at all. Goes on after a broken connection."""
        attempt = 0
        with Download(document_id, version, target) as download:
            while True:
                try:
                    async with self._stream(download.request()) as response:
                        download.begin(response)
                        async for piece in response.aiter_bytes():
                            await asyncio.to_thread(download.write, piece)
                    break
                except SkillnetApiError as error:
                    if not self._retry.goes_on(error, attempt):
                        raise
                await asyncio.sleep(self._retry.pause(attempt))
                attempt += 1
            download.finish()
