"""ZIP archives from anybody: names, sizes and contents are what a stranger wrote."""

from __future__ import annotations

import asyncio
import io
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from skillnet_common.errors import ErrorCode, RequestError
from skillnet_gateway.parameters import FileName

_PIECE = 256 * 1024
_UTF8_NAMES = 0x800
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"[A-Za-z]:")
_DIRECTORY_BYTES_A_FILE = 256
_LEAST_DIRECTORY_BYTES = 1 << 20
_BY_SYSTEMS = frozenset({"__macosx", "thumbs.db", "desktop.ini"})
_DAMAGED = "What the archive holds of this file is damaged."
_FILE_NAME: TypeAdapter[str] = TypeAdapter(FileName)

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
"""Of the others a small piece may unpack, at once, to any size."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an archive. `fault`: why it is not taken; `ignored`: nobody means it to be a document."""

    path: str
    info: zipfile.ZipInfo
    fault: RequestError | None = None
    ignored: bool = False


class Archive:
    """An open archive: `entries` in its own order, folders left out. To be closed."""

    def __init__(self, raw: io.BufferedReader, max_file_bytes: int) -> None:
        self._raw = raw
        self._file = zipfile.ZipFile(raw)
        infos = [info for info in self._file.infolist() if not info.filename.endswith("/")]
        self.entries = _entries(infos, max_file_bytes)

    @property
    def unpacked_bytes(self) -> int:
        """Of all files together. None unpacks to more than the list says: zipfile stops there."""
        return sum(entry.info.file_size for entry in self.entries)

    def close(self) -> None:
        """Closes the file."""
        self._file.close()
        self._raw.close()

    async def pieces(self, entry: Entry) -> AsyncGenerator[bytes, None]:
        """The content of a file, unpacked piece by piece. RequestError `corrupt_file`."""
        try:
            content = await asyncio.to_thread(self._file.open, entry.info)
            with content:
                while piece := await asyncio.to_thread(content.read, _PIECE):
                    yield piece
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise RequestError(ErrorCode.CORRUPT_FILE, _DAMAGED) from error


def open_archive(path: Path, *, max_files: int, max_file_bytes: int, max_unpacked_bytes: int) -> Archive:
    """Reads the list of files. Blocks: to be called in a thread.

    Raises RequestError `unsupported_type` for what is no ZIP, `corrupt_file`, or `payload_too_large` for too many
    files, or too many bytes when unpacked.
    """
    archive = _opened(path, max_files, max_file_bytes)
    if len(archive.entries) > max_files:
        archive.close()
        raise _too_many(max_files)
    if archive.unpacked_bytes > max_unpacked_bytes:
        archive.close()
        raise RequestError(
            ErrorCode.PAYLOAD_TOO_LARGE,
            f"The archive unpacks to more than {max_unpacked_bytes} bytes.",
            max_bytes=max_unpacked_bytes,
        )
    return archive


def _opened(path: Path, max_files: int, max_file_bytes: int) -> Archive:
    raw = _BoundedReads(path, max(_LEAST_DIRECTORY_BYTES, max_files * _DIRECTORY_BYTES_A_FILE), max_files)
    try:
        return Archive(raw, max_file_bytes)
    except BaseException as error:
        raw.close()
        if isinstance(error, zipfile.BadZipFile):
            raise RequestError(ErrorCode.UNSUPPORTED_TYPE, "This is no ZIP archive, or a damaged one.") from error
        if isinstance(error, ValueError | NotImplementedError | OSError | struct.error):
            raise RequestError(ErrorCode.CORRUPT_FILE, "The archive's list of files cannot be read.") from error
        raise


class _BoundedReads(io.BufferedReader):
    """The list of files is read at once: a long one is refused before it is in memory."""

    def __init__(self, path: Path, most: int, max_files: int) -> None:
        super().__init__(io.FileIO(path))
        self._most = most
        self._max_files = max_files
        self._size = path.stat().st_size

    def read(self, size: int | None = -1, /) -> bytes:
        """As of any file; RequestError `payload_too_large` for a read that is too long."""
        wanted = self._size - self.tell() if size is None or size < 0 else size
        if wanted > self._most:
            raise _too_many(self._max_files)
        return super().read(size)


def _too_many(max_files: int) -> RequestError:
    return RequestError(
        ErrorCode.PAYLOAD_TOO_LARGE, f"The archive lists more than {max_files} files.", max_files=max_files
    )


def _entries(infos: Sequence[zipfile.ZipInfo], max_file_bytes: int) -> list[Entry]:
    entries: list[Entry] = []
    seen: set[str] = set()
    for info in infos:
        path = _path(info)
        entry = Entry(path, info, _fault(path, info, max_file_bytes), _is_ignored(path))
        if path in seen:
            entry = Entry(path, info, RequestError(ErrorCode.INVALID_REQUEST, "The archive holds this path twice."))
        seen.add(path)
        entries.append(entry)
    return entries


def _path(info: zipfile.ZipInfo) -> str:
    """The name, in slashes and composed letters. Many archives hold UTF-8 without saying so."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAMES:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            name = info.filename
    return unicodedata.normalize("NFC", name.replace("\\", "/"))


def _is_ignored(path: str) -> bool:
    parts = path.split("/")
    return any(part.lower() in _BY_SYSTEMS or (part.startswith(".") and part not in {".", ".."}) for part in parts)


def _fault(path: str, info: zipfile.ZipInfo, max_file_bytes: int) -> RequestError | None:
    """The first thing that is wrong with it."""
    mode = stat.S_IFMT(info.external_attr >> 16)
    checks = (
        (not _stays_within(path), ErrorCode.UNSAFE_ARCHIVE, "The path does not stay within the archive."),
        (mode not in {0, stat.S_IFREG}, ErrorCode.UNSAFE_ARCHIVE, "This is a link or device, and no file."),
        (
            not _can_be_a_key(path),
            ErrorCode.INVALID_REQUEST,
            "The path cannot be a key: it is too long, or holds odd characters.",
        ),
        (info.header_offset < 0, ErrorCode.CORRUPT_FILE, _DAMAGED),
        (info.flag_bits & _ENCRYPTED, ErrorCode.PASSWORD_REQUIRED, "The file can only be read with a password."),
        (info.compress_type not in _METHODS, ErrorCode.UNSUPPORTED_TYPE, "It is packed by a method not known here."),
        (info.file_size > max_file_bytes, ErrorCode.PAYLOAD_TOO_LARGE, f"It is larger than {max_file_bytes} bytes."),
    )
    return next((RequestError(code, detail) for wrong, code, detail in checks if wrong), None)


def _stays_within(path: str) -> bool:
    parts = path.split("/")
    return all(parts) and not {".", ".."} & set(parts) and not _DRIVE.match(path)


def _can_be_a_key(path: str) -> bool:
    try:
        return _FILE_NAME.validate_python(path) == path
    except ValidationError:
        return False
