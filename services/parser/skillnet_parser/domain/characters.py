"""Clean characters: what may stand in the canonical text, and what a glyph without a code means."""

from __future__ import annotations

import re
import unicodedata

SOFT_HYPHEN = "\u00ad"
REPLACEMENT = "\ufffd"

_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# Bullets of the Symbol and Wingdings fonts, which word processors store as private-use characters.
_PRIVATE_BULLETS = (0xF0B7, 0xF0A7, 0xF0A8, 0xF0D8, 0xF0FC, 0xF076, 0xF06E, 0xF06C, 0xF0E0, 0xF02D, 0xF0BE)

_VISIBLE_FORMAT_CHARACTERS = frozenset({*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x08E2})


def _build_table() -> dict[int, str | None]:
    table: dict[int, str | None] = dict.fromkeys(range(0xD800, 0xF900))  # surrogates and private use
    for code in range(0x3001):
        category = unicodedata.category(chr(code))
        if category in ("Cc", "Cf") and code not in _VISIBLE_FORMAT_CHARACTERS:
            # Cf holds zero-width characters, the soft hyphen and bidirectional controls, through which
            # text can be hidden from a reader or shown in an order that is not its own.
            table[code] = None
        elif category == "Zs":
            table[code] = " "
    table |= dict.fromkeys((0x2065, 0xFEFF, 0xFFF9, 0xFFFA, 0xFFFB, 0xFFFE, 0xFFFF))  # U+2065: unassigned, unseen
    table |= dict.fromkeys(range(0xE0000, 0xE0080))  # tag characters: invisible text
    table |= {0x09: "\t", 0x0A: "\n", 0x0B: "\n", 0x0C: "\n", 0x85: "\n", 0x2028: "\n", 0x2029: "\n"}
    table |= dict.fromkeys(_PRIVATE_BULLETS, "•")
    table |= _LIGATURES
    return table


_TABLE = _build_table()
_ORNAMENT = re.compile(rf"(?<!\S){REPLACEMENT}+(?!\S)")
_SPACES = re.compile(r"[ \t]+")


def clean_characters(text: str) -> str:
    """NFC text without controls, surrogates, zero-width and bidirectional characters, soft hyphens and
    private-use glyphs; every kind of space becomes a plain one, ligatures their letters. Tabs and newlines
    stay."""
    if text.isascii() and text.isprintable():
        return text
    cleaned = text.replace("\r\n", "\n").translate(_TABLE)
    return cleaned if unicodedata.is_normalized("NFC", cleaned) else unicodedata.normalize("NFC", cleaned)


def collapse_spaces(text: str) -> str:
    """Runs of spaces and tabs become one space; none at either end."""
    return _SPACES.sub(" ", text).strip()


def count_unreadable(text: str) -> int:
    """How many characters hide part of the text: each stands for a glyph whose meaning the file does not give.

    Glyphs that stand by themselves beside readable text (leaders, bullets, ornaments) hide nothing.
    """
    unknown = sum(map(_is_unknown, text))
    if not unknown:
        return 0
    readable = sum(not char.isspace() for char in text) - unknown
    if unknown > readable:
        return unknown
    return sum(sum(map(_is_unknown, word)) for word in text.split() if any(map(str.isalnum, word)))


def drop_ornaments(text: str) -> str:
    """The text without words made of unknown glyphs alone."""
    return _ORNAMENT.sub(" ", text) if REPLACEMENT in text else text


def _is_unknown(char: str) -> bool:
    if char == REPLACEMENT or (char < " " and char not in "\t\n\v\f\r") or "\x7f" <= char <= "\x9f":
        return True
    return "\ue000" <= char <= "\uf8ff" and ord(char) not in _PRIVATE_BULLETS
