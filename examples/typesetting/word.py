"""Sets a source as a DOCX with Word's own heading, list and table styles."""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import Any

import docx
from docx.document import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.table import _Cell
from docx.text.paragraph import Paragraph as WordParagraph

from typesetting.blocks import (
    Block,
    Directive,
    Heading,
    ListItem,
    Note,
    Paragraph,
    Runs,
    Table,
)
from typesetting.source import Source

WRITTEN = datetime(2026, 1, 15, 9, 0, tzinfo=UTC)
ZIP_DATE = (2026, 1, 15, 9, 0, 0)
COMPANY = "Panadería La Espiga Dorada, S. L."
WORD_LOCALES = {"es": "es-ES", "pt": "pt-PT"}
ALIGNMENTS = {
    "left": WD_ALIGN_PARAGRAPH.LEFT,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
    "center": WD_ALIGN_PARAGRAPH.CENTER,
}


def render_docx(source: Source) -> bytes:
    """The finished file; its archive carries fixed dates so that a second run gives the same bytes."""
    document = docx.Document()
    _set_properties(document, source)
    _set_marginals(document, source)
    writer = _Writer(document)
    for block in source.blocks:
        writer.add(block)
    buffer = io.BytesIO()
    document.save(buffer)
    return _with_fixed_dates(buffer.getvalue())


class _Writer:
    """Adds block after block; remembers the numbering of the list it is in."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._list_number = 0

    def add(self, block: Block) -> None:
        match block:
            case Heading(level, text):
                self._document.add_heading(text, level - 1)
            case Paragraph(runs):
                _add_runs(self._document.add_paragraph(), runs)
            case Note(runs):
                _add_runs(self._document.add_paragraph(style="Intense Quote"), runs)
            case ListItem():
                self._add_list_item(block)
            case Table():
                self._add_table(block)
            case Directive("page-break"):
                self._document.add_page_break()
            case Directive(name):
                raise ValueError(f"{name} is not supported in DOCX")

    def _add_list_item(self, item: ListItem) -> None:
        style = "List Bullet" if item.number is None else "List Number"
        paragraph = self._document.add_paragraph(style=f"{style} 2" if item.depth else style)
        _add_runs(paragraph, item.runs)
        if item.number is not None:
            if item.first:
                self._list_number = _new_numbering(self._document, paragraph)
            _set_numbering(paragraph, self._list_number)

    def _add_table(self, table: Table) -> None:
        word_table = self._document.add_table(rows=0, cols=len(table.header), style="Table Grid")
        for row in (table.header, *table.rows):
            for cell, runs, alignment in zip(word_table.add_row().cells, row, table.alignments, strict=True):
                _fill_cell(cell, runs, alignment, bold=row is table.header)
        _repeat_header_row(word_table.rows[0]._tr)
        self._document.add_paragraph()


def _add_runs(paragraph: WordParagraph, runs: Runs, *, bold: bool = False) -> None:
    for run in runs:
        word_run = paragraph.add_run(run.text)
        word_run.bold = True if run.bold or bold else None
        word_run.italic = True if run.italic else None


def _fill_cell(cell: _Cell, runs: Runs, alignment: str, *, bold: bool) -> None:
    paragraph = cell.paragraphs[0]
    paragraph.alignment = ALIGNMENTS[alignment]
    _add_runs(paragraph, runs, bold=bold)
    for run in paragraph.runs:
        run.font.size = Pt(9.5)


def _repeat_header_row(row: Any) -> None:
    row.get_or_add_trPr().append(OxmlElement("w:tblHeader"))


def _new_numbering(document: Document, paragraph: WordParagraph) -> int:
    """A numbering of its own for a list: without it Word goes on counting from the list before."""
    numbering = document.part.numbering_part.element
    style_number = paragraph.style.element.xpath(".//w:numId/@w:val")[0]  # type: ignore[union-attr]
    abstract = numbering.num_having_numId(int(style_number)).abstractNumId.val
    number = numbering.add_num(abstract)
    number.add_lvlOverride(ilvl=0).add_startOverride(1)
    return int(number.numId)


def _set_numbering(paragraph: WordParagraph, number: int) -> None:
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = 0
    properties.get_or_add_numId().val = number


def _set_properties(document: Document, source: Source) -> None:
    properties = document.core_properties
    properties.title = source.title
    properties.author = properties.last_modified_by = COMPANY
    properties.comments = ""
    properties.language = WORD_LOCALES[source.language]
    properties.created = properties.modified = WRITTEN
    language = document.styles.element.xpath("./w:docDefaults//w:lang")[0]
    language.set(qn("w:val"), WORD_LOCALES[source.language])


def _set_marginals(document: Document, source: Source) -> None:
    section = document.sections[0]
    section.header.paragraphs[0].text = source.style.header.replace(" | ", "\t\t")
    footer = section.footer.paragraphs[0]
    before, placeholder, after = source.style.footer.replace(" | ", "\t\t").partition("{page}")
    footer.add_run(before)
    if placeholder:
        _add_page_field(footer)
        footer.add_run(after)


def _add_page_field(paragraph: WordParagraph) -> None:
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    paragraph._p.append(field)


def _with_fixed_dates(archive: bytes) -> bytes:
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as original,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as fixed,
    ):
        for name in original.namelist():
            fixed.writestr(zipfile.ZipInfo(name, ZIP_DATE), original.read(name), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
