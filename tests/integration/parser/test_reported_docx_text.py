"""What readers of Word documents have been reported to lose, repeat or invent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_BREAK
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from skillnet_common.documents import BlockKind, ParsedDocument, RemovalReason

from .packages import data_of
from .wordml import append, run, with_file

Parse = Callable[..., ParsedDocument]
Outline = Callable[[ParsedDocument], list[tuple[int, str]]]
BlocksOf = Callable[[ParsedDocument, BlockKind], list[str]]


@pytest.fixture
def word() -> Any:
    return docx.Document()


@pytest.mark.parametrize(
    "wrapped",
    [
        "<w:smartTag>{}</w:smartTag>",
        "<w:sdt><w:sdtContent><w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt></w:sdtContent></w:sdt>",
        "<w:customXml><w:ins w:id='1' w:author='a'><w:hyperlink>{}</w:hyperlink></w:ins></w:customXml>",
        "<w:moveTo w:id='1' w:author='a'>{}</w:moveTo>",
        "<w:fldSimple w:instr='DATE'>{}</w:fldSimple>",
        "<w:r><w:ruby><w:rt><w:r><w:t>no</w:t></w:r></w:rt><w:rubyBase>{}</w:rubyBase></w:ruby></w:r>",
        "<m:oMath><m:r><m:t>Texto</m:t></m:r></m:oMath>",
    ],
)
def test_wrapped_runs_are_read(parse: Parse, word: Any, wrapped: str) -> None:
    append(word, f"<w:p>{run('Antes ')}{wrapped.format(run('Texto'))}{run(' después.')}</w:p>")
    assert parse(data_of(word), "a.docx").text == "Antes Texto después."


def test_what_stands_in_controls_around_rows_and_cells_is_read(parse: Parse, word: Any, blocks_of: BlocksOf) -> None:
    cell = "<w:tc><w:p>{}</w:p></w:tc>"
    row = (
        f"<w:tr>{cell.format(run('Pan'))}<w:sdt><w:sdtContent>{cell.format(run('2 €'))}</w:sdtContent></w:sdt></w:tr>"
    )
    append(word, f"<w:tbl>{row}<w:sdt><w:sdtContent>{row.replace('Pan', 'Bollo')}</w:sdtContent></w:sdt></w:tbl>")
    document = parse(data_of(word), "a.docx")
    assert blocks_of(document, BlockKind.TABLE) == ["| Pan | 2 € |\n| --- | --- |\n| Bollo | 2 € |"]
    assert document.warnings == ()


def test_what_a_merged_cell_covers_is_neither_read_nor_missed(parse: Parse, word: Any) -> None:
    cell = "<w:tc><w:tcPr><w:vMerge{}/></w:tcPr><w:p>{}</w:p></w:tc>"
    rows = ((" w:val='restart'", "Zona"), ("", "tapado por la celda de arriba"))
    xml = "".join(
        f"<w:tr>{cell.format(kind, run(text))}<w:tc><w:p>{run('b')}</w:p></w:tc></w:tr>" for kind, text in rows
    )
    append(word, f"<w:tbl>{xml}</w:tbl>")
    document = parse(data_of(word), "a.docx")
    assert document.text == "| Zona | b |\n| --- | --- |\n|  | b |"
    assert document.warnings == ()


@pytest.mark.parametrize("kind", ["page", "column", "textWrapping"])
def test_a_break_keeps_words_apart(parse: Parse, word: Any, kind: str) -> None:
    append(word, f"<w:p>{run('Antes')}<w:r><w:br w:type='{kind}'/></w:r>{run('después.')}</w:p>")
    assert parse(data_of(word), "a.docx").text.split() == ["Antes", "después."]


def test_breaks_of_pages_make_no_page_numbers(parse: Parse, word: Any) -> None:
    """A break and the mark that Word leaves where it last broke the page count the same page twice."""
    for part in ("Uno", "Dos", "Tres"):
        word.add_heading(part, 1)
        word.add_paragraph("Texto.").add_run().add_break(WD_BREAK.PAGE)
        append(word, f"<w:p><w:r><w:lastRenderedPageBreak/></w:r>{run('Sigue.')}</w:p>")
    document = parse(data_of(word), "a.docx")
    assert (document.page_count, document.page_count_estimated, document.page_labels) == (1, True, ())
    assert {(section.page_start, section.page_end) for section in document.sections} == {(None, None)}


def test_codes_of_fields_are_no_text(parse: Parse, word: Any) -> None:
    field = "".join(
        f"<w:r>{part}</w:r>"
        for part in (
            "<w:fldChar w:fldCharType='begin'/>",
            '<w:instrText> HYPERLINK "http://x.es" </w:instrText>',
            "<w:fldChar w:fldCharType='separate'/>",
            "<w:t>la guía</w:t>",
            "<w:fldChar w:fldCharType='end'/>",
        )
    )
    append(word, f"<w:p>{run('Véase ')}{field}{run('.')}</w:p>")
    assert parse(data_of(word), "a.docx").text == "Véase la guía."


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_notes_follow_their_paragraph_once(parse: Parse, word: Any, blocks_of: BlocksOf, kind: str) -> None:
    reference = f"<w:r><w:{kind}Reference w:id='2'/></w:r>"
    append(word, f"<w:p>{run('Uno')}{reference}{run(' y otra vez')}{reference}{run('.')}</w:p>")
    word.add_paragraph("Después.")
    notes = f"<w:{kind}s {nsdecls('w')}><w:{kind} w:id='2'><w:p>{run('Según la norma.')}</w:p></w:{kind}></w:{kind}s>"
    document = parse(with_file(data_of(word), f"{kind}s.xml", f"{kind}s", notes.encode()), "a.docx")
    assert document.text == "Uno (1) y otra vez (1).\n\n(1) Según la norma.\n\nDespués."
    assert blocks_of(document, BlockKind.NOTE) == ["(1) Según la norma."]


def test_boxes_within_boxes_groups_and_cells_are_read_once(parse: Parse, word: Any) -> None:
    def box(content: str) -> str:
        return f"<w:r><w:drawing><wps:txbx><w:txbxContent>{content}</w:txbxContent></wps:txbx></w:drawing></w:r>"

    inner = f"<w:p>{run('Dentro')}</w:p>"
    outer = f"<w:p>{run('Fuera')}{box(inner)}</w:p>"
    append(word, f"<w:p>{run('Antes')}{box(outer)}</w:p>")
    old = f"<v:group><v:textbox><w:txbxContent><w:p>{run('Antiguo')}</w:p></w:txbxContent></v:textbox></v:group>"
    append(word, f"<w:p><w:r><w:pict>{old}</w:pict></w:r></w:p>")
    cell = f"<w:tc><w:p>{run('Celda')}{box(inner.replace('Dentro', 'Metido'))}</w:p></w:tc>"
    append(word, f"<w:tbl><w:tr>{cell}<w:tc><w:p>{run('Otra')}</w:p></w:tc></w:tr></w:tbl>")
    document = parse(data_of(word), "a.docx")
    assert document.text.replace("|", " ").split() == (
        ["Antes", "Fuera", "Dentro", "Antiguo", "Celda", "Metido", "Otra", "---", "---"]
    )
    assert document.warnings == ()


CHART = """<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Ventas</a:t>
</a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:v>Pan</c:v></c:tx><c:cat><c:strLit>
<c:pt idx="0"><c:v>Enero</c:v></c:pt></c:strLit></c:cat><c:val><c:numLit><c:pt idx="0"><c:v>120</c:v></c:pt>
</c:numLit></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"""
DIAGRAM = """<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram"
 xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst><dgm:pt type="doc"/>
<dgm:pt><dgm:t><a:p><a:r><a:t>Recibir</a:t></a:r></a:p></dgm:t></dgm:pt>
<dgm:pt type="parTrans"><dgm:t><a:p/></dgm:t></dgm:pt>
<dgm:pt><dgm:t><a:p><a:r><a:t>Contar</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>"""


@pytest.mark.parametrize(
    ("kind", "part", "reference", "shown"),
    [
        (
            "chart",
            CHART,
            '<c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="added"/>',
            "Ventas\n\n|  | Pan |\n| --- | --- |\n| Enero | 120 |",
        ),
        (
            "diagramData",
            DIAGRAM,
            '<dgm:relIds xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" r:dm="added"/>',
            "- Recibir\n- Contar",
        ),
    ],
)
def test_charts_and_diagrams_are_read_where_they_stand(
    parse: Parse, word: Any, kind: str, part: str, reference: str, shown: str
) -> None:
    drawing = f"<wp:inline><a:graphic><a:graphicData>{reference}</a:graphicData></a:graphic></wp:inline>"
    append(word, f"<w:p>{run('Antes.')}<w:r><w:drawing>{drawing}</w:drawing></w:r></w:p>")
    word.add_paragraph("Después.")
    document = parse(with_file(data_of(word), "parts/one.xml", kind, part.encode()), "a.docx")
    assert document.text == f"Antes.\n\n{shown}\n\nDespués."


def test_tables_four_deep_keep_each_text_once(parse: Parse, word: Any) -> None:
    table = ""
    for depth in range(4, 0, -1):
        inside = f"<w:p>{run(f'hondo {depth}')}</w:p>{table}<w:p/>"
        table = f"<w:tbl><w:tr><w:tc>{inside}</w:tc><w:tc><w:p>{run(f'al lado {depth}')}</w:p></w:tc></w:tr></w:tbl>"
    append(word, table)
    text = parse(data_of(word), "a.docx").text
    assert [text.count(f"{name} {depth}") for name in ("hondo", "al lado") for depth in range(1, 5)] == [1] * 8


def test_a_word_document_within_one_is_part_of_it(parse: Parse, word: Any, headings: Outline) -> None:
    inner = docx.Document()
    inner.add_heading("Anexo", 1)
    inner.add_paragraph("El plazo es de 30 días.")
    word.add_paragraph("Antes.")
    append(word, '<w:altChunk r:id="added"/>')
    word.add_paragraph("Después.")
    document = parse(with_file(data_of(word), "anexo.docx", "aFChunk", data_of(inner)), "a.docx")
    assert document.text == "Antes.\n\nAnexo\n\nEl plazo es de 30 días.\n\nDespués."
    assert headings(document) == [(1, "Anexo")]
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("parte.txt", "Texto añadido.".encode("cp1252")),
        (
            "parte.mht",
            b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\n"
            b"Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
            b"<html><body><p>Texto a=C3=B1adido.</p></body></html>\r\n--b--\r\n",
        ),
    ],
)
def test_chunks_of_text_and_web_archives_are_read(parse: Parse, word: Any, name: str, content: bytes) -> None:
    word.add_paragraph("Antes.")
    append(word, '<w:altChunk r:id="added"/>')
    document = parse(with_file(data_of(word), name, "aFChunk", content), "a.docx")
    assert document.text == "Antes.\n\nTexto añadido."
    assert document.warnings == ()


@pytest.mark.parametrize("content", [b"PK no", b""])
def test_a_damaged_document_within_one_is_told(parse: Parse, word: Any, content: bytes) -> None:
    word.add_paragraph("Antes.")
    append(word, '<w:altChunk r:id="added"/>')
    document = parse(with_file(data_of(word), "anexo.docx", "aFChunk", content), "a.docx")
    assert document.warnings == ("A part of the document is a file of another format that is not read.",)


def test_paragraphs_whose_end_was_deleted_run_together(parse: Parse, word: Any, blocks_of: BlocksOf) -> None:
    deleted_end = "<w:pPr><w:rPr><w:del w:id='1' w:author='a'/></w:rPr></w:pPr>"
    append(word, f"<w:p>{deleted_end}{run('El plazo es ')}</w:p>")
    append(word, f"<w:p>{run('de 30 días.')}</w:p>")
    append(word, f"<w:p>{deleted_end}{run('Antes de la tabla.')}</w:p>")
    table = word.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "a", "b"
    append(word, f"<w:p>{deleted_end}{run('Final.')}</w:p>")
    document = parse(data_of(word), "a.docx")
    assert blocks_of(document, BlockKind.PARAGRAPH) == ["El plazo es de 30 días.", "Antes de la tabla.", "Final."]


def test_deleted_rows_go_and_moved_text_stands_where_it_went(parse: Parse, word: Any) -> None:
    table = word.add_table(2, 2)
    for cell, text in zip(table._cells, ("Pan", "1 €", "borrado", "9 €"), strict=True):
        cell.text = text
    mark = f"<w:trPr {nsdecls('w')}><w:del w:id='1' w:author='a'/></w:trPr>"
    table.rows[1]._tr.insert(0, parse_xml(mark))
    append(word, f"<w:p>{run('A.')}<w:moveFrom w:id='2' w:author='a'>{run('Movido.')}</w:moveFrom></w:p>")
    append(word, f"<w:p>{run('B. ')}<w:moveTo w:id='3' w:author='a'>{run('Movido.')}</w:moveTo></w:p>")
    document = parse(data_of(word), "a.docx")
    assert document.text == "| Pan | 1 € |\n| --- | --- |\n\nA.\n\nB. Movido."
    assert document.warnings == ("The document holds tracked changes: insertions were kept, deletions left out.",)


def test_text_hidden_by_a_style_is_left_out_and_listed(parse: Parse, word: Any) -> None:
    base = word.styles.add_style("Base", WD_STYLE_TYPE.PARAGRAPH)
    base.font.hidden = True
    based = word.styles.add_style("Nota interna", WD_STYLE_TYPE.PARAGRAPH)
    based.base_style = base
    of_run = word.styles.add_style("Secreto", WD_STYLE_TYPE.CHARACTER)
    of_run.font.hidden = True
    word.add_paragraph("oculto 1", style="Nota interna").add_run(" visible 1").font.hidden = False
    word.add_paragraph("visible 2").add_run(" oculto 2", style="Secreto")
    document = parse(data_of(word), "a.docx")
    assert document.text == "visible 1\n\nvisible 2"
    assert [removal.text.strip() for removal in document.removed] == ["oculto 1", "oculto 2"]
    assert {removal.reason for removal in document.removed} == {RemovalReason.HIDDEN}
