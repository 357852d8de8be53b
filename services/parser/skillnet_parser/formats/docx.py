"""DOCX to drafts of blocks, in the order of the body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from skillnet_common.documents import BlockKind, Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.characters import clean_characters
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, text_block
from skillnet_parser.domain.numbering import read_label
from skillnet_parser.domain.tables import render_table
from skillnet_parser.domain.typed_lists import gathered, typed_lists
from skillnet_parser.formats.docx_chunks import read_chunk
from skillnet_parser.formats.docx_frames import read_frame
from skillnet_parser.formats.docx_notes import Notes
from skillnet_parser.formats.docx_numbering import Numbering
from skillnet_parser.formats.docx_package import DocxPackage, W, open_chunk, open_package
from skillnet_parser.formats.docx_running import running_lines
from skillnet_parser.formats.docx_runs import (
    TEXT_BOX,
    RunText,
    choose_alternative,
    count_present,
    is_alternative,
    read_runs,
)
from skillnet_parser.formats.docx_styles import Styles
from skillnet_parser.formats.docx_tables import (
    TRANSPARENT,
    cells_of,
    columns_before,
    columns_of,
    goes_on,
    is_in_table,
    rows_of,
)
from skillnet_parser.formats.ooxml import RELATIONSHIP_ID
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.limits import ParseLimits

_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_ENDS_PARAGRAPHS = frozenset(f"{W}{name}" for name in ("body", "tc", "txbxContent"))
_MAX_HEADING_WORDS = 14
_BOLD_SHARE = 0.95
_DEEPEST_CHUNK = 3  # Word documents within each other
_INDENT = "  "
_MIN_READ = 0.99  # of the letters that the body holds


def read_docx(path: Path, limits: ParseLimits) -> DraftDocument:
    """The blocks of a Word document: paragraphs, headings, lists, tables, notes and text boxes in reading
    order; insertions kept, deletions and hidden text left out.

    Raises `PermanentFault`: corrupt_file, unsafe_archive, needs_ocr, nothing_readable.
    """
    package = open_package(path)
    reader = _Reader(package, limits)
    blocks = list(reader.read())
    if not any(char.isalnum() for block in blocks for piece in block.pieces for char in piece.text):
        raise _refuse_empty(package.document)
    return DraftDocument(
        blocks=tuple(blocks),
        file_type=FileType.DOCX,
        title=reader.title or _core_title(package, blocks) or _first_heading(blocks),
        warnings=tuple(reader.warnings()),
        removed=(*running_lines(package), *reader.removed),
    )


def _refuse_empty(document: etree._Element) -> PermanentFault:
    if next(document.iter("{*}blip", "{*}imagedata"), None) is not None:
        return PermanentFault(
            ErrorCode.NEEDS_OCR, "The document holds images but no text: it needs character recognition (OCR)."
        )
    return PermanentFault(ErrorCode.NOTHING_READABLE, "The document holds no readable text.")


def _core_title(package: DocxPackage, blocks: Sequence[DraftBlock]) -> str | None:
    """The title in the file's properties where the text repeats it; else it is a template's."""
    title = package.core.findtext(_TITLE) if package.core is not None else None
    if not title or not title.strip():
        return None
    opening = " ".join(piece.text for block in blocks[:20] for piece in block.pieces).casefold()
    return title if title.strip().casefold() in opening else None


def _first_heading(blocks: Sequence[DraftBlock]) -> str | None:
    return next((block.pieces[0].text for block in blocks if block.kind is BlockKind.HEADING), None)


class _Reader:
    """Reads one document; counts its numbered paragraphs and notes as it goes."""

    def __init__(self, package: DocxPackage, limits: ParseLimits, depth: int = 0) -> None:
        self._limits = limits
        self._depth = depth
        self._body = package.document
        self._styles = Styles(package.styles)
        self._numbering = Numbering(package.numbering)
        self._notes = Notes(package)
        self._has_headings = any(
            self._styles.heading_level(paragraph) for paragraph in package.document.iter(f"{W}p")
        )
        self._chunks = package.chunks
        self._frames = package.frames
        self._unread_chunks = 0
        self._read_chars = 0
        self.removed: list[Removal] = []
        self._changed = False
        self._carried = ""
        self.title: str | None = None

    def read(self) -> Iterator[DraftBlock]:
        """The body's blocks, consecutive items of lists and entries of contents gathered into one."""
        pending: list[DraftBlock] = []
        for block in typed_lists(self._flow(self._body)):
            if pending and block.kind is not pending[0].kind:
                yield gathered(pending)
                pending = []
            if block.kind in (BlockKind.LIST, BlockKind.CONTENTS):
                pending.append(block)
            else:
                yield block
        if pending:
            yield gathered(pending)

    def warnings(self) -> Iterator[str]:
        if self._changed:
            yield "The document holds tracked changes: insertions were kept, deletions left out."
        if self.removed:
            yield "Hidden text was left out."
        if self._unread_chunks:
            yield "A part of the document is a file of another format that is not read."
        present = count_present(self._body, self._styles)
        if self._read_chars < _MIN_READ * present:
            yield (
                f"Only {self._read_chars} of the {present} letters that the file holds could be read: "
                "the rest stands in elements that are not known."
            )

    def _flow(self, container: etree._Element) -> Iterator[DraftBlock]:
        for child in container.iterchildren(tag=etree.Element):
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self._end_carried()
                yield from self._table(child)
            elif child.tag in TRANSPARENT:
                yield from self._flow(child)
            elif child.tag == f"{W}altChunk":
                yield from self._chunk(child.get(RELATIONSHIP_ID, ""))
            elif is_alternative(child):
                for chosen in choose_alternative(child):
                    yield from self._flow(chosen)
        if container.tag in _ENDS_PARAGRAPHS:
            yield from self._end_carried()

    def _end_carried(self) -> Iterator[DraftBlock]:
        """What runs into no other paragraph, for none follows, is one of its own."""
        if self._carried.strip():
            yield text_block(BlockKind.PARAGRAPH, self._carried)
        self._carried = ""

    def _chunk(self, identifier: str) -> Iterator[DraftBlock]:
        chunk = self._chunks.get(identifier)
        blocks: Sequence[DraftBlock] | None = None
        if chunk is not None:
            blocks = self._nested(chunk.data) if chunk.is_word else read_chunk(chunk)
        if blocks is None:
            self._unread_chunks += 1
        else:
            yield from blocks

    def _nested(self, data: bytes) -> list[DraftBlock] | None:
        """The blocks of a Word document within this one; None where it cannot be read. Raises `PermanentFault`:
        unsafe_archive."""
        if self._depth == _DEEPEST_CHUNK:
            return None
        package = open_chunk(data, self._limits)
        if package is None:
            return None
        reader = _Reader(package, self._limits, self._depth + 1)
        blocks = list(reader.read())
        self.removed += reader.removed
        self._changed = self._changed or reader._changed
        self._unread_chunks += reader._unread_chunks
        return blocks

    def _paragraph(self, paragraph: etree._Element) -> Iterator[DraftBlock]:
        runs = self._read_runs(paragraph)
        self._read_chars += runs.chars
        text = self._carried + runs.text
        if paragraph.find(f"{W}pPr/{W}rPr/{W}del") is not None:
            self._carried = text  # its end was deleted: it runs into the next
        else:
            self._carried = ""
            yield from self._text_blocks(paragraph, runs, text)
        for reference in runs.notes:
            yield from self._note(reference)
        for box in runs.boxes:
            yield from self._flow(box) if box.tag == TEXT_BOX else read_frame(box, self._frames)

    def _text_blocks(self, paragraph: etree._Element, runs: RunText, text: str) -> Iterator[DraftBlock]:
        place = self._styles.list_place(paragraph)
        if not text.strip():
            return
        label = self._numbering.label(place) if place is not None else ""
        labelled = f"{label} {text}" if label else text
        level = self._heading_level(paragraph, runs, labelled)
        if self._styles.is_contents(paragraph):
            yield text_block(BlockKind.CONTENTS, text)
        elif self._styles.is_contents_heading(paragraph):
            yield text_block(BlockKind.PARAGRAPH, text)
        elif level:
            if self._styles.is_title(paragraph) and self.title is None:
                self.title = text
            yield text_block(BlockKind.HEADING, " ".join(labelled.split()), level)
        elif place is not None:
            yield text_block(BlockKind.LIST, _INDENT * place.shown_depth + labelled.strip())
        else:
            yield text_block(BlockKind.PARAGRAPH, text)

    def _heading_level(self, paragraph: etree._Element, runs: RunText, text: str) -> int:
        if self._styles.is_title(paragraph):
            return 1
        level = self._styles.heading_level(paragraph)
        if level or self._has_headings:
            return level
        return self._guess_level(paragraph, runs, text)

    def _guess_level(self, paragraph: etree._Element, runs: RunText, text: str) -> int:
        """A document without heading styles: short paragraphs all in bold head what follows."""
        stripped = text.strip()
        if len(stripped.split()) > _MAX_HEADING_WORDS or stripped.endswith((".", ",", ";", ":")):
            return 0
        bold = runs.bold_chars >= _BOLD_SHARE * max(runs.chars, 1) or self._styles.is_bold(paragraph)
        if not bold or sum(char.isalpha() for char in stripped) < 3 or is_in_table(paragraph):
            return 0
        label = read_label(stripped)
        return label.rank + 1 if label is not None else 1

    def _read_runs(self, paragraph: etree._Element) -> RunText:
        runs = read_runs(paragraph, self._styles, self._notes.label)
        self.removed += [Removal(RemovalReason.HIDDEN, None, clean_characters(text)) for text in runs.hidden]
        self._changed = self._changed or runs.changed
        return runs

    def _note(self, reference: etree._Element) -> Iterator[DraftBlock]:
        """The note behind a reference, under the number it has in the text."""
        taken = self._notes.take(reference)
        if taken is None:
            return
        number, note = taken
        paragraphs = [self._read_runs(paragraph).text.strip() for paragraph in note.iter(f"{W}p")]
        text = "\n".join(paragraph for paragraph in paragraphs if paragraph)
        if text:
            yield text_block(BlockKind.NOTE, f"({number}) {text}")

    def _table(self, table: etree._Element) -> Iterator[DraftBlock]:
        """A table; one of a single column only frames what is in it and is read as part of the flow."""
        rows = list(rows_of(table))
        if all(len(list(cells_of(row))) <= 1 for row in rows):
            for row in rows:
                for cell in cells_of(row):
                    yield from self._flow(cell)
            return
        notes: list[DraftBlock] = []
        grid = [self._table_row(row, notes) for row in rows]
        yield text_block(BlockKind.TABLE, render_table(grid))
        yield from notes

    def _table_row(self, row: etree._Element, notes: list[DraftBlock]) -> list[str]:
        """The row's cells; one that spans several columns is written once and followed by empty ones, one
        that goes on from the row above is empty."""
        texts = [""] * columns_before(row)
        for cell in cells_of(row):
            texts.append("" if goes_on(cell) else self._cell_text(cell, notes))
            texts += [""] * (columns_of(cell) - 1)
        return texts

    def _cell_text(self, cell: etree._Element, notes: list[DraftBlock]) -> str:
        """A cell's blocks on one line; a nested table row by row."""
        parts: list[str] = []
        for block in self._flow(cell):
            text = " ".join(piece.text.strip() for piece in block.pieces)
            if block.kind is BlockKind.NOTE:
                notes.append(block)
            elif block.kind is BlockKind.TABLE:
                lines = [line for line in text.split("\n") if not line.startswith("| ---")]
                parts.append("; ".join(line.strip("| ").replace(" | ", " – ") for line in lines))
            else:
                parts.append(text)
        return "\n".join(part for part in parts if part)
