"""The parts of a DOCX package as XML, read under limits and without entities."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.formats.archive import check_archive
from skillnet_parser.formats.ooxml import DAMAGE, MAX_PART_BYTES, Relationship, read_part, relationships_of
from skillnet_parser.limits import ParseLimits

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


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
    frames: dict[str, etree._Element] = field(default_factory=dict)
    """Charts and the data of diagrams, by relationship."""
    running: tuple[etree._Element, ...] = ()
    """Headers and footers."""


@dataclass(frozen=True, slots=True)
class AlternativeChunk:
    """A file of another format that is part of the text (`w:altChunk`), under its relationship's id."""

    name: str
    data: bytes

    @property
    def is_word(self) -> bool:
        """Whether it is a Word document."""
        return self.name.lower().endswith((".docx", ".docm", ".dotx", ".dotm"))


def open_package(path: Path) -> DocxPackage:
    """Raises `PermanentFault`: corrupt_file, unsafe_archive (a document type declaration)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read_package(archive)
    except DAMAGE as error:
        raise PermanentFault(ErrorCode.CORRUPT_FILE, "The Word document is damaged and cannot be read.") from error


def open_chunk(data: bytes, limits: ParseLimits) -> DocxPackage | None:
    """The package of a Word document that is part of another; None where it is damaged. Raises `PermanentFault`:
    unsafe_archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_archive(archive, limits)
            return _read_package(archive)
    except DAMAGE:
        return None


def _read_package(archive: zipfile.ZipFile) -> DocxPackage:
    roots = _targets(relationships_of(archive, ""))
    main = roots.get("officeDocument", "word/document.xml")
    relations = relationships_of(archive, main)
    parts = _targets(relations)
    document = read_part(archive, main)
    if document is None:
        raise KeyError(main)
    return DocxPackage(
        document=document,
        styles=read_part(archive, parts.get("styles")),
        numbering=read_part(archive, parts.get("numbering")),
        footnotes=read_part(archive, parts.get("footnotes")),
        endnotes=read_part(archive, parts.get("endnotes")),
        core=read_part(archive, roots.get("core-properties")),
        chunks=_read_chunks(archive, relations),
        frames=_read_frames(archive, relations),
        running=tuple(_read_running(archive, relations)),
    )


def _targets(relations: Iterable[Relationship]) -> dict[str, str]:
    """The first part of each kind."""
    found: dict[str, str] = {}
    for relation in relations:
        found.setdefault(relation.kind, relation.target)
    return found


def _read_frames(archive: zipfile.ZipFile, relations: Iterable[Relationship]) -> dict[str, etree._Element]:
    frames: dict[str, etree._Element] = {}
    for relation in relations:
        if relation.kind in ("chart", "diagramData"):
            frame = read_part(archive, relation.target)
            if frame is not None:
                frames[relation.identifier] = frame
    return frames


def _read_running(archive: zipfile.ZipFile, relations: Iterable[Relationship]) -> Iterator[etree._Element]:
    for relation in relations:
        part = read_part(archive, relation.target) if relation.kind in ("header", "footer") else None
        if part is not None:
            yield part


def _read_chunks(archive: zipfile.ZipFile, relations: Iterable[Relationship]) -> dict[str, AlternativeChunk]:
    chunks: dict[str, AlternativeChunk] = {}
    for relation in relations:
        if relation.kind == "aFChunk" and relation.target in archive.NameToInfo:
            with archive.open(relation.target) as part:
                chunks[relation.identifier] = AlternativeChunk(relation.target, part.read(MAX_PART_BYTES))
    return chunks
