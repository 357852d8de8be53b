"""A file on disk to a `ParsedDocument`. Runs inside the sandbox's child process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.invariants import check_invariants
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.canonical import build_document
from skillnet_parser.domain.draft import DraftDocument
from skillnet_parser.formats.course import read_course
from skillnet_parser.formats.csv import read_csv
from skillnet_parser.formats.docx import read_docx
from skillnet_parser.formats.html import read_html
from skillnet_parser.formats.markdown import read_markdown
from skillnet_parser.formats.pdf import read_pdf
from skillnet_parser.formats.pptx import read_pptx
from skillnet_parser.formats.sniff import FileType, sniff_type
from skillnet_parser.formats.text import read_text
from skillnet_parser.formats.xlsx import read_xlsx
from skillnet_parser.limits import ParseLimits

Progress = Callable[[int, int], None]
Reader = Callable[[Path, ParseLimits, Progress], DraftDocument]

_READERS: dict[FileType, Reader] = {
    FileType.PDF: read_pdf,
    FileType.DOCX: lambda path, limits, _progress: read_docx(path, limits),
    FileType.PPTX: read_pptx,
    FileType.XLSX: lambda path, limits, _progress: read_xlsx(path, limits),
    FileType.HTML: lambda path, _limits, _progress: read_html(path),
    FileType.CSV: lambda path, _limits, _progress: read_csv(path),
    FileType.MARKDOWN: lambda path, _limits, _progress: read_markdown(path),
    FileType.TEXT: lambda path, _limits, _progress: read_text(path),
    FileType.COURSE: lambda path, _limits, _progress: read_course(path),
}


def parse_path(path: Path, file_name: str, limits: ParseLimits, on_progress: Progress) -> ParsedDocument:
    """Reads the file at `path`; `file_name` is what its sender calls it.

    `on_progress(pages_done, pages_total)` is called as pages are read. The language is not told yet
    (`domain.language.with_language`). Raises `PermanentFault` with the reason where the file cannot become a
    document.
    """
    try:
        file_type = sniff_type(path, file_name, limits)
        draft = _READERS[file_type](path, limits, on_progress)
    except FileNotFoundError as error:
        raise PermanentFault(ErrorCode.ORIGINAL_MISSING, "The stored file no longer exists.") from error
    except RecursionError as error:
        raise PermanentFault(
            ErrorCode.CORRUPT_FILE, "The document's parts are nested too deeply to be read."
        ) from error
    document = build_document(draft)
    if len(document.text) > limits.max_text_chars:
        raise PermanentFault(
            ErrorCode.DOCUMENT_TOO_LARGE,
            f"The document's text has {len(document.text)} characters; at most {limits.max_text_chars} are taken. "
            "Split it into parts.",
        )
    if not any(char.isalnum() for char in document.text):
        raise PermanentFault(ErrorCode.NOTHING_READABLE, "The document holds no readable text.")
    check_invariants(document)
    return document
