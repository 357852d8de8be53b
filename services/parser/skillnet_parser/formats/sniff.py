"""The format of a file, by its content; the name only settles Markdown against plain text."""

from __future__ import annotations

import codecs
import re
import zipfile
from enum import StrEnum
from pathlib import Path, PurePath

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.formats.archive import check_archive
from skillnet_parser.limits import ParseLimits

HEAD_BYTES = 8192
SUPPORTED = "PDF, Word (.docx), Markdown and plain text"

_PDF_MAGIC = b"%PDF-"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_OTHER_MARKUP = re.compile(rb"\s*(<\?xml|<!doctype\s+html|<html[\s>]|\{\\rtf|From:\s)", re.IGNORECASE)
_MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_TEXT_SUFFIXES = frozenset({".txt", ".text", ".log"})
_MARKDOWN_SIGNS = re.compile(
    r"^(#{1,6} \S|```|\|.+\|\s*$|---\n\w+:)|\[[^\]\n]+\]\([^)\n]+\)|\*\*\S[^*\n]*\*\*", re.MULTILINE
)
_BINARY_SHARE = 0.02


class FileType(StrEnum):
    """The formats the parser reads."""

    PDF = "pdf"
    DOCX = "docx"
    MARKDOWN = "markdown"
    TEXT = "text"


def sniff_type(path: Path, file_name: str, limits: ParseLimits) -> FileType:
    """The type of the file at `path`, called `file_name` by whoever sent it.

    Raises `PermanentFault`: empty_file, unsupported_type, password_required (encrypted Office file),
    corrupt_file or unsafe_archive (ZIP).
    """
    head = _read_head(path)
    if not head:
        raise PermanentFault(ErrorCode.EMPTY_FILE, "The file is empty.")
    if _PDF_MAGIC in head[:1024]:
        return FileType.PDF
    if head.startswith(_ZIP_MAGIC):
        return _sniff_zip(path, limits)
    if head.startswith(_OLE_MAGIC):
        raise _refuse_ole(path)
    return _sniff_text(head, PurePath(file_name).suffix.lower())


def _read_head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _sniff_zip(path: Path, limits: ParseLimits) -> FileType:
    try:
        with zipfile.ZipFile(path) as archive:
            check_archive(archive, limits)
            names = {name.lower() for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise PermanentFault(
            ErrorCode.CORRUPT_FILE, "The file is damaged: its ZIP container cannot be read to the end."
        ) from error
    if any(name.startswith("word/document") and name.endswith(".xml") for name in names):
        return FileType.DOCX
    for folder, kind in (("ppt/", "a PowerPoint presentation"), ("xl/", "an Excel workbook")):
        if any(name.startswith(folder) for name in names):
            raise _unsupported(kind)
    raise _unsupported("a ZIP archive")


def _refuse_ole(path: Path) -> PermanentFault:
    if _ENCRYPTED_PACKAGE in path.read_bytes():
        return PermanentFault(
            ErrorCode.PASSWORD_REQUIRED, "The document is protected by a password: save it without one."
        )
    return _unsupported("an Office file of before 2007 (.doc, .xls, .ppt); save it as .docx")


def _sniff_text(head: bytes, suffix: str) -> FileType:
    if head.startswith(_UTF16_MARKS):
        return FileType.MARKDOWN if suffix in _MARKDOWN_SUFFIXES else FileType.TEXT
    if _is_binary(head):
        raise _unsupported("binary data")
    markup = _OTHER_MARKUP.match(head.removeprefix(codecs.BOM_UTF8))
    if markup and suffix not in _MARKDOWN_SUFFIXES | _TEXT_SUFFIXES:
        raise _unsupported("HTML, XML, RTF or an e-mail")
    if suffix in _MARKDOWN_SUFFIXES:
        return FileType.MARKDOWN
    if suffix in _TEXT_SUFFIXES:
        return FileType.TEXT
    signs = len(_MARKDOWN_SIGNS.findall(head.decode("utf-8", errors="replace")))
    return FileType.MARKDOWN if signs >= 2 else FileType.TEXT


def _is_binary(head: bytes) -> bool:
    if b"\x00" in head:
        return True
    controls = sum(1 for byte in head if byte < 0x20 and byte not in b"\t\n\r\f\x1b\x1a")
    return controls > len(head) * _BINARY_SHARE


def _unsupported(kind: str) -> PermanentFault:
    return PermanentFault(
        ErrorCode.UNSUPPORTED_TYPE, f"The file is {kind}. Supported are {SUPPORTED}.", supported=list(FileType)
    )
