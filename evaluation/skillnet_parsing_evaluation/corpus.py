"""The files that are read, and where they lie."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
EXAMPLES = PROJECT / "examples" / "documents"
_FOLDERS = ("pdf", "docx", "text", "qa")
_PDF_FOLDERS = ("pdf", "qa")
_NO_DOCUMENTS = frozenset({".tsv", ".jsonl", ".json"})


def shared_data() -> Path:
    """The folder of public documents: SKILLNET_SHARED_DATA, or `../shared/data` beside the checkout.

    Raises FileNotFoundError where it is absent.
    """
    folder = Path(os.environ.get("SKILLNET_SHARED_DATA", PROJECT.parent / "shared" / "data"))
    if not folder.is_dir():
        raise FileNotFoundError(f"no folder {folder}: set SKILLNET_SHARED_DATA to the folder of public documents")
    return folder


def all_files(data: Path) -> list[Path]:
    """Every document of the shared folder and of the examples, in a fixed order."""
    found = [path for folder in _FOLDERS for path in _files(data / folder) if path.suffix not in _NO_DOCUMENTS]
    return [*found, *_files(EXAMPLES)]


def pdf_files(data: Path) -> list[Path]:
    """The PDFs among them."""
    folders = [*(data / folder for folder in _PDF_FOLDERS), EXAMPLES]
    return [path for folder in folders for path in _files(folder) if path.suffix.lower() == ".pdf"]


def word_files(data: Path) -> list[Path]:
    """The Word documents among them."""
    folders = (data / "docx", EXAMPLES)
    kinds = (".docx", ".docm", ".dotx", ".dotm")
    return [path for folder in folders for path in _files(folder) if path.suffix.lower() in kinds]


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())
