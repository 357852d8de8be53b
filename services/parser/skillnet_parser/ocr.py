"""Whether this machine has what character recognition needs: Tesseract's data for the languages of the documents."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

_DATA = ".traineddata"
_USUAL_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
)


def find_languages(folder: Path, wanted: str) -> str | None:
    """Those of the wanted languages (`spa+eng`) that the folder has data of; None without the first of them."""
    names = [name for name in wanted.split("+") if name]
    present = [name for name in names if (folder / f"{name}{_DATA}").is_file()]
    return "+".join(present) if present and present[0] == names[0] else None


def find_tessdata(configured: Path | None, wanted: str) -> tuple[Path, str] | None:
    """The folder with the data and the languages to be used of it, or None. `configured` is TESSDATA_PREFIX, which
    names the folder or, for older programs, the one above it; without it the systems' usual places are looked at."""
    for folder in _candidates(configured):
        languages = find_languages(folder, wanted)
        if languages is not None:
            return folder, languages
    return None


def _candidates(configured: Path | None) -> Iterable[Path]:
    if configured is not None:
        return (configured, configured / "tessdata")
    return map(Path, _USUAL_FOLDERS)
