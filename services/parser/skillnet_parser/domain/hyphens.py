"""Words broken at the end of a line: joined where the document itself shows the word, or nothing speaks
for a compound."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from skillnet_parser.domain.characters import SOFT_HYPHEN

_HYPHENS = "-\u2010\u2011" + SOFT_HYPHEN
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010\u2011][^\W\d_]+)*")
_LAST_PART = re.compile(r"[^\W\d_]+$")
_FIRST_PART = re.compile(r"[^\W\d_]+")
# First members of Spanish and English compounds that keep their hyphen.
_COMPOUND_HEADS = frozenset(
    [
        "físico",
        "teórico",
        "técnico",
        "jurídico",
        "económico",
        "socio",
        "político",
        "médico",
        "histórico",
        "práctico",
        "científico",
        "hispano",
        "franco",
        "anglo",
        "greco",
        "luso",
        "afro",
        "ítalo",
        "euro",
        "ex",
        "anti",
        "vice",
        "co",
        "non",
        "self",
        "well",
        "cross",
        "pre",
        "post",
        "multi",
        "semi",
        "sub",
    ]
)
_MIN_PART = 4
_ENDING = re.compile(r"(?:[oae]|e?s|[oa]s)$")


class HyphenJoiner:
    """Decides between joining, keeping the hyphen and adding a space, by the words of one document."""

    def __init__(self, lines: Iterable[str]) -> None:
        """`lines` are the document's lines; a word broken at the end of one is no evidence."""
        self._words: Counter[str] = Counter()
        for line in lines:
            text = line.rstrip().lower().replace(SOFT_HYPHEN, "")
            if text.endswith(tuple(_HYPHENS)):
                text = _LAST_PART.sub("", text[:-1])
            self._words.update(_WORD.findall(text))
        self._stems = frozenset(_stem(word) for word in self._words if len(word) > _MIN_PART)

    def join(self, above: str, below: str) -> tuple[str, str]:
        """The upper line as it should stand, and the joint to the lower one."""
        line = above.rstrip()
        if line.endswith(SOFT_HYPHEN):
            return line.rstrip(SOFT_HYPHEN), "" if below[:1].isalpha() else " "
        if len(line) < 2 or line[-1] not in _HYPHENS or not line[-2].isalnum() or not below[:1].isalnum():
            return above, " "
        head, tail = _LAST_PART.search(line[:-1]), _FIRST_PART.match(below)
        if head is None or tail is None or not tail[0][0].islower():
            return line, ""  # 2024-2025, García-Pérez: the hyphen belongs to it
        if line[: head.start()].endswith(tuple(_HYPHENS)) or below[tail.end() :].startswith(tuple(_HYPHENS)):
            return line, ""  # fin-de-semana: one hyphen of several
        return (line, "") if self._is_compound(head[0].lower(), tail[0].lower()) else (line[:-1], "")

    def _is_compound(self, head: str, tail: str) -> bool:
        joined, hyphened = self._words[head + tail], self._words[f"{head}-{tail}"]
        if joined or hyphened:
            return hyphened > joined
        if len(head) == 1 or head in _COMPOUND_HEADS:
            return True  # no word is broken after one letter: n-octanal
        return self._is_word(head) and self._is_word(tail) and min(len(head), len(tail)) >= _MIN_PART

    def _is_word(self, part: str) -> bool:
        """Whether the document has the word by itself, be it in another gender or number."""
        return bool(self._words[part]) or _stem(part) in self._stems


def _stem(word: str) -> str:
    return _ENDING.sub("", word)


def ends_broken(text: str) -> bool:
    """Whether a line ends in the middle of a word."""
    line = text.rstrip()
    return len(line) >= 2 and line[-1] in _HYPHENS and line[-2].isalnum()
