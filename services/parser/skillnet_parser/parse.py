"""A file on disk to a `ParsedDocument`. Runs inside the sandbox's child process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skillnet_common.documents import ParsedDocument
from skillnet_common.documents.invariants import check_invariants
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.canonical import build_document
from skillnet_parser.domain.draft import DraftDocument
from skillnet_parser.formats.docx import read_docx
from skillnet_parser.formats.markdown import read_markdown
from skillnet_parser.formats.pdf import read_pdf
from skillnet_parser.formats.sniff import FileType, sniff_type
from skillnet_parser.formats.text import read_text
from skillnet_parser.limits import ParseLimits

Progress = Callable[[int, int], None]


def parse_path(path: Path, file_name: str, limits: ParseLimits, on_progress: Progress) -> ParsedDocument:
    """Reads the file at `path`; `file_name` is what its sender calls it.

    `on_progress(pages_done, pages_total)` is called as pages are read. The language is not told yet
    (`domain.language.with_language`). Raises `PermanentFault` with the reason where the file cannot become a
    document.
    """
    try:
        file_type = sniff_type(path, file_name, limits)
        draft = _read(path, file_type, limits, on_progress)
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


def _read(path: Path, file_type: FileType, limits: ParseLimits, on_progress: Progress) -> DraftDocument:
    match file_type:
        case FileType.PDF:
            return read_pdf(path, limits, on_progress)
        case FileType.DOCX:
            return read_docx(path)
        case FileType.MARKDOWN:
            return read_markdown(path)
        case FileType.TEXT:
            return read_text(path)
