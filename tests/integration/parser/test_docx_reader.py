"""Word documents: the body in order, with what python-docx's paragraphs leave out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from skillnet_common.documents import BlockKind, ParsedDocument
from skillnet_common.errors import ErrorCode, PermanentFault

Parse = Callable[..., ParsedDocument]
ToBytes = Callable[[Any], bytes]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


@pytest.fixture
def word() -> Any:
    return docx.Document()


def set_outline_level(style: Any, level: int) -> None:
    properties = style.element.get_or_add_pPr()
    element = OxmlElement("w:outlineLvl")
    element.set(qn("w:val"), str(level))
    properties.append(element)


def append_xml(word: Any, xml: str) -> None:
    word.element.body.insert(len(word.element.body) - 1, parse_xml(xml))


def test_tables_stand_where_they_are(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_paragraph("Antes.")
    table = word.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ("Producto", "Plazo", "Pan", "Un día"), strict=True):
        cell.text = text
    word.add_paragraph("Después.")
    document = parse(to_bytes(word), "a.docx")
    assert document.text == "Antes.\n\n| Producto | Plazo |\n| --- | --- |\n| Pan | Un día |\n\nDespués."
    assert [block.kind for block in document.blocks] == [
        BlockKind.PARAGRAPH,
        BlockKind.TABLE,
        BlockKind.PARAGRAPH,
    ]


def test_merged_cells_are_written_once(parse: Parse, word: Any, to_bytes: ToBytes, blocks_of: BlocksOf) -> None:
    table = word.add_table(rows=3, cols=3)
    for index, cell in enumerate(table._cells):
        cell.text = f"c{index}"
    across = table.cell(0, 0).merge(table.cell(0, 2))
    across.text = "Cabecera"
    down = table.cell(1, 0).merge(table.cell(2, 0))
    down.text = "Dos filas"
    (table_text,) = blocks_of(parse(to_bytes(word), "a.docx"), BlockKind.TABLE)
    assert table_text.split("\n") == [
        "| Cabecera |  |  |",
        "| --- | --- | --- |",
        "| Dos filas | c4 | c5 |",
        "|  | c7 | c8 |",
    ]


def test_nested_tables_keep_their_text(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    outer = word.add_table(rows=1, cols=2)
    outer.cell(0, 0).text = "Fuera"
    inner = outer.cell(0, 1).add_table(rows=1, cols=2)
    inner.cell(0, 0).text, inner.cell(0, 1).text = "Dentro", "Uno"
    assert "Dentro – Uno" in parse(to_bytes(word), "a.docx").text


def test_headings_by_level_with_title_and_no_pages(
    parse: Parse, word: Any, to_bytes: ToBytes, headings: Outline
) -> None:
    word.add_heading("Manual", level=0)
    word.add_heading("Plazos", level=1)
    word.add_heading("Excepciones", level=2)
    word.add_heading("Muy hondo", level=9)
    word.add_paragraph("palabra " * 800)
    document = parse(to_bytes(word), "a.docx")
    assert headings(document) == [(1, "Manual"), (1, "Plazos"), (2, "Excepciones"), (9, "Muy hondo")]
    assert document.title == "Manual"
    assert (document.page_count, document.page_count_estimated) == (3, True)
    assert {(section.page_start, section.page_end) for section in document.sections} == {(None, None)}
    assert document.lines == ()


def test_custom_and_localised_heading_styles(parse: Parse, word: Any, to_bytes: ToBytes, headings: Outline) -> None:
    own = word.styles.add_style("Rótulo de la casa", WD_STYLE_TYPE.PARAGRAPH)
    set_outline_level(own, 1)
    based = word.styles.add_style("Apartado", WD_STYLE_TYPE.PARAGRAPH)
    based.base_style = word.styles["Heading 1"]
    word.styles.add_style("Título 2", WD_STYLE_TYPE.PARAGRAPH)
    word.styles.add_style("Heading Sin Número", WD_STYLE_TYPE.PARAGRAPH)
    for style, text in (
        ("Apartado", "Basado"),
        ("Rótulo de la casa", "Con nivel"),
        ("Título 2", "Por nombre"),
        ("Heading Sin Número", "Sin nivel"),
    ):
        word.add_paragraph(text, style=style)
    assert headings(parse(to_bytes(word), "a.docx")) == [(1, "Basado"), (2, "Con nivel"), (2, "Por nombre")]


def test_without_styles_bold_paragraphs_head_what_follows(
    parse: Parse, word: Any, to_bytes: ToBytes, headings: Outline
) -> None:
    word.add_paragraph().add_run("Devoluciones").bold = True
    word.add_paragraph("El plazo es de 30 días.")
    paragraph = word.add_paragraph("Hay que traer ")
    paragraph.add_run("el tique").bold = True
    assert headings(parse(to_bytes(word), "a.docx")) == [(1, "Devoluciones")]


def test_changes_are_accepted(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    append_xml(
        word,
        f"<w:p {nsdecls('w')}><w:r><w:t xml:space='preserve'>El plazo es de </w:t></w:r>"
        "<w:del w:id='1' w:author='a'><w:r><w:delText>15</w:delText></w:r></w:del>"
        "<w:ins w:id='2' w:author='a'><w:r><w:t>30</w:t></w:r></w:ins>"
        "<w:r><w:t xml:space='preserve'> días.</w:t></w:r></w:p>",
    )
    document = parse(to_bytes(word), "a.docx")
    assert document.text == "El plazo es de 30 días."
    assert document.warnings == ("The document holds tracked changes: insertions were kept, deletions left out.",)


def test_content_controls_links_and_text_boxes_are_read_once(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    spaces = nsdecls("w", "wp", "a", "r") + (
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
        ' xmlns:v="urn:schemas-microsoft-com:vml"'
    )
    box = "<w:txbxContent><w:p><w:r><w:t>En un cuadro</w:t></w:r></w:p></w:txbxContent>"
    append_xml(
        word, f"<w:sdt {spaces}><w:sdtContent><w:p><w:r><w:t>En un control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    append_xml(
        word,
        f"<w:p {spaces}><w:hyperlink><w:r><w:t>En un enlace</w:t></w:r></w:hyperlink><w:r><mc:AlternateContent>"
        f"<mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>",
    )
    assert parse(to_bytes(word), "a.docx").text == "En un control\n\nEn un enlace\n\nEn un cuadro"


def test_hidden_text_is_left_out(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    paragraph = word.add_paragraph("Visible.")
    paragraph.add_run(" OCULTO").font.hidden = True
    document = parse(to_bytes(word), "a.docx")
    assert document.text == "Visible."
    assert document.warnings == ("Hidden text was left out.",)


def test_lists_have_their_labels(parse: Parse, word: Any, to_bytes: ToBytes, blocks_of: BlocksOf) -> None:
    for text in ("Abrir la caja", "Contar el fondo"):
        word.add_paragraph(text, style="List Number")
    word.add_paragraph("Entre medias.")
    for text in ("Pan", "Leche"):
        word.add_paragraph(text, style="List Bullet")
    assert blocks_of(parse(to_bytes(word), "a.docx"), BlockKind.LIST) == [
        "1. Abrir la caja\n2. Contar el fondo",
        "• Pan\n• Leche",
    ]


def test_second_list_styles_are_a_level_deeper(
    parse: Parse, word: Any, to_bytes: ToBytes, blocks_of: BlocksOf
) -> None:
    for text, style in (("Pan", "List Bullet"), ("de molde", "List Bullet 2"), ("Leche", "List Bullet")):
        word.add_paragraph(text, style=style)
    assert blocks_of(parse(to_bytes(word), "a.docx"), BlockKind.LIST) == ["• Pan\n  • de molde\n• Leche"]


def test_typed_bullets_make_a_list(parse: Parse, word: Any, to_bytes: ToBytes, blocks_of: BlocksOf) -> None:
    for text in ("Hay que traer:", "• uniforme", "–\tguantes", "Fin.", "- Una sola raya no es una lista."):
        word.add_paragraph(text)
    assert blocks_of(parse(to_bytes(word), "a.docx"), BlockKind.LIST) == ["• uniforme\n– guantes"]


def test_footnotes_follow_their_paragraph(parse: Parse, word: Any, to_bytes: ToBytes, blocks_of: BlocksOf) -> None:
    append_xml(
        word,
        f"<w:p {nsdecls('w')}><w:r><w:t>Según la norma</w:t></w:r><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:r><w:t>, se aplica.</w:t></w:r></w:p>",
    )
    notes = (
        f"<w:footnotes {nsdecls('w')}><w:footnote w:type='separator' w:id='0'><w:p/></w:footnote>"
        "<w:footnote w:id='2'><w:p><w:r><w:t>Reglamento 1169/2011.</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    data = with_part(to_bytes(word), "footnotes", notes)
    document = parse(data, "a.docx")
    assert document.text == "Según la norma (1), se aplica.\n\n(1) Reglamento 1169/2011."
    assert blocks_of(document, BlockKind.NOTE) == ["(1) Reglamento 1169/2011."]


def with_part(data: bytes, kind: str, xml: str) -> bytes:
    """The package with one more part related to the document."""
    relation = (
        f'<Relationship Id="rIdNew" Target="{kind}.xml" '
        f'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}"/></Relationships>'
    )
    return rewrite(
        data,
        {
            f"word/{kind}.xml": lambda _old: xml.encode(),
            "word/_rels/document.xml.rels": lambda old: old.replace(b"</Relationships>", relation.encode()),
        },
    )


def rewrite(data: bytes, changes: dict[str, Callable[[bytes], bytes]]) -> bytes:
    """The package with some parts changed, or added."""
    result = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target:
        for name in {*source.namelist(), *changes}:
            old = source.read(name) if name in source.namelist() else b""
            target.writestr(name, changes[name](old) if name in changes else old)
    return result.getvalue()


def test_iso_strict_documents_are_read(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_paragraph("Norma estricta.")

    def make_strict(xml: bytes) -> bytes:
        return xml.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            b"http://purl.oclc.org/ooxml/wordprocessingml/main",
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )

    data = rewrite(to_bytes(word), {"word/document.xml": make_strict, "_rels/.rels": make_strict})
    assert parse(data, "a.docx").text == "Norma estricta."


def test_a_document_type_declaration_is_refused(parse: Parse, word: Any, to_bytes: ToBytes) -> None:
    word.add_paragraph("x")
    bomb = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e "eeeeeeee">]>'

    def declare(xml: bytes) -> bytes:
        return bomb + xml[xml.index(b"?>") + 2 :]

    with pytest.raises(PermanentFault) as caught:
        parse(rewrite(to_bytes(word), {"word/document.xml": declare}), "a.docx")
    assert caught.value.code is ErrorCode.UNSAFE_ARCHIVE


@pytest.mark.parametrize(("with_image", "code"), [(False, ErrorCode.NOTHING_READABLE), (True, ErrorCode.NEEDS_OCR)])
def test_a_document_without_text(
    parse: Parse, word: Any, to_bytes: ToBytes, with_image: bool, code: ErrorCode
) -> None:
    if with_image:
        import pymupdf

        pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8), False)
        word.add_picture(io.BytesIO(pixmap.tobytes("png")))
    with pytest.raises(PermanentFault) as caught:
        parse(to_bytes(word), "a.docx")
    assert caught.value.code is code
