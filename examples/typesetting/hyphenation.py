"""Where a Spanish or Portuguese word may be broken at a line's end.

Both languages hyphenate by syllable: one consonant goes with the vowel after it, groups such as `bl` or `tr`
stay together, and two vowels are never parted here (allowed in a hiatus, but never necessary).
"""

from __future__ import annotations

VOWELS = set("aeiouáéíóúüàâêôãõ")
LIQUID_GROUPS = {first + second for first in "bcdfgpt" for second in "lr"} - {"dl", "tl"}
INSEPARABLE = {
    "es": LIQUID_GROUPS | {"ch", "ll", "rr"},
    "pt": LIQUID_GROUPS | {"ch", "lh", "nh"},
}
MIN_BEFORE = 3
MIN_AFTER = 3


def break_points(word: str, language: str) -> list[int]:
    """Offsets at which `word` (letters only) may be broken, ascending.

    Empty for a language without rules here, and for words that are not plain lower-case text: codes,
    names and acronyms are never broken.
    """
    groups = INSEPARABLE.get(language)
    if groups is None or not word.isalpha() or not word[1:].islower():
        return []
    lower = word.lower()
    points = []
    start = 0
    while (cluster := _next_cluster(lower, start)) is not None:
        begin, end = cluster
        point = end - (2 if lower[max(begin, end - 2) : end] in groups else 1)
        if MIN_BEFORE <= point <= len(word) - MIN_AFTER:
            points.append(point)
        start = end
    return points


def _next_cluster(word: str, start: int) -> tuple[int, int] | None:
    """The next run of consonants that has a vowel on both sides, from `start` on."""
    position = start
    while position < len(word):
        if word[position] in VOWELS:
            position += 1
            continue
        end = position
        while end < len(word) and word[end] not in VOWELS:
            end += 1
        if position > 0 and end < len(word):
            return position, end
        position = end
    return None
