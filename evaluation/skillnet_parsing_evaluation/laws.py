"""Laws in Markdown set as gazettes set them: articles that run into their text, in several manners."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from skillnet_parsing_evaluation.outlines import Entry
from skillnet_parsing_evaluation.rendering import A4, set_html
from skillnet_parsing_evaluation.truths import Truth, markdown_outline, plain, without_front_matter

_ARTICLE = re.compile(
    r"(?P<label>art[íi]culo\s+(?:\d+|[úu]nico)(?:\s*[º°]|\s*\.?\s*(?:bis|ter))?)[\s.:—–-]*(?P<title>.*)", re.I
)
_LABEL_ALONE = re.compile(r"(?:t[íi]tulo|cap[íi]tulo|secci[óo]n|libro|anexo)\s+[IVXLCDM\d]+\W*", re.IGNORECASE)
_CSS = (
    "body {font-family: serif; font-size: 10.5px; text-align: justify} p {margin: 0 0 5px 0; text-indent: 12px}"
    " p.c {text-align: center; text-indent: 0; margin: 9px 0} p.g {margin-top: 9px}"
)
_MAX_TITLE_WORDS = 25
_MIN_ARTICLES = 5
_MIN_WORDS, _MIN_TOLD = 10, 0.8
# The title where the source gives none; the same for all would be taken for a running line.
_TITLES = ("Objeto", "Ámbito de aplicación", "Definiciones", "Órgano competente", "Plazos", "Obligaciones generales")
MANNERS = ("own line", "run in", "run in, no title")


@dataclass(frozen=True, slots=True)
class _Part:
    level: int
    heading: str
    text: tuple[str, ...]


def set_laws(paths: list[Path], folder: Path) -> Iterator[Truth]:
    """Each law with enough articles as a PDF in one of the manners, with its outline."""
    number = 0
    for path in paths:
        parts = list(_parts(path.read_text(encoding="utf-8")))
        articles = [part for part in parts if _ARTICLE.fullmatch(part.heading)]
        told = [part for part in articles if sum(len(text.split()) for text in part.text) >= _MIN_WORDS]
        if len(articles) < _MIN_ARTICLES or len(told) < _MIN_TOLD * len(articles):
            continue  # a law whose articles were repealed says nothing but their numbers
        target = folder / f"law-{number}-{path.stem}.pdf"
        body, entries = _set(parts, MANNERS[number % len(MANNERS)])
        set_html(body, _CSS, target, _gazette)
        yield Truth(target, tuple(entries), legal=True)
        number += 1


def _parts(text: str) -> Iterator[_Part]:
    """Headings with the paragraphs below them."""
    body = without_front_matter(text)
    titles = {(entry.level, entry.title) for entry in markdown_outline(text)}
    level, heading, lines = 0, "", []
    for line in [*body.splitlines(), "# "]:
        match = re.fullmatch(r"(#{1,6})\s+(.*?)\s*#*\s*", line + " " if line == "# " else line)
        if match is None or (line != "# " and (len(match[1]), plain(match[2])) not in titles):
            lines.append(line)
            continue
        paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", "\n".join(lines))]
        yield _Part(level, heading, tuple(plain(part) for part in paragraphs if part))
        level, heading, lines = len(match[1]), plain(match[2]), []


def _set(parts: list[_Part], manner: str) -> tuple[str, list[Entry]]:
    blocks: list[str] = []
    entries: list[Entry] = []
    for index, part in enumerate(parts):
        article = _ARTICLE.fullmatch(part.heading)
        first, rest = (part.text[0] if part.text else ""), part.text[1:]
        if article is None or len(article["title"].split()) > _MAX_TITLE_WORDS:
            if part.heading and article is None:
                blocks.append(f"<p class='c'>{_bold(part.heading)}</p>")
                if entries and _LABEL_ALONE.fullmatch(entries[-1].title) and not parts[index - 1].text:
                    label = entries.pop()  # a chapter's number and its title are one heading on two lines
                    entries.append(Entry(label.level, f"{label.title} {part.heading}"))
                else:
                    entries.append(Entry(part.level, part.heading))
            rest = part.text
            if article is not None:
                blocks.append(f"<p class='g'>{_bold(article['label'] + '.')} {html.escape(article['title'])}</p>")
                entries.append(Entry(part.level, article["label"]))
        else:
            title = article["title"].strip(" .") or ("" if manner == MANNERS[2] else _TITLES[index % len(_TITLES)])
            head = _bold(f"{article['label']}.") + (f" <i>{html.escape(title)}.</i>" if title else "")
            entries.append(Entry(part.level, f"{article['label']}. {title}"))
            if manner == MANNERS[0]:
                blocks += [f"<p class='g'>{head}</p>", f"<p>{html.escape(first)}</p>"]
            else:
                blocks.append(f"<p class='g'>{head} {html.escape(first)}</p>")
        blocks += [f"<p>{html.escape(text)}</p>" for text in rest]
    return "".join(blocks), entries


def _bold(text: str) -> str:
    return f"<b>{html.escape(text)}</b>"


def _gazette(page: pymupdf.Page, number: int, count: int) -> None:
    page.insert_text((150, 44), "BOLETÍN OFICIAL DE PRUEBAS", fontsize=9, fontname="hebo")
    page.insert_text((A4.width - 110, A4.height - 40), f"Página {number} de {count}", fontsize=8, fontname="helv")
