"""Markdown set as PDF and DOCX in several manners, so that its own headings are the truth."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import docx
import pymupdf
from docx.text.paragraph import Paragraph
from markdown_it import MarkdownIt
from markdown_it.token import Token

from skillnet_parsing_evaluation.truths import inline_text, without_comments

A4 = pymupdf.paper_rect("a4")
_FRAME = pymupdf.Rect(72, 76, A4.width - 72, A4.height - 80)
_MAX_PAGES = 400

# Plain, small contrasts in serif, same-size bold below the second level, centred capitals above.
MANNERS = (
    "body {font-family: sans-serif; font-size: 11px} h1 {font-size: 22px} h2 {font-size: 17px} h3 {font-size: 14px}"
    " h4 {font-size: 12px} h5 {font-size: 11px} h6 {font-size: 11px}",
    "body {font-family: serif; font-size: 10.5px; text-align: justify} h1 {font-size: 16px} h2 {font-size: 14px}"
    " h3 {font-size: 12px} h4 {font-size: 11px} h5 {font-size: 10.5px} h6 {font-size: 10.5px; font-style: italic}",
    "body {font-family: sans-serif; font-size: 10px} h1 {font-size: 18px} h2 {font-size: 13px} h3 {font-size: 10px}"
    " h4 {font-size: 10px; font-style: italic} h5 {font-size: 10px} h6 {font-size: 10px}",
    "body {font-family: serif; font-size: 12px} h1 {font-size: 20px; text-align: center} h2 {font-size: 16px;"
    " font-weight: normal} h3 {font-size: 14px; font-weight: normal; font-style: italic} h4 {font-size: 12px}"
    " h5 {font-size: 12px} h6 {font-size: 12px}",
)
_COMMON = " pre {font-size: 9px} code {font-size: 0.9em} td, th {font-size: 9px}"

Furniture = Callable[[pymupdf.Page, int, int], None]


def manner_of(name: str) -> int:
    """Which manner a file is set in, by its name."""
    return zlib.crc32(name.encode()) % len(MANNERS)


def markdown_to_pdf(text: str, target: Path, *, manner: int, title: str) -> None:
    """Sets Markdown on A4 pages with a running title and page numbers."""
    body = MarkdownIt("commonmark").enable("table").render(without_comments(text))
    set_html(body, MANNERS[manner] + _COMMON, target, _running_title(title))


def set_html(body: str, css: str, target: Path, furniture: Furniture) -> None:
    """Sets HTML on A4 pages; `furniture(page, number, count)` draws in the margins.

    Raises ValueError where a part does not fit on any page.
    """
    story = pymupdf.Story(html=f"<body>{body}</body>", user_css=css)
    buffer = io.BytesIO()
    writer = pymupdf.DocumentWriter(buffer)
    more, pages = 1, 0
    while more:
        device = writer.begin_page(A4)
        more, _ = story.place(_FRAME)
        story.draw(device)
        writer.end_page()
        pages += 1
        if pages > _MAX_PAGES:
            raise ValueError(f"{target.name}: more than {_MAX_PAGES} pages")
    writer.close()
    with pymupdf.open(stream=buffer.getvalue(), filetype="pdf") as document:
        for page in document:
            furniture(page, page.number + 1, document.page_count)
        document.save(target)


def _running_title(title: str) -> Furniture:
    def draw(page: pymupdf.Page, number: int, count: int) -> None:
        page.insert_text((72, 44), title[:80], fontsize=8, fontname="helv")
        page.insert_text((A4.width / 2 - 20, A4.height - 40), f"{number} / {count}", fontsize=8, fontname="helv")

    return draw


def markdown_to_docx(text: str, target: Path) -> None:
    """Sets Markdown with Word's own heading, list and table styles."""
    document = docx.Document()
    tokens = MarkdownIt("commonmark").enable("table").parse(without_comments(text))
    styles: list[str] = []
    rows: list[list[str]] = []
    for index, token in enumerate(tokens):
        inline = tokens[index + 1] if index + 1 < len(tokens) else token
        match token.type:
            case "heading_open":
                document.add_heading(inline_text(inline), int(token.tag[1]))
            case "bullet_list_open" | "ordered_list_open":
                styles.append("List Bullet" if token.type.startswith("bullet") else "List Number")
            case "bullet_list_close" | "ordered_list_close":
                styles.pop()
            case "paragraph_open":
                _add_runs(document.add_paragraph(style=styles[-1] if styles else None), inline.children or [])
            case "fence" | "code_block":
                document.add_paragraph(token.content)
            case "tr_open":
                rows.append([])
            case "th_open" | "td_open":
                rows[-1].append(inline_text(inline))
            case "table_close":
                _add_table(document, rows)
                rows = []
    document.save(str(target))


def _add_runs(paragraph: Paragraph, children: Sequence[Token]) -> None:
    bold = italic = False
    for child in children:
        match child.type:
            case "strong_open" | "strong_close":
                bold = child.type == "strong_open"
            case "em_open" | "em_close":
                italic = child.type == "em_open"
            case _:
                run = paragraph.add_run(" " if child.type == "softbreak" else child.content)
                run.bold, run.italic = bold, italic


def _add_table(document: docx.document.Document, rows: Sequence[Sequence[str]]) -> None:
    table = document.add_table(rows=len(rows), cols=max(map(len, rows)), style="Table Grid")
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=False):
            cell.text = text
