"""Words that are one typing error away from another."""

from __future__ import annotations

import string

from skillnet_common.text.words import STOP_WORDS, fold

_SHORTEST, _LONGEST = 4, 30
_COMMON = STOP_WORDS | {"numa", "numas", "nuns", "onde", "quais", "quanta", "quantas", "quanto", "quantos", "quem"}
"""Words of any question, which are no errors where no document holds them: Spanish, English, Portuguese."""
_LETTERS = string.ascii_lowercase


def near_words(word: str) -> list[str]:
    """All words at Damerau-Levenshtein distance 1 of the folded word: two neighbours exchanged, a letter missing, one
    too many, another one (Damerau 1964), in this order and each once.

    Empty where the word is no plain one (codes and figures are exact, to a very short word every other is near) or a
    common one.
    """
    folded = fold(word)
    is_plain = _SHORTEST <= len(folded) <= _LONGEST and folded.isascii() and folded.isalpha()
    if not is_plain or folded in _COMMON:
        return []
    parts = [(folded[:place], folded[place:]) for place in range(len(folded) + 1)]
    exchanged = [head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1]
    completed = [head + letter + tail for head, tail in parts for letter in _LETTERS]
    shortened = [head + tail[1:] for head, tail in parts if tail]
    replaced = [head + letter + tail[1:] for head, tail in parts if tail for letter in _LETTERS]
    found = dict.fromkeys([*exchanged, *completed, *shortened, *replaced])
    found.pop(folded, None)
    return list(found)
