"""ZIP containers: refused before anything is unpacked where they could exhaust the machine."""

from __future__ import annotations

import zipfile

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import MEBIBYTE, ParseLimits

_RATIO_FLOOR = 5 * MEBIBYTE
_MAX_REGULAR_BYTES = 40 * MEBIBYTE
_MAX_REGULAR_RATIO = 400
"""Of XML: a hundred thousand paragraphs of one form shrink 300 times, one byte over and over 1,000 times."""
_ENCRYPTED_FLAG = 0x1


def check_archive(archive: zipfile.ZipFile, limits: ParseLimits) -> None:
    """Raises `PermanentFault`: unsafe_archive past a limit, password_required for encrypted entries.

    Reading an entry never yields more than its declared size, so that the declared sizes are a bound.
    """
    entries = archive.infolist()
    if len(entries) > limits.max_archive_entries:
        raise _unsafe(f"it holds {len(entries)} entries, more than {limits.max_archive_entries}")
    if sum(entry.file_size for entry in entries) > limits.max_archive_bytes:
        raise _unsafe(f"unpacked it takes more than {limits.max_archive_bytes // MEBIBYTE} MiB")
    for entry in entries:
        packed = max(entry.compress_size, 1)
        if entry.file_size > _RATIO_FLOOR and entry.file_size > packed * _max_ratio(entry, limits):
            raise _unsafe(f"an entry grows {entry.file_size // packed} times when unpacked")
        if entry.flag_bits & _ENCRYPTED_FLAG:
            raise PermanentFault(
                ErrorCode.PASSWORD_REQUIRED, "The document is protected by a password: save it without one."
            )
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names):
        raise _unsafe("two entries have the same name")


def _max_ratio(entry: zipfile.ZipInfo, limits: ParseLimits) -> int:
    """How many times an entry may grow."""
    if entry.filename.lower().endswith(".xml") and entry.file_size <= _MAX_REGULAR_BYTES:
        return max(limits.max_archive_ratio, _MAX_REGULAR_RATIO)
    return limits.max_archive_ratio


def _unsafe(reason: str) -> PermanentFault:
    return PermanentFault(ErrorCode.UNSAFE_ARCHIVE, f"The file is not safe to open: {reason}.")
