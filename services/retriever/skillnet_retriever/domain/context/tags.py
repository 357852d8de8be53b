"""`[Fuente N: título > sección, pág. n]`: made by the server, and out of reach of what documents say."""

from __future__ import annotations

import re

from skillnet_retriever.domain.context.extracts import Extract

_LABEL_CHARS = 160
_LOOK_ALIKE = re.compile(
    r"[\[(【]([\s*]*(?:fuentes?|sources?|f)[\s.]*(?:n\.?º\s*)?\d[^\[\](){}【】\n]*)[\])】]", re.IGNORECASE
)
_OPEN_LOOK_ALIKE = re.compile(r"[\[【](?=[\s*]*(?:fuentes?|sources?)\b)", re.IGNORECASE)


def neutralised(text: str) -> str:
    """The text with other brackets around what looks like a tag, so that no document can pose as a source."""
    return _OPEN_LOOK_ALIKE.sub("⟨", _LOOK_ALIKE.sub(r"⟨\1⟩", text))


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
    return " ".join(re.sub(r"[\[\]【】⟨⟩]", " ", name).split())


def _pages(extract: Extract) -> str:
    first, last = extract.passages[0].text, extract.passages[-1].text
    if first.page_start is None:
        return ""
    start = first.label_start or str(first.page_start)
    end = last.label_end or str(last.page_end or first.page_start)
    return f", pág. {start}" if start == end else f", págs. {start}-{end}"
