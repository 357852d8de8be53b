"""WordprocessingML that python-docx does not write."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from .packages import with_part

DOCUMENT, RELATIONS, STYLES = "word/document.xml", "word/_rels/document.xml.rels", "word/styles.xml"
RELATION_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def append(word: Any, xml: str) -> None:
    """Puts an element at the end of the body, its prefixes declared."""
    spaces = nsdecls("w", "r", "wp", "a") + (
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        ' xmlns:v="urn:schemas-microsoft-com:vml" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    )
    at = xml.index(">") if xml[xml.index(">") - 1] != "/" else xml.index(">") - 1
    word.element.body.insert(len(word.element.body) - 1, parse_xml(f"{xml[:at]} {spaces}{xml[at:]}"))


def run(text: str) -> str:
    """A run as XML."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def with_file(data: bytes, name: str, kind: str, content: bytes) -> bytes:
    """The package with one more part, related to the document as `added`."""
    relation = f'<Relationship Id="added" Type="{RELATION_TYPES}/{kind}" Target="{name}"/></Relationships>'.encode()
    changed = with_part(data, RELATIONS, lambda xml: xml.replace(b"</Relationships>", relation))
    buffer = io.BytesIO(changed)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(f"word/{name}", content)
    return buffer.getvalue()
