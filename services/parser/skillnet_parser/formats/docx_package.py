"""The parts of a DOCX package as XML, read under limits and without entities."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.limits import MEBIBYTE

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE_RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE_RELATIONSHIPS = "{http://schemas.openxmlformats.org/package/2006/relationships}"
# ISO strict documents use other names for the same things.
_STRICT = (
    (b"http://purl.oclc.org/ooxml/wordprocessingml/main", _WORD.encode()),
    (b"http://purl.oclc.org/ooxml/officeDocument/relationships", _OFFICE_RELATIONSHIPS.encode()),
)
_MAX_PART_BYTES = 100 * MEBIBYTE
W = f"{{{_WORD}}}"
RELATIONSHIP_ID = f"{{{_OFFICE_RELATIONSHIPS}}}id"


@dataclass(frozen=True, slots=True)
class DocxPackage:
    """The parts that hold text or say how it is meant; None where the package has no such part."""

    document: etree._Element
    styles: etree._Element | None = None
    numbering: etree._Element | None = None
    footnotes: etree._Element | None = None
    endnotes: etree._Element | None = None
    core: etree._Element | None = None
    chunks: dict[str, AlternativeChunk] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AlternativeChunk:
    """A file of another format that is part of the text (`w:altChunk`), under its relationship's id."""

    name: str
    data: bytes


def open_package(path: Path) -> DocxPackage:
    """Raises `PermanentFault`: corrupt_file, unsafe_archive (a document type declaration)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read_package(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, etree.XMLSyntaxError) as error:
        raise PermanentFault(ErrorCode.CORRUPT_FILE, "The Word document is damaged and cannot be read.") from error


def _read_package(archive: zipfile.ZipFile) -> DocxPackage:
    roots = _relationships(archive, "_rels/.rels", "")
    main = roots.get("officeDocument", "word/document.xml")
    folder, name = posixpath.split(main)
    parts = _relationships(archive, f"{folder}/_rels/{name}.rels", folder)
    document = _read_part(archive, main)
    if document is None:
        raise KeyError(main)
    return DocxPackage(
        document=document,
        styles=_read_part(archive, parts.get("styles")),
        numbering=_read_part(archive, parts.get("numbering")),
        footnotes=_read_part(archive, parts.get("footnotes")),
        endnotes=_read_part(archive, parts.get("endnotes")),
        core=_read_part(archive, roots.get("core-properties")),
        chunks=_read_chunks(archive, f"{folder}/_rels/{name}.rels", folder),
    )


def _read_chunks(archive: zipfile.ZipFile, relations: str, folder: str) -> dict[str, AlternativeChunk]:
    root = _read_part(archive, relations)
    chunks: dict[str, AlternativeChunk] = {}
    for relation in root.iter(f"{_PACKAGE_RELATIONSHIPS}Relationship") if root is not None else ():
        if not relation.get("Type", "").endswith("/aFChunk") or relation.get("TargetMode") == "External":
            continue
        target = _resolve(relation.get("Target", ""), folder)
        if target in archive.NameToInfo:
            with archive.open(target) as part:
                chunks[relation.get("Id", "")] = AlternativeChunk(target, part.read(_MAX_PART_BYTES))
    return chunks


def _resolve(target: str, folder: str) -> str:
    if target.startswith("/"):
        return target.lstrip("/")
    return posixpath.normpath(posixpath.join(folder, target))


def _relationships(archive: zipfile.ZipFile, name: str, folder: str) -> dict[str, str]:
    """Kind of relationship (the last step of its type) to the part's name in the archive."""
    root = _read_part(archive, name)
    if root is None:
        return {}
    found: dict[str, str] = {}
    for relation in root.iter(f"{_PACKAGE_RELATIONSHIPS}Relationship"):
        if relation.get("TargetMode") == "External":
            continue
        found.setdefault(relation.get("Type", "").rsplit("/", 1)[-1], _resolve(relation.get("Target", ""), folder))
    return found


def _read_part(archive: zipfile.ZipFile, name: str | None) -> etree._Element | None:
    if name is None or name not in archive.NameToInfo:
        return None
    with archive.open(name) as part:
        data = part.read(_MAX_PART_BYTES)
    for strict, transitional in _STRICT:
        data = data.replace(strict, transitional)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(data, parser)
    if root.getroottree().docinfo.doctype:
        raise PermanentFault(
            ErrorCode.UNSAFE_ARCHIVE, "The file is not safe to open: its XML declares entities of its own."
        )
    return root
