"""Alternative chunks of a DOCX: HTML, MHT and text that Word takes in when it opens the document."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Iterator

from skillnet_common.documents import BlockKind
from skillnet_parser.domain.draft import DraftBlock, text_block
from skillnet_parser.formats.docx_package import AlternativeChunk
from skillnet_parser.formats.html import parse_html, read_shown
from skillnet_parser.formats.html_encoding import decode_html
from skillnet_parser.formats.text_encoding import decode_text


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
    root = parse_html(decode_html(data).text)
    if root is not None:
        yield from read_shown(root).blocks
