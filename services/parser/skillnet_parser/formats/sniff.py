"""The format of a file, by its content; the name only settles which of the formats of plain text it is."""

from __future__ import annotations

import codecs
import re
import zipfile
from enum import StrEnum
from pathlib import Path, PurePath

from skillnet_common.courses.words import FILE_TYPE, MAGIC
from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.domain.separated import is_separated
from skillnet_parser.formats.archive import check_archive
from skillnet_parser.formats.ooxml import fold_entry
from skillnet_parser.formats.text_encoding import unmarked_utf16
from skillnet_parser.limits import ParseLimits

HEAD_BYTES = 8192
SUPPORTED = "PDF, Word (.docx), PowerPoint (.pptx), Excel (.xlsx), HTML, CSV, Markdown and plain text"

_PDF_MAGIC = b"%PDF-"
_ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_BLANK = b" \t\r\n\xef\xbb\xbf"
_IMAGES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\x00", b"MM\x00*")
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_HTML_START = re.compile(
    r"\s*(<\?xml\b[^>]*>\s*)?(<!--.*?-->\s*)*(<!doctype\s+html|<(html|head|body)[\s>])", re.IGNORECASE | re.DOTALL
)
_HTML_DOCUMENT = re.compile(r"\s*(<!--.*?-->\s*)*<!doctype\s+html\b", re.IGNORECASE | re.DOTALL)
_HTML_ROOT = re.compile(r"\s*(<!--.*?-->\s*)*<html[\s>].*?<(head|body)[\s>]", re.IGNORECASE | re.DOTALL)
_HTML_TAG = re.compile(r"</(p|div|h[1-6]|table|tr|td|ul|ol|li|section|article|main|body|html)\s*>", re.IGNORECASE)
_RTF = b"{\\rtf"
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\"{\[\]\d\-tfn])")
_XML = re.compile(r"\s*<\?xml", re.IGNORECASE)
_MAIL_HEADERS = re.compile(r"(?:(?:[A-Za-z][A-Za-z-]*:|[ \t])[^\n]*\n){2,}")
_MAIL_ONLY = re.compile(r"^(?:mime-version|message-id|received|return-path):", re.IGNORECASE | re.MULTILINE)
_PDF_OBJECT = re.compile(rb"\d \d+ obj\b")
_MARKDOWN_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_TEXT_SUFFIXES = frozenset({".txt", ".text", ".log"})
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_TABLE_SUFFIXES = frozenset({".csv", ".tsv", ".tab"})
_MARKDOWN_SIGNS = re.compile(
    r"^(#{1,6} \S|```|\|.+\|\s*$|---\n\w+:)|\[[^\]\n]+\]\([^)\n]+\)|\*\*\S[^*\n]*\*\*", re.MULTILINE
)
_BINARY_SHARE = 0.02
_ZERO_SHARE = 0.002
_MIN_TEXT_BYTES = 32  # of a text in which one zero is a slip
_USUAL_CONTROLS = b"\t\n\v\f\r\x1b\x1a"
_OTHER_PACKAGES = (
    ("meta-inf/container.xml", "an EPUB book"),
    ("xl/", "an Excel workbook in the binary format (.xlsb); save it as .xlsx"),
    ("content.xml", "an OpenDocument file; save it as .docx, .xlsx or .pptx"),
)


class FileType(StrEnum):
    """The formats the parser reads."""

    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    XLSX = "xlsx"
    HTML = "html"
    CSV = "csv"
    MARKDOWN = "markdown"
    TEXT = "text"
    COURSE = FILE_TYPE
    """The words of a course, as the gateway writes them: nobody uploads it."""


_MAIN_PARTS = (
    (re.compile(r"word/document\d*\.xml"), FileType.DOCX),
    (re.compile(r"ppt/presentation\d*\.xml"), FileType.PPTX),
    (re.compile(r"xl/workbook\d*\.xml"), FileType.XLSX),
)


def sniff_type(path: Path, file_name: str, limits: ParseLimits) -> FileType:
    """The type of the file at `path`, called `file_name` by whoever sent it.

    Raises `PermanentFault`: empty_file, unsupported_type, password_required (encrypted Office file),
    corrupt_file or unsafe_archive (ZIP).
    """
    head = _read_head(path)
    if not head:
        raise PermanentFault(ErrorCode.EMPTY_FILE, "The file is empty.")
    if head.startswith(MAGIC):
        return FileType.COURSE
    if _is_pdf(head):
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
            names = {fold_entry(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise PermanentFault(
            ErrorCode.CORRUPT_FILE, "The file is damaged: its ZIP container cannot be read to the end."
        ) from error
    for main, file_type in _MAIN_PARTS:
        if any(main.fullmatch(name) for name in names):
            return file_type
    for prefix, kind in _OTHER_PACKAGES:
        if any(name.startswith(prefix) for name in names):
            raise _unsupported(kind)
    raise _unsupported("a ZIP archive")


def _refuse_ole(path: Path) -> PermanentFault:
    if _ENCRYPTED_PACKAGE in path.read_bytes():
        return PermanentFault(
            ErrorCode.PASSWORD_REQUIRED, "The document is protected by a password: save it without one."
        )
    return _unsupported("an Office file of before 2007 (.doc, .xls, .ppt); save it as .docx, .xlsx or .pptx")


def _sniff_text(head: bytes, suffix: str) -> FileType:
    if not head.startswith(_UTF16_MARKS) and unmarked_utf16(head) is None and _is_binary(head):
        raise _unsupported(_kind_of_binary(head))
    if head.startswith(_RTF):
        raise _unsupported("an RTF document; save it as .docx")
    text = _decode_head(head)
    if _is_mail(text):
        raise _unsupported("an e-mail")
    if suffix == ".json" and _JSON.match(text):
        raise _unsupported("JSON")
    named = _type_of_suffix(suffix)
    if _is_page(text) if named is FileType.MARKDOWN else _HTML_START.match(text):
        return FileType.HTML
    if named is FileType.HTML and "<" in text:
        return FileType.HTML
    if named is not None and named is not FileType.HTML:
        return named
    if _XML.match(text):
        raise _unsupported("XML")
    return _sniff_unnamed(text)


def _is_page(text: str) -> bool:
    """Whether a text that is named otherwise is a whole page: Markdown may begin with any tag."""
    return _HTML_DOCUMENT.match(text) is not None or _HTML_ROOT.match(text) is not None


def _is_pdf(head: bytes) -> bool:
    """Readers of PDF take what stands before its mark; a text that speaks of the mark is none."""
    if head.lstrip(_BLANK).startswith(_PDF_MAGIC):
        return True
    return _PDF_MAGIC in head[:1024] and (_is_binary(head) or _PDF_OBJECT.search(head) is not None)


def _is_mail(text: str) -> bool:
    headers = _MAIL_HEADERS.match(text.replace("\r\n", "\n"))
    return headers is not None and _MAIL_ONLY.search(headers[0]) is not None


def _kind_of_binary(head: bytes) -> str:
    return "an image" if head.startswith(_IMAGES) or head[8:12] == b"WEBP" else "binary data"


def _decode_head(head: bytes) -> str:
    if head.startswith(_UTF16_MARKS):
        return head.decode("utf-16", errors="replace")
    unmarked = unmarked_utf16(head)
    if unmarked is not None:
        return head.decode(unmarked, errors="replace")
    return head.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")


def _type_of_suffix(suffix: str) -> FileType | None:
    for suffixes, file_type in (
        (_MARKDOWN_SUFFIXES, FileType.MARKDOWN),
        (_TEXT_SUFFIXES, FileType.TEXT),
        (_HTML_SUFFIXES, FileType.HTML),
        (_TABLE_SUFFIXES, FileType.CSV),
    ):
        if suffix in suffixes:
            return file_type
    return None


def _sniff_unnamed(text: str) -> FileType:
    """Text whose name does not say what it is."""
    if len(_MARKDOWN_SIGNS.findall(text)) >= 2:
        return FileType.MARKDOWN
    if text.lstrip().startswith("<") and len(_HTML_TAG.findall(text)) >= 2:
        return FileType.HTML
    return FileType.CSV if is_separated(text) else FileType.TEXT


def _is_binary(head: bytes) -> bool:
    """A few stray controls leave a text what it is."""
    zeros = head.count(0)
    if zeros > max(_ZERO_SHARE * len(head), len(head) >= _MIN_TEXT_BYTES):
        return True
    controls = sum(1 for byte in head if byte < 0x20 and byte not in _USUAL_CONTROLS) - zeros
    return controls > len(head) * _BINARY_SHARE


def _unsupported(kind: str) -> PermanentFault:
    return PermanentFault(
        ErrorCode.UNSUPPORTED_TYPE,
        f"The file is {kind}. Supported are {SUPPORTED}.",
        supported=[one for one in FileType if one is not FileType.COURSE],
    )
