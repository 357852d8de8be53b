"""Bytes to text, without guessing among dozens of code pages.

A byte-order mark decides; else strict UTF-8; else, unless most of it is UTF-8 after all, Windows-1252, the
code page of the Spanish office files that are not UTF-8. Statistical detectors take Spanish in 1252 for 1250
(charset_normalizer#358).
"""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.characters import REPLACEMENT
from skillnet_parser.formats.twice_encoded import mend_twice_encoded

_DAMAGED_UTF8_RATIO = 10
_MIN_PLAIN_SHARE = 0.5  # of letters and spaces, without an accent in any text of a western language
_SAMPLE_BYTES = 8192
_MIN_PAIRS, _MIN_ZEROS = 8, 0.7  # of UTF-16 without a mark
_TWICE = "Accents of the file were encoded twice, and have been mended: check them."
_STRAY_CONTROLS = {0x00: None, 0x0B: " "}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text and what was doubtful about reading it."""

    text: str
    warnings: tuple[str, ...] = ()


def decode_text(data: bytes) -> DecodedText:
    """The text of a file, without zeros and with spaces for vertical tabs. Raises `PermanentFault`: corrupt_file
    where its own byte-order mark is wrong, unsupported_type where it is in no encoding of western languages."""
    decoded = _decode(data)
    text = mend_twice_encoded(decoded.text)
    warnings = decoded.warnings if text == decoded.text else (*decoded.warnings, _TWICE)
    return DecodedText(text.translate(_STRAY_CONTROLS), warnings)


def _decode(data: bytes) -> DecodedText:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                return DecodedText(data.decode(encoding))
            except UnicodeDecodeError as error:
                raise PermanentFault(
                    ErrorCode.CORRUPT_FILE, f"The file says it is {encoding.upper()} but is not valid as such."
                ) from error
    unmarked = unmarked_utf16(data)
    if unmarked is not None:
        return DecodedText(data.decode(unmarked))
    try:
        return DecodedText(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _decode_invalid_utf8(data)


def unmarked_utf16(data: bytes) -> str | None:
    """The encoding of UTF-16 without a byte-order mark, told by the zeros that each letter of a western language
    has in one of its bytes; None of anything else. An odd byte at the end is one that was cut."""
    head = data[: _SAMPLE_BYTES - _SAMPLE_BYTES % 2]
    pairs = len(head) // 2
    if pairs < _MIN_PAIRS or b"\x00" not in head:
        return None
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros.count(0) >= _MIN_ZEROS * pairs:
            text = head[: pairs * 2].decode(encoding, errors="replace")
            if all(char.isprintable() or char.isspace() for char in text):
                return encoding
    return None


def _decode_invalid_utf8(data: bytes) -> DecodedText:
    lenient = data.decode("utf-8", errors="replace")
    broken = lenient.count(REPLACEMENT)
    accented = sum(1 for char in lenient if char > "\x7f") - broken
    if accented > broken * _DAMAGED_UTF8_RATIO:
        return DecodedText(lenient, (f"The file is UTF-8 with {broken} damaged characters.",))
    # Five bytes mean nothing in Windows-1252; they become the replacement character.
    text = data.decode("cp1252", errors="replace")
    plain = sum(1 for char in text if char.isascii() and (char.isalnum() or char.isspace()))
    others = sum(1 for char in text if not (char.isascii() and (char.isprintable() or char.isspace())))
    if plain < _MIN_PLAIN_SHARE * (plain + others):
        raise PermanentFault(
            ErrorCode.UNSUPPORTED_TYPE, "The text is in an encoding that is not supported: save it as UTF-8."
        )
    return DecodedText(text, ("The file is not valid UTF-8 and was read as Windows-1252: check its accents.",))
