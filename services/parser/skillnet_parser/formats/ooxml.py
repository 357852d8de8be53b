"""Office Open XML packages: parts as XML, read under limits and without entities, and what they relate to."""

from __future__ import annotations

import io
import lzma
import posixpath
import zipfile
import zlib
from dataclasses import dataclass

from lxml import etree

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import MEBIBYTE

MAX_PART_BYTES = 100 * MEBIBYTE
OFFICE_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONSHIP_ID = f"{{{OFFICE_RELATIONSHIPS}}}id"
_PACKAGE_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
# ISO strict documents use other names for the same things.
_STRICT = tuple(
    (f"http://purl.oclc.org/ooxml/{strict}".encode(), f"http://schemas.openxmlformats.org/{transitional}".encode())
    for strict, transitional in (
        ("wordprocessingml/main", "wordprocessingml/2006/main"),
        ("spreadsheetml/main", "spreadsheetml/2006/main"),
        ("presentationml/main", "presentationml/2006/main"),
        ("drawingml/main", "drawingml/2006/main"),
        ("drawingml/chart", "drawingml/2006/chart"),
        ("drawingml/diagram", "drawingml/2006/diagram"),
        ("officeDocument/relationships", "officeDocument/2006/relationships"),
    )
)
_ROOT_RELATIONSHIPS = "_rels/.rels"
_STRICT_ROOT = b"http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument"
_DOCTYPE = "<!DOCTYPE"
_DOCTYPES = tuple(_DOCTYPE.encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))
_CHUNK = MEBIBYTE
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,  # of bzip2 among others
    NotImplementedError,  # a method of compression that does not exist
    KeyError,
    etree.XMLSyntaxError,
)
"""What reading a damaged package raises."""
_MAX_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Relationship:
    """To another part of the package: its kind is the last step of its type, `target` a name in the archive."""

    identifier: str
    kind: str
    target: str


def read_part(archive: zipfile.ZipFile, name: str | None) -> etree._Element | None:
    """The root of a part; None where the package has none of that name. Raises `PermanentFault`: unsafe_archive
    (a document type declaration), corrupt_file (elements nested past what the library takes, about 2,000), and
    `etree.XMLSyntaxError`."""
    entry = _find_entry(archive, name) if name is not None else None
    if entry is None:
        return None
    with archive.open(entry) as part:
        data = part.read(MAX_PART_BYTES)
    root = _parse(_as_transitional(data))
    if root.getroottree().docinfo.doctype:
        raise _unsafe()
    return root


def _parse(data: bytes) -> etree._Element:
    """Without the library's guards where a document exceeds them and has no declarations that they are for."""
    try:
        return etree.fromstring(data, _parser(huge=False))
    except etree.XMLSyntaxError as error:
        if error.code != etree.ErrorTypes.ERR_RESOURCE_LIMIT or any(mark in data for mark in _DOCTYPES):
            raise
    try:
        return etree.fromstring(data, _parser(huge=True))
    except etree.XMLSyntaxError as error:
        if error.code != etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            raise
        raise PermanentFault(
            ErrorCode.CORRUPT_FILE, "The document's parts are nested too deeply to be read."
        ) from error


def _parser(*, huge: bool) -> etree.XMLParser:
    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=huge)


def _find_entry(archive: zipfile.ZipFile, name: str) -> str | None:
    """The entry of a part, whose name is the same in any case; some programs write it with backslashes."""
    if name in archive.NameToInfo:
        return name
    folded = name.lower()
    return next((entry for entry in archive.NameToInfo if fold_entry(entry) == folded), None)


def fold_entry(entry: str) -> str:
    """The name of a ZIP entry as packages compare them."""
    return entry.replace("\\", "/").lower()


def relationships_of(archive: zipfile.ZipFile, part: str) -> list[Relationship]:
    """Those of a part to others inside the package; of the package itself for ""."""
    folder, name = posixpath.split(part)
    root = read_part(archive, f"{folder}/_rels/{name}.rels".lstrip("/"))
    if root is None:
        return []
    return [
        Relationship(
            relation.get("Id", ""),
            relation.get("Type", "").rsplit("/", 1)[-1],
            _resolve(relation.get("Target", ""), folder),
        )
        for relation in root.iter(_PACKAGE_RELATIONSHIP)
        if relation.get("TargetMode") != "External"
    ]


def read_number(value: str | None, default: int) -> int:
    """A whole number that a file states; `default` where it states none, or none of use (over 18 digits)."""
    if value and len(value) <= _MAX_DIGITS and value.isascii() and value.isdigit():
        return int(value)
    return default


def refuse_doctypes(archive: zipfile.ZipFile) -> None:
    """For packages that another library reads. Raises `PermanentFault`: unsafe_archive."""
    for name in archive.namelist():
        if name.lower().endswith((".xml", ".rels", ".vml")):
            with archive.open(name) as part:
                tail = b""
                while chunk := part.read(_CHUNK):
                    data = tail + chunk
                    if any(mark in data for mark in _DOCTYPES):
                        raise _unsafe()
                    tail = data[-2 * len(_DOCTYPE) :]


def transitional_copy(archive: zipfile.ZipFile) -> io.BytesIO | None:
    """The XML of a package with the names of ISO strict documents replaced, for libraries that do not know them;
    None of one that is not strict."""
    if _STRICT_ROOT not in archive.read(_ROOT_RELATIONSHIPS):
        return None
    copy = io.BytesIO()
    with zipfile.ZipFile(copy, "w") as target:
        for name in archive.namelist():
            if name.lower().endswith((".xml", ".rels")):
                target.writestr(name, _as_transitional(archive.read(name)))
    return copy


def _as_transitional(data: bytes) -> bytes:
    for strict, transitional in _STRICT:
        data = data.replace(strict, transitional)
    return data


def _resolve(target: str, folder: str) -> str:
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))


def _unsafe() -> PermanentFault:
    return PermanentFault(
        ErrorCode.UNSAFE_ARCHIVE, "The file is not safe to open: its XML declares entities of its own."
    )
