"""A file that comes in pieces, maybe over several connections, and has its name only when it is whole."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import UUID, uuid4

import httpx

from skillnet_client.errors import SkillnetApiError
from skillnet_client.requests import ApiRequest
from skillnet_client.requests.contents import original
from skillnet_common.errors import ErrorCode


class Download:
    """An original on its way to `target`; goes on after a break where the file is still the same.

    A context manager: what is not `finish`ed leaves nothing behind.
    """

    def __init__(self, document_id: UUID, version: int | None, target: Path) -> None:
        self._document_id = document_id
        self._version = version
        self._target = target
        self._part = target.with_name(f".{target.name[:100]}.{uuid4().hex}.part")
        self._etag: str | None = None

    def __enter__(self) -> Self:
        self._file = self._part.open("xb")
        self._digest = hashlib.sha256()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def request(self) -> ApiRequest:
        """What to ask for next: all, or the rest."""
        return original(self._document_id, self._version, start=self._file.tell(), etag=self._etag)

    def begin(self, response: httpx.Response) -> None:
        """Takes in the headers of a reply: the whole file begins anew, a part of it goes on."""
        if response.status_code != httpx.codes.PARTIAL_CONTENT:
            self._file.seek(0)
            self._file.truncate()
            self._digest = hashlib.sha256()
        self._etag = response.headers.get("etag")

    def write(self, piece: bytes) -> None:
        """Takes in a piece of the body."""
        self._file.write(piece)
        self._digest.update(piece)

    def finish(self) -> None:
        """Puts the file in its place. SkillnetApiError `internal_error` where it is not what was uploaded."""
        if self._etag is not None and self._etag.strip('"') != self._digest.hexdigest():
            raise SkillnetApiError(ErrorCode.INTERNAL_ERROR, None, "The file did not arrive as it was uploaded.")
        self._file.close()
        self._part.replace(self._target)
