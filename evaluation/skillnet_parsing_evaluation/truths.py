"""Documents whose outline is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf
from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillnet_parsing_evaluation.outlines import Entry, fold

_LAWS = "fjortegan+curso-normativa"
_COMMENTS = re.compile(r"<!--.*?-->|\{/\*.*?\*/\}", re.DOTALL)
_DIVISIONS = {
    **dict.fromkeys(("preambulo", "exposicion", "libro", "titulo", "disposicion", "disposiciones", "anexo"), 2),
    "capitulo": 3,
    "seccion": 4,
    "subseccion": 5,
    "articulo": 6,
}
_MIN_BOOKMARKS = 4
_MIN_FOUND = 0.8
_MAX_WORDS = 60


@dataclass(frozen=True, slots=True)
class Truth:
    """A file and the outline a careful reader would give it. `legal`: a text of articles."""

    path: Path
    entries: tuple[Entry, ...]
    legal: bool = False


def gold(data: Path, kind: str) -> list[Truth]:
    """The outlines written down for `pdf`, `docx` or `md` files."""
    lines = (data / "gold" / f"outline_{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return [_gold_truth(data, json.loads(line)) for line in lines]


def _gold_truth(data: Path, record: dict[str, Any]) -> Truth:
    path = record["path"]
    entries = tuple(Entry(level, title) for level, title, _ in record["heads"])
    legal = _LAWS in path
    return Truth(data / path, nest_law(entries) if legal else entries, legal)


def bookmarked(paths: list[Path]) -> Iterator[Truth]:
    """The PDFs among `paths` whose bookmarks stand in their text, with those that do."""
    for path in paths:
        try:
            with pymupdf.open(path) as document:
                truth = _read_bookmarks(path, document)
        except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, ValueError):
            continue  # one of the broken files, which are judged by their outcome
        if truth is not None:
            yield truth


def _read_bookmarks(path: Path, document: pymupdf.Document) -> Truth | None:
    if document.needs_pass:
        return None
    entries = document.get_toc(simple=True)
    if len(entries) < _MIN_BOOKMARKS or any(len(title.split()) > _MAX_WORDS for _, title, _ in entries):
        return None  # some files mark whole paragraphs
    pages = [fold(page.get_text()) for page in document.pages()]
    found = tuple(Entry(level, title) for level, title, page in entries if _stands_near(title, page, pages))
    if len(found) < _MIN_FOUND * len(entries):
        return None
    legal = _LAWS in str(path)
    return Truth(path, nest_law(found) if legal else found, legal)


def nest_law(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """The entries with the depth that the law gives them: consolidated laws' bookmarks put titles, chapters and
    sections on one level, and final provisions below the last of them."""
    return tuple(Entry(_DIVISIONS.get(_first_word(entry.title), entry.level), entry.title) for entry in entries)


def _first_word(title: str) -> str:
    return fold(title.strip("[] ").split(maxsplit=1)[0]) if title.strip("[] ") else ""


def _stands_near(title: str, page: int, pages: list[str]) -> bool:
    wanted = fold(title)
    return bool(wanted) and any(wanted in text for text in pages[max(0, page - 2) : page + 1])


def strip_bookmarks(truth: Truth, folder: Path) -> Truth:
    """The same file without its bookmarks."""
    target = folder / f"{len(list(folder.iterdir()))}-{truth.path.name}"
    with pymupdf.open(truth.path) as document:
        document.set_toc([])
        document.save(target)
    return Truth(target, truth.entries, truth.legal)


def markdown_outline(text: str) -> list[Entry]:
    """The headings of Markdown, without front matter and comments, as plain text."""
    tokens = MarkdownIt("commonmark").enable("table").parse(without_comments(text))
    return [
        Entry(int(token.tag[1]), title)
        for token, inline in pairwise(tokens)
        if token.type == "heading_open" and (title := inline_text(inline))
    ]


def inline_text(inline: Token) -> str:
    """The text of an inline token without its marks."""
    parts = (
        child.content if child.type in ("text", "code_inline", "softbreak") else "" for child in inline.children or ()
    )
    return " ".join("".join(part or " " for part in parts).split()) if inline.children else ""


def without_comments(text: str) -> str:
    """Markdown as it is set: no front matter, no comments, no anchors behind headings."""
    body = _COMMENTS.sub("", without_front_matter(text))
    return re.sub(r"^(#{1,6}\s.*?)\s*\{[#:][^}]*\}\s*$", r"\1", body, flags=re.MULTILINE)


def without_front_matter(text: str) -> str:
    """The text behind a block of `---` lines at its head."""
    if not text.startswith("---\n"):
        return text
    end = text.find("\n---", 4)
    return text[end + 4 :].lstrip("-") if end >= 0 else text


def plain(title: str) -> str:
    """A heading without its marks: emphasis, code, links, comments, anchors."""
    title = re.sub(r"\{/?[*#].*?\}|<!--.*?-->|<[^>]+>", "", title)
    title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return " ".join(re.sub(r"[*`]|(?<!\w)_|_(?!\w)|\\", "", title).split())
