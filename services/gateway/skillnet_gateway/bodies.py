"""The body of a request while it arrives."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

from skillnet_common.errors import ErrorCode, PassingFault, RequestError


def require_size(content_length: str | None, max_bytes: int) -> None:
    """Refuses a body by its announced length, before it is sent: RequestError `payload_too_large`."""
    if content_length is not None and content_length.isdigit() and int(content_length) > max_bytes:
        raise _too_large(max_bytes)


async def watched(body: AsyncIterator[bytes], idle_seconds: float) -> AsyncIterator[bytes]:
    """The body's pieces. RequestError `empty_file` for none, `timeout` where it stops coming."""
    empty = True
    while True:
        try:
            async with asyncio.timeout(idle_seconds):
                piece = await anext(body, None)
        except TimeoutError as error:
            raise RequestError(
                ErrorCode.TIMEOUT, f"Nothing was sent for {idle_seconds:g} s; the upload was given up."
            ) from error
        if piece is None:
            break
        if piece:
            empty = False
            yield piece
    if empty:
        raise RequestError(ErrorCode.EMPTY_FILE, "The file is empty.")


@contextmanager
def temporary_file() -> Iterator[Path]:
    """A path that is gone after the block. PassingFault `unavailable` where the disk takes no file."""
    try:
        file = tempfile.NamedTemporaryFile(prefix="skillnet-", delete=False)  # noqa: SIM115 - closed at once
    except OSError as error:
        raise _no_room(error) from error
    file.close()
    path = Path(file.name)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


async def spool(body: AsyncIterator[bytes], path: Path, *, max_bytes: int) -> None:
    """Writes the body to disk. RequestError `payload_too_large`, PassingFault `unavailable` for a full disk."""
    size = 0
    with path.open("wb") as file:
        async for piece in body:
            size += len(piece)
            if size > max_bytes:
                raise _too_large(max_bytes)
            try:
                await asyncio.to_thread(file.write, piece)
            except OSError as error:
                raise _no_room(error) from error


def _too_large(max_bytes: int) -> RequestError:
    return RequestError(
        ErrorCode.PAYLOAD_TOO_LARGE, f"The file is larger than {max_bytes} bytes.", max_bytes=max_bytes
    )


def _no_room(error: OSError) -> PassingFault:
    return PassingFault(ErrorCode.UNAVAILABLE, f"The file cannot be kept for the time being: {error.strerror}.")
