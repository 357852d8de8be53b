"""Conditions and ranges of a request for a file (RFC 9110, sections 13 and 14)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from skillnet_common.errors import ErrorCode, RequestError

_ONE_RANGE = re.compile(r"bytes=[ \t]*([0-9]*)-([0-9]*)[ \t]*", re.IGNORECASE)
_TAG = re.compile(r'(?:W/)?("[^"]*")')
_MOST_DIGITS = 18
_BEYOND_ANY_FILE = 10**_MOST_DIGITS


@dataclass(frozen=True, slots=True)
class ByteRange:
    """The bytes [start, stop) of a file of `size` bytes."""

    start: int
    stop: int
    size: int

    @property
    def content_range(self) -> str:
        """The value of the header `Content-Range`."""
        return f"bytes {self.start}-{self.stop - 1}/{self.size}"


def is_known(if_none_match: str | None, etag: str) -> bool:
    """Whether the caller has the file already: `If-None-Match` lists its tag, weak or not, or is `*`."""
    if if_none_match is None:
        return False
    return if_none_match.strip() == "*" or etag in _TAG.findall(if_none_match)


def requested_range(header: str | None, if_range: str | None, etag: str, size: int) -> ByteRange | None:
    """The one range asked for; None for the whole file: without the header, with one that has not its form, with
    several ranges, and where `If-Range` names another tag (or a date: files have none).

    Raises RequestError `range_not_satisfiable` for a range outside the file.
    """
    if header is None or (if_range is not None and if_range.strip() != etag):
        return None
    form = _ONE_RANGE.fullmatch(header.strip())
    if form is None or form.groups() == ("", ""):
        return None
    first, last = (_number(digits) if digits else None for digits in form.groups())
    if first is None:
        start, stop = max(0, size - (last or 0)), size
    elif last is not None and last < first:
        return None
    else:
        start, stop = first, size if last is None else min(last + 1, size)
    if start >= stop:
        raise RequestError(
            ErrorCode.RANGE_NOT_SATISFIABLE, f"The file has {size} bytes, and none in this range.", size=size
        )
    return ByteRange(start, stop, size)


def _number(digits: str) -> int:
    """Of however many digits: beyond any file, all are alike."""
    return int(digits) if len(digits.lstrip("0")) <= _MOST_DIGITS else _BEYOND_ANY_FILE
