"""What one file may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class OcrLimits:
    """Character recognition of pages that hold no text, and what it may cost. Times in seconds by the clock.

    `tessdata` is the folder of Tesseract's `*.traineddata`, `languages` names some of them (`spa+eng`). One page
    takes 1 to 4 s of processor time: those after `max_pages` or `seconds` of one file are not recognised, nor is a
    page that takes longer than `page_seconds`. All this is beside the limits of reading.
    """

    tessdata: str
    languages: str
    max_pages: int = 200
    seconds: float = 900.0
    page_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """Limits of one parse. Times in seconds, sizes in bytes.

    `memory_bytes` bounds the address space of the child process, which is larger than what it uses.
    `max_text_chars` bounds the text, about 4,000 pages: what follows is done in memory and in one transaction.
    `max_output_bytes` bounds the JSON of the result. The three archive limits guard against zip bombs:
    the sum of all entries unpacked, their number, and how many times an entry over 5 MiB may grow (XML up to 40 MiB:
    400 times, for regular documents shrink so). Without
    `ocr` no characters are recognised.
    """

    wall_seconds: float = 180.0
    cpu_seconds: int = 120
    memory_bytes: int = 1024 * MEBIBYTE
    max_pages: int = 2000
    max_text_chars: int = 8_000_000
    max_output_bytes: int = 64 * MEBIBYTE
    max_archive_bytes: int = 200 * MEBIBYTE
    max_archive_entries: int = 2000
    max_archive_ratio: int = 100
    ocr: OcrLimits | None = None

    @property
    def patience(self) -> float:
        """Seconds by the clock after which the child is given up: it may be recognising pages for a part of them."""
        return self.wall_seconds + (self.ocr.seconds + self.ocr.page_seconds if self.ocr is not None else 0.0)


def limits_from_fields(fields: dict[str, Any]) -> ParseLimits:
    """The limits that `dataclasses.asdict` took apart."""
    ocr = fields["ocr"]
    return ParseLimits(**{**fields, "ocr": OcrLimits(**ocr) if ocr is not None else None})
