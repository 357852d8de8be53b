"""Alternative chunks of a DOCX: HTML, MHT and text that Word takes in when it opens the document."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator

from lxml import etree, html

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, text_block
from skillnet_parser.domain.tables import render_table
from skillnet_parser.formats.docx_package import AlternativeChunk
from skillnet_parser.formats.text_encoding import decode_text

_DROPPED = ("script", "style", "template", "noscript", "head")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset({"p", "div", "section", "article", "body", "blockquote", "ul", "ol", "dl", "center", "form"})
_ITEMS = frozenset({"li", "dt", "dd"})


def read_chunk(chunk: AlternativeChunk) -> list[DraftBlock] | None:
    """The chunk's blocks; None where its format is not read."""
    suffix = chunk.name.rsplit(".", 1)[-1].lower()
    if suffix in ("html", "htm", "xhtml"):
        return list(_read_html(chunk.data))
    if suffix in ("mht", "mhtml", "eml"):
        return list(_read_mht(chunk.data))
    if suffix == "txt":
        paragraphs = decode_text(chunk.data).text.replace("\r\n", "\n").split("\n\n")
        return [text_block(BlockKind.PARAGRAPH, text) for text in paragraphs if text.strip()]
    return None


def _read_mht(data: bytes) -> Iterator[DraftBlock]:
    message = email.message_from_bytes(data, policy=email.policy.default)
    for part in message.walk():
        if part.get_content_type() == "text/html":
            payload = part.get_payload(decode=True)
            yield from _read_html(payload if isinstance(payload, bytes) else b"")


def _read_html(data: bytes) -> Iterator[DraftBlock]:
    if not data.strip():
        return
    root = html.document_fromstring(decode_text(data).text, parser=html.HTMLParser(encoding="utf-8"))
    etree.strip_elements(root, *_DROPPED, with_tail=False)
    yield from _flow(root)


def _flow(element: html.HtmlElement) -> Iterator[DraftBlock]:
    """Text between blocks is a paragraph of its own."""
    loose = [element.text or ""]
    for child in element:
        if not isinstance(child.tag, str):
            loose.append(child.tail or "")
            continue
        if (
            child.tag in _HEADINGS
            or child.tag in _BLOCKS
            or child.tag in _ITEMS
            or child.tag in ("table", "pre", "br")
        ):
            yield from _paragraph(loose)
            loose = []
            yield from _block(child)
        else:
            loose.append(child.text_content())
        loose.append(child.tail or "")
    yield from _paragraph(loose)


def _block(element: html.HtmlElement) -> Iterator[DraftBlock]:
    tag = element.tag
    if tag in _HEADINGS:
        text = _one_line(element.text_content())
        if text:
            yield text_block(BlockKind.HEADING, text, _HEADINGS[tag])
    elif tag == "table":
        rows = [[_one_line(cell.text_content()) for cell in row.xpath("./td|./th")] for row in element.iter("tr")]
        if any(any(row) for row in rows):
            yield text_block(BlockKind.TABLE, render_table(rows))
    elif tag == "pre":
        if element.text_content().strip():
            yield text_block(BlockKind.CODE, element.text_content())
    elif tag in _ITEMS:
        text = _one_line(element.text_content())
        if text:
            yield text_block(BlockKind.LIST, f"• {text}")
    else:
        yield from _flow(element)


def _paragraph(parts: list[str]) -> Iterator[DraftBlock]:
    text = _one_line("".join(parts))
    if text:
        yield text_block(BlockKind.PARAGRAPH, text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
