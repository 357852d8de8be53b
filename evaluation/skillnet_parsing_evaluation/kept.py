"""How much of a file's text survives reading, against a plain extraction of the same file."""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import pymupdf
from lxml import etree

from skillnet_common.documents import ParsedDocument

_WORD = re.compile(r"[^\W_]+")
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STRICT = "{http://purl.oclc.org/ooxml/wordprocessingml/main}"
_PARTS = re.compile(r"word/(?:document\d*|footnotes|endnotes)\.xml")
_NOT_SHOWN = ("del", "moveFrom", "instrText", "delText", "fldData")


def text_kept(document: ParsedDocument, plain: str) -> float | None:
    """The share of the characters of the plain text's words that the document holds as often, what it says
    it removed counted with it; None where the plain text has no words."""
    wanted = Counter(_words(plain))
    total = sum(len(word) * times for word, times in wanted.items())
    if not total:
        return None
    said = "\n".join([document.text, *document.warnings, *(removal.text for removal in document.removed)])
    held = Counter(_words(said))
    lacking = {word: times for word, times in wanted.items() if held[word] < times}
    if lacking:
        # Words that were joined or parted: compared as runs of letters.
        run, plain_run = "".join(_words(said)), "".join(_words(plain))
        lacking = {word: _missing(word, times, run, plain_run) for word, times in lacking.items()}
    return 1 - sum(len(word) * times for word, times in lacking.items()) / total


def _missing(word: str, times: int, run: str, plain_run: str) -> int:
    return min(times, max(0, plain_run.count(word) - run.count(word)))


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).replace("\u00ad", "")
    return _WORD.findall(folded.casefold())


def plain_pdf_text(path: Path) -> str | None:
    """What PyMuPDF's own extraction gives, page after page; None where it cannot read the file."""
    try:
        with pymupdf.open(path) as document:
            if document.needs_pass:
                return None
            return "\n".join(page.get_text() for page in document)
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, ValueError):
        return None


def plain_word_text(path: Path) -> str | None:
    """All text runs of the body, its notes and its alternative parts but deletions and field codes; of a
    drawing and its fallback one only."""
    try:
        with zipfile.ZipFile(path) as package:
            names = [name for name in package.namelist() if _PARTS.fullmatch(name)]
            roots = [etree.fromstring(package.read(name)) for name in names]
    except (zipfile.BadZipFile, etree.XMLSyntaxError, OSError, RuntimeError):
        return None
    return "\n".join(_run_text(root) for root in roots) if roots else None


def _run_text(root: etree._Element) -> str:
    for fallback in list(root.iter("{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback")):
        fallback.getparent().remove(fallback)
    parts: list[str] = []
    for element in root.iter(tag=etree.Element):
        if not isinstance(element.tag, str) or not element.tag.startswith((_W, _STRICT)):
            continue
        name = etree.QName(element).localname
        if name == "t" and not any(etree.QName(above).localname in _NOT_SHOWN for above in element.iterancestors()):
            parts.append(element.text or "")
        elif name in ("p", "tab", "br", "tc"):
            parts.append("\n")
    return "".join(parts)
