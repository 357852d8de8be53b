"""XLSX to drafts of blocks: a section a sheet, its cells as tables."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from xml.etree.ElementTree import ParseError

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.workbook import Workbook
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from skillnet_common.documents import BlockKind, Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.draft import DraftBlock, DraftDocument, text_block
from skillnet_parser.domain.grids import read_grid
from skillnet_parser.domain.merged_heads import Spans, join_heads
from skillnet_parser.domain.number_formats import show_value
from skillnet_parser.formats.ooxml import DAMAGE, read_part, refuse_doctypes, relationships_of, transitional_copy
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.formats.xlsx_places import MAX_ROWS, SheetPlaces, read_places
from skillnet_parser.limits import MEBIBYTE, ParseLimits

_MAX_PLACES = 20_000_000
"""Of a sheet, from its first column to the last cell of each row: a file with more means to exhaust."""
_TOLD_ROWS, _TOLD_CHARS = 200, 10_000
"""Of a hidden sheet: it is told of, not read."""
_EMPTY = (None, "")
_CHUNK = MEBIBYTE
_OVERLAP = 64
_UNCOMPUTED = re.compile(rb"(?:</f>|<f\b[^>]*/>)(?:<v\s*/>|<v></v>)?\s*</c>")
_DAMAGE = (
    *DAMAGE,
    ParseError,
    InvalidFileException,
    # what openpyxl lets through where parts are missing or hold what they must not
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    OverflowError,
)


def read_xlsx(path: Path, limits: ParseLimits) -> DraftDocument:
    """The visible sheets of a workbook: values as they are shown, those of formulas as they were last computed.

    Raises `PermanentFault`: corrupt_file, unsafe_archive, document_too_large.
    """
    with warnings.catch_warnings(), path.open("rb") as file:
        warnings.simplefilter("ignore")  # of parts that openpyxl cannot write back
        try:
            with zipfile.ZipFile(file) as archive:
                refuse_doctypes(archive)
                uncomputed = sum(_count_uncomputed(archive, name) for name in archive.namelist())
                named, source = _sheet_names(archive), transitional_copy(archive) or file
            workbook = openpyxl.load_workbook(source, read_only=True, data_only=True)
        except _DAMAGE as error:
            raise _damaged() from error
        missing = [name for name in named if name not in workbook.sheetnames]
        if not workbook.sheetnames:
            raise _damaged()
        reader = _Reader(workbook, limits)
        blocks = tuple(reader.read())
    return DraftDocument(
        blocks,
        FileType.XLSX,
        title=workbook.properties.title or None,
        warnings=tuple(_warnings(reader, missing, uncomputed)),
        removed=tuple(reader.removed),
    )


def _sheet_names(archive: zipfile.ZipFile) -> list[str]:
    """All sheets that the workbook names: openpyxl passes over those whose part is missing."""
    main = next((part.target for part in relationships_of(archive, "") if part.kind == "officeDocument"), None)
    root = read_part(archive, main)
    return [sheet.get("name", "") for sheet in root.iterfind("{*}sheets/{*}sheet")] if root is not None else []


def _damaged() -> PermanentFault:
    return PermanentFault(ErrorCode.CORRUPT_FILE, "The Excel workbook is damaged and cannot be read.")


def _warnings(reader: _Reader, missing: list[str], uncomputed: int) -> Iterator[str]:
    if reader.hidden:
        yield f"Hidden sheets were left out: {', '.join(reader.hidden)}."
    if reader.folded:
        yield f"Hidden rows and columns were left out: {', '.join(reader.folded)}."
    if missing:
        yield f"Sheets that the file names but does not hold: {', '.join(missing)}."
    if uncomputed:
        yield (
            f"{uncomputed} formulas hold no computed value and were left out: open the workbook in Excel and save it."
        )


def _count_uncomputed(archive: zipfile.ZipFile, name: str) -> int:
    """Formulas of a sheet that a program wrote without their values."""
    if not name.lower().startswith("xl/worksheets/") or not name.lower().endswith(".xml"):
        return 0
    count, tail = 0, b""
    with archive.open(name) as part:
        while chunk := part.read(_CHUNK):
            data = tail + chunk
            found = list(_UNCOMPUTED.finditer(data))
            count += len(found)
            tail = data[max(len(data) - _OVERLAP, found[-1].end() if found else 0) :]
    return count


class _Reader:
    def __init__(self, workbook: Workbook, limits: ParseLimits) -> None:
        self._workbook = workbook
        self._chars_left = limits.max_text_chars
        self.hidden: list[str] = []
        """Names of sheets."""
        self.folded: list[str] = []
        """Names of sheets with hidden rows or columns that hold something."""
        self.removed: list[Removal] = []

    def read(self) -> Iterator[DraftBlock]:
        """A heading and the tables of each visible sheet that holds something."""
        for sheet in self._workbook.worksheets:
            if sheet.sheet_state != "visible":
                self._hide(sheet)
                continue
            sheet.reset_dimensions()  # what the file says of them is often wrong
            places = _read_places(sheet)
            spans = places.visible_spans()
            rows = join_heads(self._rows(sheet, places), spans)
            blocks = list(read_grid(rows, _covered(spans)))
            if blocks:
                yield text_block(BlockKind.HEADING, sheet.title, 1)
                yield from blocks

    def _hide(self, sheet: ReadOnlyWorksheet) -> None:
        """Tells of a sheet that is left out, and of its text as far as its first rows."""
        self.hidden.append(sheet.title)
        sheet.reset_dimensions()
        shown: list[str] = []
        for row in islice(_read_rows(sheet), _TOLD_ROWS):
            shown += [text for value, code in row if (text := show_value(value, code))]
        if shown:
            self.removed.append(Removal(RemovalReason.HIDDEN, None, " ".join(shown)[:_TOLD_CHARS]))

    def _rows(self, sheet: ReadOnlyWorksheet, hidden: SheetPlaces) -> Iterator[tuple[int, list[str]]]:
        """The number and the visible cells of each visible row."""
        dropped: list[str] = []
        for number, cells in enumerate(self._all_rows(sheet), start=1):
            if number in hidden.rows:
                dropped += cells
            elif hidden.columns:
                dropped += [cell for column, cell in enumerate(cells, start=1) if column in hidden.columns]
                yield number, [cell for column, cell in enumerate(cells, start=1) if column not in hidden.columns]
            else:
                yield number, cells
        text = " ".join(cell for cell in dropped if cell)
        if text:
            self.folded.append(sheet.title)
            self.removed.append(Removal(RemovalReason.HIDDEN, None, text))

    def _all_rows(self, sheet: ReadOnlyWorksheet) -> Iterator[list[str]]:
        places = 0
        for row in _read_rows(sheet):
            places += len(row)
            cells = [show_value(value, code) for value, code in row]
            while cells and not cells[-1]:
                cells.pop()
            self._chars_left -= sum(map(len, cells))
            if self._chars_left < 0 or places > _MAX_PLACES:
                raise PermanentFault(
                    ErrorCode.DOCUMENT_TOO_LARGE, "The workbook holds too many cells. Split it into parts."
                )
            yield cells


def _covered(spans: Spans) -> set[int]:
    """The columns that merged cells of several rows run over: a title above is merged once."""
    steps: Counter[int] = Counter()
    for row in spans.values():
        for span in row:
            steps[span.start + 1] += 1
            steps[span.stop] -= 1
    rows = accumulate(steps[column] for column in range(max(steps, default=0)))
    return {column for column, count in enumerate(rows) if count > 1}


def _read_places(sheet: ReadOnlyWorksheet) -> SheetPlaces:
    try:
        with sheet._get_source() as source:
            return read_places(source)
    except _DAMAGE as error:
        raise _damaged() from error


def _read_rows(sheet: ReadOnlyWorksheet) -> Iterator[list[tuple[object, str]]]:
    """Values and number formats. What is missing or wrong in a file shows only as it is read."""
    rows = iter(sheet.iter_rows(max_row=MAX_ROWS))
    while True:
        try:
            row = [(cell.value, cell.number_format) if cell.value is not None else _EMPTY for cell in next(rows)]
        except StopIteration:
            return
        except _DAMAGE as error:
            raise _damaged() from error
        yield row
