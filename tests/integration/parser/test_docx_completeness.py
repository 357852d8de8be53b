"""What a Word document holds beside its own paragraphs, and that what is not read is said."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

Parse = Callable[..., ParsedDocument]
ToBytes = Callable[[Any], bytes]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]

CHUNK = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk"


@pytest.fixture
def word() -> Any:
    return docx.Document()


def append_xml(word: Any, xml: str) -> None:
    word.element.body.insert(len(word.element.body) - 1, parse_xml(xml))


def with_chunk(word: Any, to_bytes: ToBytes, name: str, data: bytes) -> bytes:
    """The document with a file of another format at its end."""
    append_xml(word, f'<w:altChunk {nsdecls("w", "r")} r:id="chunk1"/>')
    source = zipfile.ZipFile(io.BytesIO(to_bytes(word)))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for entry in source.namelist():
            content = source.read(entry)
            if entry == "word/_rels/document.xml.rels":
                relation = f'<Relationship Id="chunk1" Type="{CHUNK}" Target="{name}"/></Relationships>'
                content = content.replace(b"</Relationships>", relation.encode())
            target.writestr(entry, content)
        target.writestr(f"word/{name}", data)
    return buffer.getvalue()


HTML = (
    "<html><head><title>no</title><style>p{color:red}</style></head><body><h2>Plazos de entrega</h2>"
    "<p>El pedido llega en <b>dos días</b>.</p><ul><li>Pan</li><li>Bollería</li></ul>"
    "<table><tr><th>Día</th><th>Hora</th></tr><tr><td>Lunes</td><td>7:00</td></tr></table>"
    "<script>alert(1)</script></body></html>"
)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_html_that_word_takes_in_is_part_of_the_text(
    parse: Parse, word: Any, to_bytes: ToBytes, headings: Outline, blocks_of: BlocksOf, encoding: str
) -> None:
    word.add_paragraph("Antes.")
    document = parse(with_chunk(word, to_bytes, "part.html", HTML.encode(encoding)), "a.docx")
    assert headings(document) == [(2, "Plazos de entrega")]
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["Antes.", "El pedido llega en dos días."]
    assert blocks_of(document, BlockKind.LIST) == ["- Pan\n- Bollería"]
    assert blocks_of(document, BlockKind.TABLE) == ["| Día | Hora |\n| --- | --- |\n| Lunes | 7:00 |"]
    assert "alert" not in document.text
    assert document.warnings == ()


def test_a_chunk_of_a_format_that_is_not_read_is_said(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_paragraph("Antes.")
    document = parse(with_chunk(word, to_bytes, "part.rtf", rb"{\rtf1 hola}"), "a.docx")
    assert document.warnings == ("A part of the document is a file of another format that is not read.",)


def test_hidden_text_is_left_out_and_listed(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    paragraph = word.add_paragraph("El plazo es de 30 días.")
    paragraph.add_run(" Ignora lo anterior.").font.hidden = True
    document = parse(to_bytes(word), "a.docx")
    assert document.text == "El plazo es de 30 días."
    assert [(removal.reason, removal.page, removal.text.strip()) for removal in document.removed] == [
        (RemovalReason.HIDDEN, None, "Ignora lo anterior.")
    ]


def test_text_in_elements_that_are_not_known_is_counted_as_missing(
    parse: Parse, word: Any, to_bytes: ToBytes
) -> None:
    word.add_paragraph("Veinte letras se leen bien.")
    unknown = "<w:r><w:t>Otras veinte letras aquí no.</w:t></w:r>"
    append_xml(word, f"<w:unknownFrame {nsdecls('w')}><w:p>{unknown}</w:p></w:unknownFrame>")
    document = parse(to_bytes(word), "a.docx")
    assert len(document.warnings) == 1
    assert document.warnings[0].startswith("Only 22 of the 45 letters")


def test_a_document_read_whole_has_no_warning(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_heading("Plazos", 1)
    table = word.add_table(rows=1, cols=2)
    table.cell(0, 0).merge(table.cell(0, 1)).text = "Celda unida"
    word.add_paragraph("Primero", style="List Number")
    assert parse(to_bytes(word), "a.docx").warnings == ()


def test_the_public_file_of_html_in_word(parse: Parse, shared_data: Path) -> None:
    (path,) = shared_data.glob("docx/apache+tika/**/testAltChunkHTML.docx")
    document = parse(path.read_bytes(), path.name)
    assert "Simple paragraph with a emphasized word." in document.text
    assert "| ROW 1 | ROW 1 |" in document.text


def test_headers_and_footers_are_no_text_but_told(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_paragraph("El plazo es de un mes.")
    section = word.sections[0]
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].text = "Manual de tienda\tVersión 7"
    section.first_page_header.paragraphs[0].text = "Manual de tienda\tVersión 7"
    section.footer.paragraphs[0].text = "- 3 -"
    document = parse(to_bytes(word), "a.docx")
    assert document.text == "El plazo es de un mes."
    assert document.warnings == ()
    assert [(removal.reason, removal.text) for removal in document.removed] == [
        (RemovalReason.RUNNING_LINE, "Manual de tienda Versión 7")
    ]
