"""Text of the wrong letters: fonts that call each glyph by another letter's name."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[^\W\d_]{5,}")
_MIXED_CASE = re.compile(r"[a-z][A-Z]")
_VOWELS = frozenset("aeiouy")
_MIN_WORDS = 40
_MIN_VOWELS = 0.3  # of the letters; languages in Latin letters have 0.36 to 0.5


def is_soup(text: str) -> bool:
    """Whether letters stand for other letters all through a text of 40 words or more: then vowels are rare.

    A substitution that leaves vowels as frequent as they are in words is not seen. Codes in mixed case (base64) and
    short ones (abbreviations) are no words.
    """
    words = [word for word in _WORD.findall(text) if not _MIXED_CASE.search(word)]
    if len(words) < _MIN_WORDS:
        return False
    letters = unicodedata.normalize("NFD", "".join(words).casefold())
    latin = [letter for letter in letters if "a" <= letter <= "z"]
    if 2 * len(latin) < sum(map(len, words)):
        return False  # another script
    return sum(letter in _VOWELS for letter in latin) < _MIN_VOWELS * len(latin)
