"""Headers and footers of a Word document: no part of its text, but told."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from skillnet_common.documents import Removal, RemovalReason
from skillnet_parser.domain.characters import clean_characters
from skillnet_parser.formats.docx_package import DocxPackage, W


def running_lines(package: DocxPackage) -> list[Removal]:
    """Each distinct paragraph with letters; a page's number alone is not told."""
    texts = (clean_characters(text) for part in package.running for text in _paragraphs(part))
    told = dict.fromkeys(line for text in texts if any(map(str.isalpha, line := " ".join(text.split()))))
    return [Removal(RemovalReason.RUNNING_LINE, None, line) for line in told]


def _paragraphs(part: etree._Element) -> Iterator[str]:
    for paragraph in part.iter(f"{W}p"):
        yield "".join(
            " " if node.tag == f"{W}tab" else node.text or "" for node in paragraph.iter(f"{W}t", f"{W}tab")
        )
