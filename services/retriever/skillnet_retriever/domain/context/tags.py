"""`[Fuente N: título > sección, pág. n]`: made by the server, and out of reach of what documents say."""

from __future__ import annotations

import re
import unicodedata

from skillnet_retriever.domain.context.extracts import Extract

_LABEL_CHARS = 160
_OPEN, _CLOSE = r"\[［【〔", r"\]］】〕"
_SOURCE = r"[\s*/\\]*(?:fuentes?|sources?"
_LOOK_ALIKE = re.compile(
    # A word and a number, in any brackets; or nothing but numbers, as models cite, in square ones.
    rf"[{_OPEN}(（]{_SOURCE}|f)[\s.]*(?:n\.?º\s*)?\d[^(){{}}（）{_OPEN}{_CLOSE}\n]*[{_CLOSE})）]"
    rf"|[{_OPEN}]\s*\d{{1,3}}(?:\s*[,;–-]\s*\d{{1,3}})*\s*[{_CLOSE}]",
    re.IGNORECASE,
)
_OPEN_LOOK_ALIKE = re.compile(rf"[{_OPEN}](?={_SOURCE})\b)", re.IGNORECASE)
_BRACKET = re.compile(rf"[{_OPEN}(（]")


def neutralised(text: str) -> str:
    """The text with other brackets around what looks like a tag, so that no document can pose as a source.

    Nothing but brackets is replaced, each by one character. What is not seen (Unicode's format characters, such as
    soft hyphens) is skipped when looking: a model reads over it too.
    """
    if _BRACKET.search(text) is None:
        return text
    places = [place for place, character in enumerate(text) if unicodedata.category(character) != "Cf"]
    seen = "".join(text[place] for place in places)
    shown = list(text)
    for match in _LOOK_ALIKE.finditer(seen):
        shown[places[match.start()]], shown[places[match.end() - 1]] = "⟨", "⟩"
    for match in _OPEN_LOOK_ALIKE.finditer(seen):
        shown[places[match.start()]] = "⟨"
    return "".join(shown)


def label_of(number: int, extract: Extract) -> str:
    """`Fuente 1: Manual > Devoluciones, pág. 3`, without the brackets; on one line and of bounded length."""
    text = extract.passages[0].text
    names = [text.document_title, *text.section_path]
    if len(names) > 1 and _plain(names[0]) == _plain(names[1]):
        del names[1]  # a document headed by its own title
    return f"Fuente {number}: {_shortened(names)}{_pages(extract)}"


def _shortened(names: list[str]) -> str:
    """Title and headings joined; too long a path loses its middle headings first, then is cut."""
    plain = [_plain(name) for name in names]
    while len(plain) > 2 and len(" > ".join(plain)) > _LABEL_CHARS:
        del plain[1]
    label = " > ".join(part for part in plain if part)
    return label if len(label) <= _LABEL_CHARS else label[: _LABEL_CHARS - 1].rstrip() + "…"


def _plain(name: str) -> str:
    return " ".join(re.sub(rf"[{_OPEN}{_CLOSE}⟨⟩]", " ", name).split())


def _pages(extract: Extract) -> str:
    first, last = extract.passages[0].text, extract.passages[-1].text
    if first.page_start is None:
        return ""
    start = first.label_start or str(first.page_start)
    end = last.label_end or str(last.page_end or first.page_start)
    return f", pág. {start}" if start == end else f", págs. {start}-{end}"
