"""What a question asks for beside its words: `"a phrase"`, `«a phrase»`, `-word`, `"one" OR "another"`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_QUOTED = r'"[^"]*"|“[^“”]*”|„[^„“]*“|«[^«»]*»'
# A quotation mark opens where no letter or digit stands before it and closes where none follows: 24" is a measure.
_PART = re.compile(
    rf"(?<!\S)(?P<minus>-)(?P<excluded>{_QUOTED})(?!\w)|(?<!\w)(?P<quoted>{_QUOTED})(?!\w)|[^\s\"“”„«»]+|\S"
)
_EXCLUDED = re.compile(r"-(?P<word>[^\W\d_](?:[-'’.]?\w){2,})[,;.!?)]*")
_CLOSES_ASIDE = re.compile(r"\w-[,;.:!?)]*(?=\s|$)")
_MOST_REQUIRED = 8
"""Phrases are looked up in the text, one after the other: what stands behind these is sought as words only."""
_OR = frozenset({"OR", "or", "|"})
_OR_BETWEEN_PHRASES = _OR | {"o", "u", "ou"}


@dataclass(frozen=True, slots=True)
class Wording:
    """A question taken apart.

    `text` is what is sought and embedded: the question without what it excludes. Of each of the groups of phrases
    `required` a passage must hold one; words or phrases `excluded` it must not hold.
    """

    text: str
    required: tuple[tuple[str, ...], ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def is_sentence(self) -> bool:
        """Whether somebody asks in a sentence, whose quotation marks may well be no operators."""
        return "?" in self.text

    @property
    def narrows(self) -> bool:
        """Whether some passages are left out for what they say."""
        return bool(self.required or self.excluded)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the question between spaces, or a quotation: `phrase` is what stands in it."""

    start: int
    end: int
    written: str
    phrase: str | None
    is_excluded: bool = False


def read_wording(question: str) -> Wording:
    """Reads the operators of web search. A hyphen excludes only before a word of three letters that a space comes
    before: `post-venta`, `- ¿qué...`, `-18 ºC`, an aside between hyphens and the hyphen that opens a line of dialogue
    stay what they are. Any of several words may match anyway, so that OR matters between phrases only."""
    parts = list(_parts(question))
    excluded = [part for part in parts if part.is_excluded]
    rest = [part for part in parts if not part.is_excluded]
    if not any(_says_something(part.written) for part in rest):
        return Wording(question)
    required, joints = _required(rest)
    text = _without(question, [*excluded, *joints]) if excluded or joints else question
    return Wording(text, required, tuple(_bare(part) for part in excluded))


def _parts(question: str) -> Iterator[_Part]:
    for match in _PART.finditer(question):
        quoted = match["excluded"] or match["quoted"]
        phrase = quoted[1:-1].strip() if quoted else None
        if phrase is not None and not _says_something(phrase):
            phrase = None
        yield _Part(match.start(), match.end(), match[0], phrase, _is_excluded(match, question, phrase))


def _is_excluded(match: re.Match[str], question: str, phrase: str | None) -> bool:
    if phrase is not None:
        return match["minus"] is not None
    opens = match.start() == 0 or not question[match.start() - 1].isspace()
    return not opens and bool(_EXCLUDED.fullmatch(match[0])) and not _CLOSES_ASIDE.search(question, match.end())


def _bare(part: _Part) -> str:
    if part.phrase is not None:
        return part.phrase
    word = _EXCLUDED.fullmatch(part.written)
    return word["word"] if word else part.written


def _required(parts: list[_Part]) -> tuple[tuple[tuple[str, ...], ...], list[_Part]]:
    """The groups of phrases, and the words that join their alternatives."""
    groups: list[list[str]] = []
    joints: list[_Part] = []
    place = 0
    while place < len(parts):
        group = [parts[place]]
        while place + 2 < len(parts) and _joins(parts[place], parts[place + 1], parts[place + 2]):
            joints.append(parts[place + 1])
            group.append(parts[place + 2])
            place += 2
        if any(part.phrase is not None for part in group):
            groups.append([part.phrase if part.phrase is not None else part.written for part in group])
        place += 1
    distinct = dict.fromkeys(tuple(dict.fromkeys(group)) for group in groups)
    return tuple(distinct)[:_MOST_REQUIRED], joints


def _joins(before: _Part, joint: _Part, after: _Part) -> bool:
    phrases = (before.phrase is not None) + (after.phrase is not None)
    return (
        joint.phrase is None
        and joint.written in (_OR_BETWEEN_PHRASES if phrases == 2 else _OR)
        and phrases > 0
        and _says_something(before.written)
        and _says_something(after.written)
    )


def _without(question: str, parts: list[_Part]) -> str:
    kept, end = [], 0
    for part in sorted(parts, key=lambda part: part.start):
        kept.append(question[end : part.start])
        end = part.end
    return " ".join("".join([*kept, question[end:]]).split())


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)
