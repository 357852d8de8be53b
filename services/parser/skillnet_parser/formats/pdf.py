"""PDF to drafts of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pymupdf

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.bookmarks import Bookmark
from skillnet_parser.domain.characters import clean_characters
from skillnet_parser.domain.compose import compose
from skillnet_parser.domain.draft import DraftDocument
from skillnet_parser.domain.recognised import add_lines_within
from skillnet_parser.domain.titles import choose_title
from skillnet_parser.formats.pdf_ocr import Recogniser
from skillnet_parser.formats.pdf_page import PageReading, read_page
from skillnet_parser.formats.pdf_pages import PageCollection
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.limits import ParseLimits

_FAULTS = (
    pymupdf.mupdf.FzErrorBase,
    RuntimeError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ZeroDivisionError,
)
"""What PyMuPDF raises on a damaged part depends on where it stumbles."""
_PROGRESS_STEP = 10


def read_pdf(path: Path, limits: ParseLimits, on_progress: Callable[[int, int], None]) -> DraftDocument:
    """The blocks of a PDF, with the page and place of every line.

    Raises `PermanentFault`: corrupt_file, password_required, no_pages, too_many_pages, needs_ocr,
    nothing_readable. Pages without readable text are put to character recognition where the limits have it;
    else, and where it finds nothing, they become a warning if there are others.
    """
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()  # it would be printed among results
    with _open(path) as document:
        pages = PageCollection(is_repaired=bool(document.is_repaired))
        recogniser = Recogniser(limits.ocr) if limits.ocr is not None else None
        for index in range(_count_pages(document, limits)):
            was_recognised = _add_page(pages, document, index, recogniser)
            if was_recognised or index % _PROGRESS_STEP == 0:
                on_progress(index, document.page_count)
        on_progress(document.page_count, document.page_count)
        pages.refuse_unreadable()
        layouts = pages.steady_layouts()
        title = choose_title((document.metadata or {}).get("title"), layouts)
        blocks, removed = compose(layouts, _read_bookmarks(document), title)
        return DraftDocument(
            blocks=tuple(blocks),
            file_type=FileType.PDF,
            page_count=document.page_count,
            title=title,
            page_labels=_read_labels(document),
            warnings=tuple(pages.warnings()),
            removed=(*pages.removed, *removed),
            ocr_pages=pages.ocr_pages,
        )


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    """The document, opened and unlocked. Owner passwords only restrict printing and copying."""
    try:
        document = pymupdf.open(path, filetype="pdf")
    except _FAULTS as error:
        # A file encrypted for the holder of a certificate does not even open.
        raise (_locked() if "encryption" in str(error.__cause__) else _corrupt()) from error
    with document:
        if document.needs_pass and not document.authenticate(""):
            raise _locked()
        yield document


def _count_pages(document: Any, limits: ParseLimits) -> int:
    try:
        count = int(document.page_count)
    except _FAULTS as error:
        raise _corrupt() from error
    if count == 0:
        raise PermanentFault(ErrorCode.NO_PAGES, "The PDF has no pages.")
    if count > limits.max_pages:
        raise PermanentFault(
            ErrorCode.TOO_MANY_PAGES,
            f"The PDF has {count} pages; at most {limits.max_pages} are read. Split it into parts.",
            pages=count,
            limit=limits.max_pages,
        )
    return count


def _locked() -> PermanentFault:
    return PermanentFault(
        ErrorCode.PASSWORD_REQUIRED, "The PDF is protected by a password or certificate: save it without."
    )


def _corrupt() -> PermanentFault:
    return PermanentFault(ErrorCode.CORRUPT_FILE, "The PDF is damaged and cannot be opened.")


def _add_page(pages: PageCollection, document: Any, index: int, recogniser: Recogniser | None) -> bool:
    """Whether the page was put to character recognition."""
    reading = _on_page(lambda: read_page(document[index], index + 1, pages.last_table))
    if reading is None:
        pages.add_broken()
        return False
    if _has_gaps(document, index):
        pages.incomplete.append(index + 1)
    if recogniser is None or not _needs_recognition(reading) or not recogniser.has_left():
        pages.add(reading)
        return False
    recognised = _on_page(lambda: recogniser.read(document[index], index + 1))
    if reading.unread_image is not None and not reading.is_garbled:
        _add_pictured(pages, reading, recognised)
    elif recognised is None:
        pages.add_missed(reading)
    else:
        pages.add_recognised(reading, recognised)
    return True


def _has_gaps(document: Any, index: int) -> bool:
    """Whether the file does not hold a page that it counts, or what the page names as its contents."""
    try:
        page = document[index]
        kind, named = document.xref_get_key(page.xref, "Contents")
        if kind == "null":
            return bool(document.xref_object(page.xref) == "null")
        streams = [document.xref_is_stream(number) for number in page.get_contents()]
        return not all(streams) or (not streams and named != "[]")
    except _FAULTS:
        return True


def _needs_recognition(reading: PageReading) -> bool:
    return reading.is_scan or reading.is_garbled or reading.unread_image is not None


def _add_pictured(pages: PageCollection, reading: PageReading, recognised: PageReading | None) -> None:
    """A page of text beside an image whose print may have been recognised."""
    place = reading.unread_image
    layout = recognised and place and add_lines_within(reading.layout, recognised.layout, place)
    if layout:
        pages.add_recognised(reading, replace(reading, layout=layout, unread_image=None))
    else:
        pages.add(reading)


def _on_page(read: Callable[[], PageReading | None]) -> PageReading | None:
    """None where the page itself is damaged; the others are still read."""
    try:
        return read()
    except _FAULTS as error:
        if "malloc" in str(error) or "out of memory" in str(error).lower():
            raise MemoryError(str(error)) from error
        return None


def _read_bookmarks(document: Any) -> list[Bookmark]:
    try:
        entries = document.get_toc(simple=True)
    except _FAULTS:
        return []  # a damaged outline is no reason to lose the text
    return [Bookmark(level, clean_characters(title), page) for level, title, page in entries if page > 0]


def _read_labels(document: Any) -> tuple[str, ...]:
    """The printed page numbers, or () where the file gives none."""
    try:
        if not document.get_page_labels():
            return ()
        labels = tuple(document[index].get_label() for index in range(document.page_count))
    except _FAULTS:
        return ()
    return labels if any(labels) else ()
