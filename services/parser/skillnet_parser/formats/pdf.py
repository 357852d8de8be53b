"""PDF to drafts of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from skillnet_common.documents import Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.bookmarks import Bookmark
from skillnet_parser.domain.characters import clean_characters
from skillnet_parser.domain.compose import compose
from skillnet_parser.domain.draft import DraftDocument
from skillnet_parser.domain.layout import PageLayout
from skillnet_parser.domain.titles import choose_title
from skillnet_parser.formats.pdf_page import PageReading, read_page
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.limits import ParseLimits

MIN_PAGE_CHARS = 20  # fewer on a page with a large image: a scan
SCAN_COVER = 0.5  # of the page, by images
MAX_UNREADABLE = 0.02  # of a page's characters
_LISTED_PAGES = 12
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
    nothing_readable. Pages that need character recognition among readable ones become a warning.
    """
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    pymupdf.no_recommend_layout()  # it would be printed among results
    with _open(path) as document:
        pages = _Pages()
        for index in range(_count_pages(document, limits)):
            pages.add(_read_page(document, index))
            if index % _PROGRESS_STEP == 0:
                on_progress(index, document.page_count)
        on_progress(document.page_count, document.page_count)
        pages.refuse_unreadable()
        title = choose_title((document.metadata or {}).get("title"), pages.layouts)
        blocks, removed = compose(pages.layouts, _read_bookmarks(document), title)
        return DraftDocument(
            blocks=tuple(blocks),
            file_type=FileType.PDF,
            page_count=document.page_count,
            title=title,
            page_labels=_read_labels(document),
            warnings=tuple(pages.warnings()),
            removed=(*pages.removed, *removed),
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


def _read_page(document: Any, index: int) -> PageReading | None:
    """None where the page itself is damaged; the others are still read."""
    try:
        return read_page(document[index], index + 1)
    except _FAULTS as error:
        if "malloc" in str(error) or "out of memory" in str(error).lower():
            raise MemoryError(str(error)) from error
        return None


@dataclass(slots=True)
class _Pages:
    """The pages read so far, and what was wrong with them."""

    layouts: list[PageLayout] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    removed: list[Removal] = field(default_factory=list)
    readable_chars: int = 0
    has_images: bool = False

    def add(self, reading: PageReading | None) -> None:
        number = len(self.layouts) + 1
        if reading is None:
            self.broken.append(number)
            self.layouts.append(PageLayout(number, 1.0, 1.0, ()))
            return
        self.has_images = self.has_images or reading.image_cover > 0
        if reading.has_hidden_text:
            self.hidden.append(number)
            self.removed += [Removal(RemovalReason.HIDDEN, number, text) for text in reading.hidden_texts]
        if reading.unreadable > MAX_UNREADABLE * max(reading.chars, 1):
            self.garbled.append(number)
            garbled = "\n".join(fragment.text for fragment in reading.layout.fragments)
            self.removed.append(Removal(RemovalReason.UNREADABLE, number, garbled))
            self.layouts.append(PageLayout(number, reading.layout.width, reading.layout.height, ()))
            return
        if reading.chars < MIN_PAGE_CHARS and reading.image_cover >= SCAN_COVER:
            self.scanned.append(number)
        if reading.has_recognised_text:
            self.recognised.append(number)
        self.readable_chars += reading.chars
        self.layouts.append(reading.layout)

    def refuse_unreadable(self) -> None:
        """Raises `PermanentFault` where no page has text worth reading."""
        if len(self.broken) == len(self.layouts):
            raise _corrupt()
        needing = sorted({*self.scanned, *self.garbled})
        if needing and self.readable_chars < MIN_PAGE_CHARS:
            raise PermanentFault(
                ErrorCode.NEEDS_OCR,
                "The PDF holds no text that can be read, only images or fonts without letters. "
                f"Character recognition (OCR) is needed for {_list_pages(needing)}.",
                pages=needing,
            )
        if self.readable_chars == 0:
            if self.has_images:
                raise PermanentFault(
                    ErrorCode.NEEDS_OCR, "The PDF holds images but no text: it needs character recognition (OCR)."
                )
            raise PermanentFault(ErrorCode.NOTHING_READABLE, "The PDF holds no readable text.")

    def warnings(self) -> Iterator[str]:
        if self.scanned:
            yield f"Not read, for they are scanned images: {_list_pages(self.scanned)}."
        if self.garbled:
            yield f"Not read, for their fonts do not say which letters they show: {_list_pages(self.garbled)}."
        if self.broken:
            yield f"Not read, for they are damaged: {_list_pages(self.broken)}."
        if self.recognised:
            yield f"Text that a scanner recognised, which may hold errors: {_list_pages(self.recognised)}."
        if self.hidden:
            yield f"Invisible text was left out: {_list_pages(self.hidden)}."


def _list_pages(numbers: Sequence[int]) -> str:
    shown = ", ".join(str(number) for number in numbers[:_LISTED_PAGES])
    more = f" and {len(numbers) - _LISTED_PAGES} more" if len(numbers) > _LISTED_PAGES else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {shown}{more}"


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
