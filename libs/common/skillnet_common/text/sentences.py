"""Sentences of a paragraph as spans, with rules for Spanish where the general splitter is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Titles, references and measures that never end a sentence when something follows.
_ABBREVIATION = (
    "apdo?|aprox|arch|arts?|avda?|caps?|c|cfr?|cía|cl|coord|d|dª|dir|dña|dra?|dras|dres|eds?|ej|excm[ao]|fdo|figs?"
    "|gral|ilm[ao]|inc|ing|lic|máx|mín|n|núms?|p|págs?|párr|pl|pp|profa?|pza|ref|reg|rev|secc?|sigs?|sra?|sras|sres"
    "|srta|ss|tít|tel|uds?|vds?|vid|vols?"
)
_ENDS_IN_ABBREVIATION = re.compile(rf"(?:^|[\s(¿¡«\"'“])(?:{_ABBREVIATION})\.\s*$", re.IGNORECASE)
_ENDS_IN_INITIAL = re.compile(r"(?:^|[\s(.])[^\W\d_]\.\s*$")
_ENUMERATOR_ALONE = re.compile(
    r"\s*[\[(]?(?:\d{1,4}(?:\.\d{1,4})*|[^\W\d_]|[ivxlc]{1,6})[.)\]°ºª-]{1,3}\s*$", re.IGNORECASE
)
_ORDINAL_FOLLOWS = re.compile(r"\s*[ºª°]")
_PUNCTUATION_FOLLOWS = re.compile(r"[-–—,;:.…)\]»”]")
_LOOK = 40  # characters either side of a boundary that decide it
_LOWER_CASE_FOLLOWS = re.compile(r"\s*[a-záéíóúüñçàèòïãõâêô]")
_FULL_STOP = re.compile(r"[.…]\s*$")


def sentence_spans(text: str, start: int, end: int, language: str) -> Iterator[tuple[int, int]]:
    """Half-open spans of the sentences of text[start:end], in order, without the white space between them.

    Found by sentencex (Wikimedia); a boundary is undone after an abbreviation, an initial or a lone
    enumerator, before an ordinal sign ("n.º"), a lower-case letter and further punctuation ("Primero.-").
    """
    paragraph = text[start:end]
    begin = 0
    for boundary in _boundaries(paragraph, language):
        if boundary < len(paragraph) and _runs_on(paragraph, begin, boundary):
            continue
        piece = paragraph[begin:boundary]
        body = piece.strip()
        if body:
            lead = len(piece) - len(piece.lstrip())
            yield start + begin + lead, start + begin + lead + len(body)
        begin = boundary


def _boundaries(paragraph: str, language: str) -> Iterator[int]:
    import sentencex  # noqa: PLC0415 - only services that split sentences install it

    position = 0
    for sentence in sentencex.segment(language, paragraph):
        position += len(sentence)
        yield position
    if position != len(paragraph):
        raise AssertionError("the sentence splitter lost characters")


def _runs_on(paragraph: str, begin: int, boundary: int) -> bool:
    after = paragraph[boundary : boundary + _LOOK]
    if _ENUMERATOR_ALONE.fullmatch(paragraph, begin, boundary) or _ORDINAL_FOLLOWS.match(after):
        return True
    if _PUNCTUATION_FOLLOWS.match(after) and not paragraph[boundary - 1].isspace():
        return True
    before = paragraph[max(begin, boundary - _LOOK) : boundary]
    if _ENDS_IN_ABBREVIATION.search(before) or _ENDS_IN_INITIAL.search(before):
        return True
    return bool(_FULL_STOP.search(before) and _LOWER_CASE_FOLLOWS.match(after))
