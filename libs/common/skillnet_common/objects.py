"""The object store that keeps originals: a local folder, or S3. Written once, never changed (claim check)."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote, urlparse
from uuid import UUID, uuid4

import obstore
import structlog
from obstore.exceptions import BaseError, NotFoundError
from obstore.store import ObjectStore, from_url

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, RequestError

log = structlog.get_logger(__name__)

_PREFIX = "originals"
_PART = 5 * 1024 * 1024
_READ_PIECE = 256 * 1024


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What was written: its key, SHA-256 and size in bytes."""

    key: str
    sha256: bytes
    size: int


@dataclass(frozen=True, slots=True)
class OpenedObject:
    """An object being read, or a part of it: the size of that in bytes, and its pieces in order."""

    size: int
    pieces: AsyncIterator[bytes]


class Originals:
    """Original files. Keys lead with the organisation and hold a random part: no upload overwrites another."""

    def __init__(self, url: str) -> None:
        parsed = urlparse(url)
        if parsed.scheme == "file":
            Path(unquote(parsed.path)).mkdir(parents=True, exist_ok=True)
        self._store: ObjectStore = from_url(url)

    async def write(self, org_id: UUID, body: AsyncIterator[bytes], *, max_bytes: int) -> StoredObject:
        """Streams the body in while hashing it; nothing is left behind on failure.

        Raises RequestError `payload_too_large` beyond `max_bytes`, PassingFault `unavailable` where the store
        cannot be written, and whatever `body` raises.
        """
        key = f"{_PREFIX}/{org_id}/{uuid4().hex}"
        digest, size = hashlib.sha256(), 0
        writer = obstore.open_writer_async(self._store, key, buffer_size=_PART)
        async with _closed_or_dropped(writer):
            async for piece in body:
                size += len(piece)
                if size > max_bytes:
                    raise RequestError(
                        ErrorCode.PAYLOAD_TOO_LARGE,
                        f"The file is larger than {max_bytes} bytes.",
                        max_bytes=max_bytes,
                    )
                digest.update(piece)
                with _store_faults("written"):
                    await writer.write(piece)
        return StoredObject(key, digest.digest(), size)

    async def read_to(self, key: str, target: Path) -> None:
        """Writes the object to a local file.

        Raises PermanentFault `original_missing` where it is gone, PassingFault `unavailable` where it cannot be read.
        """
        with _read_faults():
            result = await obstore.get_async(self._store, key)
            with target.open("wb") as file:
                async for piece in result.stream():
                    file.write(piece)

    async def open(self, key: str, part: tuple[int, int] | None = None) -> OpenedObject:
        """Opens the object to be streamed, or only the bytes [start, stop) of it; raises as `read_to`."""
        with _read_faults():
            result = await obstore.get_async(self._store, key, options=None if part is None else {"range": part})
        start, stop = result.range
        return OpenedObject(stop - start, _bytes_of(result))

    async def require(self, key: str) -> None:
        """Raises as `read_to` where the object is not there, without reading it."""
        with _read_faults():
            await obstore.head_async(self._store, key)

    async def keys_older_than(self, age: timedelta) -> AsyncIterator[list[tuple[UUID, str]]]:
        """(organisation, key) of every object written longer ago than `age`, a thousand at a time."""
        before = datetime.now(UTC) - age
        async for page in obstore.list(self._store, _PREFIX, chunk_size=1_000):
            yield [(_owner(meta["path"]), meta["path"]) for meta in page if meta["last_modified"] < before]

    async def delete(self, key: str) -> None:
        """Deletes; an object that is gone already is no error. PassingFault `unavailable` where the store refuses."""
        with _store_faults("deleted from"), suppress(NotFoundError, FileNotFoundError):
            await obstore.delete_async(self._store, key)


def _owner(key: str) -> UUID:
    return UUID(key.split("/")[1])


@asynccontextmanager
async def _closed_or_dropped(writer: obstore.AsyncWritableFile) -> AsyncIterator[None]:
    """Completes the object at the end of the block; an error within leaves no object behind."""
    with _store_faults("written"):
        await writer.__aenter__()
    try:
        yield
    except BaseException as error:
        await writer.__aexit__(type(error), error, error.__traceback__)
        raise
    with _store_faults("written"):
        await writer.__aexit__(None, None, None)


@contextmanager
def _store_faults(done: str) -> Iterator[None]:
    """Tells the store's faults from those of whoever sends a body; obstore's own errors are no OSError."""
    try:
        yield
    except (BaseError, OSError) as error:
        # Only the log tells more: the store's own words name folders of the server, and a fault's sentence is shown.
        log.warning("object_store_failed", done=done, error=str(error))
        raise PassingFault(ErrorCode.UNAVAILABLE, f"The object store cannot be {done} for the time being.") from error


@contextmanager
def _read_faults() -> Iterator[None]:
    with _store_faults("read"):
        try:
            yield
        except (NotFoundError, FileNotFoundError) as error:
            raise PermanentFault(
                ErrorCode.ORIGINAL_MISSING, "The original file is no longer in the object store."
            ) from error


async def _bytes_of(result: obstore.GetResult) -> AsyncIterator[bytes]:
    async for piece in result.stream(min_chunk_size=_READ_PIECE):
        yield bytes(piece)
