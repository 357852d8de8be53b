"""The pages of a PDF as they are read, what was wrong with them, and whether enough is left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from skillnet_common.documents import Removal, RemovalReason
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.layout import PageLayout, TableRegion
from skillnet_parser.domain.recognised import steady_sizes
from skillnet_parser.formats.pdf_page import PageReading
from skillnet_parser.formats.pdf_scan import MIN_PAGE_CHARS

_LISTED_PAGES = 12


@dataclass(slots=True)
class PageCollection:
    """Each list holds the numbers of pages. A page in `scanned` or `garbled` has text that was not read; those in
    `missed` were put to recognition in vain; those in `layered` hold a scanner's own text; `recognised` were read by
    character recognition here; those in `pictured` hold a large image with print that was not; those in `incomplete`
    lack parts. `is_repaired` tells that the file as a whole was damaged."""

    layouts: list[PageLayout] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    garbled: list[int] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)
    broken: list[int] = field(default_factory=list)
    hidden: list[int] = field(default_factory=list)
    layered: list[int] = field(default_factory=list)
    recognised: list[int] = field(default_factory=list)
    pictured: list[int] = field(default_factory=list)
    incomplete: list[int] = field(default_factory=list)
    removed: list[Removal] = field(default_factory=list)
    readable_chars: int = 0
    has_images: bool = False
    is_repaired: bool = False

    def add_broken(self) -> None:
        """A page that is damaged itself."""
        number = len(self.layouts) + 1
        self.broken.append(number)
        self.layouts.append(PageLayout(number, 1.0, 1.0, ()))

    def add(self, reading: PageReading) -> None:
        """A page as its file says it is."""
        number = reading.layout.number
        self._note(reading)
        if reading.is_garbled:
            self.garbled.append(number)
            self.layouts.append(PageLayout(number, reading.layout.width, reading.layout.height, ()))
            return
        if reading.unread_image is not None:
            self.pictured.append(number)
        if reading.is_scan:
            self.scanned.append(number)
        else:
            self.readable_chars += reading.chars
        if reading.has_recognised_text:
            self.layered.append(number)
        self.layouts.append(reading.layout)

    def add_recognised(self, reading: PageReading, recognised: PageReading) -> None:
        """A page whose text was recognised, `reading` being what its file says of it."""
        self._note(reading)
        self.recognised.append(reading.layout.number)
        self.readable_chars += recognised.chars
        self.layouts.append(recognised.layout)

    def add_missed(self, reading: PageReading) -> None:
        """A page that recognition found no text on."""
        self.missed.append(reading.layout.number)
        self.add(reading)

    @property
    def ocr_pages(self) -> tuple[int, ...]:
        """The pages whose text came by character recognition, wherever that was done."""
        return tuple(sorted({*self.layered, *self.recognised}))

    @property
    def last_table(self) -> TableRegion | None:
        """The last table of the page that was added last."""
        tables = self.layouts[-1].tables if self.layouts else ()
        return tables[-1] if tables else None

    def steady_layouts(self) -> list[PageLayout]:
        """The layouts, recognised print in steady sizes."""
        return steady_sizes(self.layouts, self.ocr_pages)

    def refuse_unreadable(self) -> None:
        """Raises `PermanentFault` where no page has text worth reading."""
        lost = {*self.broken, *(self.incomplete if self.readable_chars == 0 else ())}
        if len(lost) == len(self.layouts):
            raise PermanentFault(ErrorCode.CORRUPT_FILE, "The PDF is damaged and cannot be opened.")
        needing = sorted({*self.scanned, *self.garbled})
        if needing and self.readable_chars < MIN_PAGE_CHARS:
            if set(needing) <= set(self.missed):
                raise PermanentFault(
                    ErrorCode.NOTHING_READABLE,
                    f"Character recognition (OCR) found no text that can be read on {list_pages(needing)}.",
                    pages=needing,
                )
            raise PermanentFault(
                ErrorCode.NEEDS_OCR,
                "The PDF holds no text that can be read, only images or fonts without letters. "
                f"Character recognition (OCR) is needed for {list_pages(needing)}.",
                pages=needing,
            )
        if self.readable_chars == 0:
            if self.has_images:
                raise PermanentFault(
                    ErrorCode.NEEDS_OCR, "The PDF holds images but no text: it needs character recognition (OCR)."
                )
            raise PermanentFault(ErrorCode.NOTHING_READABLE, "The PDF holds no readable text.")

    def warnings(self) -> Iterator[str]:
        """Sentences a person understands."""
        missed = set(self.missed)
        if scanned := [number for number in self.scanned if number not in missed]:
            excess = " beyond the limits of recognition" if self.recognised or missed else ""
            yield f"Not read, for they are scanned images{excess}: {list_pages(scanned)}."
        if garbled := [number for number in self.garbled if number not in missed]:
            yield f"Not read, for their fonts do not say which letters they show: {list_pages(garbled)}."
        if self.missed:
            missed_pages = list_pages(self.missed)
            yield f"Not read, for character recognition (OCR) found no text or was cut off: {missed_pages}."
        if self.pictured:
            yield f"Large images with print that was not read: {list_pages(self.pictured)}."
        if self.broken:
            yield f"Not read, for they are damaged: {list_pages(self.broken)}."
        if self.incomplete:
            yield f"Not read as a whole, for parts of them are missing in the file: {list_pages(self.incomplete)}."
        elif self.is_repaired:
            yield "The file is damaged and was repaired: text may be missing."
        if self.recognised:
            yield f"Read by character recognition (OCR), which may hold errors: {list_pages(self.recognised)}."
        if self.layered:
            yield f"Text that a scanner recognised, which may hold errors: {list_pages(self.layered)}."
        if self.hidden:
            yield f"Invisible text was left out: {list_pages(self.hidden)}."

    def _note(self, reading: PageReading) -> None:
        number = reading.layout.number
        self.has_images = self.has_images or reading.image_cover > 0
        if reading.has_hidden_text:
            self.hidden.append(number)
            self.removed += [Removal(RemovalReason.HIDDEN, number, text) for text in reading.hidden_texts]
        if reading.is_garbled:
            garbled = "\n".join(fragment.text for fragment in reading.layout.fragments)
            self.removed.append(Removal(RemovalReason.UNREADABLE, number, garbled))


def list_pages(numbers: Sequence[int]) -> str:
    """`page 3`, or `pages 1, 2, 5 and 40 more`."""
    shown = ", ".join(str(number) for number in numbers[:_LISTED_PAGES])
    more = f" and {len(numbers) - _LISTED_PAGES} more" if len(numbers) > _LISTED_PAGES else ""
    return f"{'page' if len(numbers) == 1 else 'pages'} {shown}{more}"
