"""How much of a very long question is looked up word by word."""

from __future__ import annotations

import re

from skillnet_common.text.words import STOP_WORDS, fold

MOST_WORDS = 128
"""Distinct words of a question that are looked up: each costs a look-up, and codes are compared with each other too.
Over 1,000 chunks so many codes take .1 s, as many as fit a question 1 s; a page of prose has fewer words."""

_PIECE = re.compile(r"[^\W_]+(?:[-./:_][^\W_]+){0,7}")
_WORD = re.compile(r"[^\W_]+")


def looked_up(question: str) -> str:
    """The question as far as its first `MOST_WORDS` distinct words go, stop words not counted: all of it but for a
    list or a text. It ends between words, and inside no code."""
    seen: set[str] = set()
    for piece in _PIECE.finditer(question):
        seen.update(set(_WORD.findall(fold(piece[0]))) - STOP_WORDS)
        if len(seen) > MOST_WORDS:
            return question[: piece.start()].rstrip()
    return question
