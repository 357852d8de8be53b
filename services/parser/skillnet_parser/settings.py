"""Settings of the parser."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from skillnet_common.settings import ObjectStoreSettings, WorkSettings
from skillnet_parser.limits import MEBIBYTE, OcrLimits, ParseLimits
from skillnet_parser.ocr import find_tessdata

_LIMITS = ParseLimits()
_OCR = OcrLimits(tessdata="", languages="spa+eng")


class ParserSettings(WorkSettings, ObjectStoreSettings):
    """Each limit holds for one file; a file that exceeds it fails with a code of its own."""

    parse_cpu_seconds: int = _LIMITS.cpu_seconds
    parse_wall_seconds: float = _LIMITS.wall_seconds
    parse_memory_mb: int = _LIMITS.memory_bytes // MEBIBYTE
    parse_max_pages: int = _LIMITS.max_pages
    tessdata_prefix: Path | None = None
    """The folder with Tesseract's `*.traineddata`; without it the system's own is looked for."""
    parse_ocr_languages: str = Field(default=_OCR.languages, pattern=r"^[A-Za-z_]+(\+[A-Za-z_]+)*$")
    """What scans are read in, the first language first; without data for that no characters are recognised."""
    parse_ocr_max_pages: int = Field(default=_OCR.max_pages, ge=0)
    """Scanned pages recognised of one file; 0: none."""
    parse_ocr_seconds: float = Field(default=_OCR.seconds, gt=0)
    """How long recognition may go on in one file, beside the limits of reading. Pages that are left are named."""

    def limits(self) -> ParseLimits:
        """What one file may cost. Looks for the data of character recognition on the disk."""
        return ParseLimits(
            wall_seconds=self.parse_wall_seconds,
            cpu_seconds=self.parse_cpu_seconds,
            memory_bytes=self.parse_memory_mb * MEBIBYTE,
            max_pages=self.parse_max_pages,
            ocr=self._find_ocr(),
        )

    def _find_ocr(self) -> OcrLimits | None:
        found = find_tessdata(self.tessdata_prefix, self.parse_ocr_languages) if self.parse_ocr_max_pages else None
        if found is None:
            return None
        folder, languages = found
        return OcrLimits(str(folder), languages, self.parse_ocr_max_pages, self.parse_ocr_seconds)
