"""Bytes of HTML to text: byte-order mark, valid UTF-8, the charset that the file names, Windows-1252."""

from __future__ import annotations

import codecs
import re

from skillnet_parser.formats.text_encoding import DecodedText, decode_text

_HEAD_BYTES = 8192
_CHARSET = re.compile(rb"<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
# Encodings of the web, byte by byte. What calls itself UTF-16 in ASCII is none, and Python lists more than encodings.
_OF_TEXT = re.compile(r"iso8859|iso2022|cp\d|koi8|shift_jis|euc_|gb\d|gbk|big5|mac|hz$|tis")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ESCAPE = b"\x1b"
_LATIN = frozenset({"ascii", "iso8859-1"})  # browsers read them as Windows-1252 (WHATWG, Encoding)


def decode_html(data: bytes) -> DecodedText:
    """The text of an HTML file. Raises what `decode_text` raises.

    Valid UTF-8 goes before a charset that contradicts it, which templates often leave behind; not where escape
    sequences say that the bytes are of a seven-bit encoding.
    """
    named = None if data.startswith((codecs.BOM_UTF8, *_UTF16_MARKS)) else _named_encoding(data)
    if named is None or (_ESCAPE not in data and _is_utf8(data)):
        return decode_text(data)
    try:
        return DecodedText(data.decode(named))
    except UnicodeDecodeError:
        return decode_text(data)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _named_encoding(data: bytes) -> str | None:
    match = _CHARSET.search(data[:_HEAD_BYTES])
    if match is None:
        return None
    try:
        name = codecs.lookup(match[1].decode("ascii", errors="replace")).name
    except LookupError:
        return None
    if name in _LATIN:
        return "cp1252"
    return name if _OF_TEXT.match(name) else None
