"""The file of an upload: read anew for every attempt, never whole in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class UploadContent:
    """A file on disk, or bytes in memory."""

    source: Path | bytes

    @property
    def size(self) -> int:
        """In bytes, now."""
        return len(self.source) if isinstance(self.source, bytes) else self.source.stat().st_size

    def pieces(self) -> Iterator[bytes]:
        """The content from its beginning."""
        if isinstance(self.source, bytes):
            yield self.source
            return
        with self.source.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece

    async def pieces_async(self) -> AsyncIterator[bytes]:
        """As `pieces`, without blocking the event loop."""
        if isinstance(self.source, bytes):
            yield self.source
            return
        file = await asyncio.to_thread(self.source.open, "rb")
        try:
            while piece := await asyncio.to_thread(file.read, _PIECE):
                yield piece
        finally:
            file.close()
