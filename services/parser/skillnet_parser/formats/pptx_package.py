"""The parts of a PPTX package: slides in their order, with layouts and notes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_parser.formats.ooxml import DAMAGE, RELATIONSHIP_ID, read_number, read_part, relationships_of

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_STANDARD_SIZE = (9_144_000, 6_858_000)  # of a slide that does not say (ECMA-376 part 1, 19.2.1.39)

_Layout = tuple[etree._Element | None, etree._Element | None]  # with its master


@dataclass(frozen=True, slots=True)
class SlideParts:
    """A slide's XML, its layout's, its master's and its notes', and the parts that its frames show, by
    relationship."""

    slide: etree._Element
    layout: etree._Element | None
    master: etree._Element | None
    notes: etree._Element | None
    frames: dict[str, etree._Element]


@dataclass(frozen=True, slots=True)
class Presentation:
    """`width` and `height` are in the format's units (914,400 an inch); `slides` are in the order of the show,
    None for one whose part is missing."""

    width: int
    height: int
    slides: tuple[SlideParts | None, ...]


def open_presentation(path: Path) -> Presentation:
    """Raises `PermanentFault`: corrupt_file, unsafe_archive (a document type declaration)."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read_package(archive)
    except DAMAGE as error:
        raise PermanentFault(
            ErrorCode.CORRUPT_FILE, "The PowerPoint presentation is damaged and cannot be read."
        ) from error


def _read_package(archive: zipfile.ZipFile) -> Presentation:
    roots = {relation.kind: relation.target for relation in relationships_of(archive, "")}
    main = roots.get("officeDocument", "ppt/presentation.xml")
    presentation = read_part(archive, main)
    if presentation is None:
        raise KeyError(main)
    width, height = _slide_size(presentation)
    return Presentation(width, height, tuple(_slides(archive, main, presentation)))


def _slide_size(presentation: etree._Element) -> tuple[int, int]:
    size = presentation.find(f"{P}sldSz")
    if size is None:
        return _STANDARD_SIZE
    width, height = (read_number(size.get(name), 0) for name in ("cx", "cy"))
    return (width, height) if width > 0 and height > 0 else _STANDARD_SIZE


def _slides(archive: zipfile.ZipFile, main: str, presentation: etree._Element) -> Iterator[SlideParts | None]:
    targets = {relation.identifier: relation.target for relation in relationships_of(archive, main)}
    layouts: dict[str, _Layout] = {}
    for reference in presentation.iterfind(f"{P}sldIdLst/{P}sldId"):
        name = targets.get(reference.get(RELATIONSHIP_ID, ""))
        slide = read_part(archive, name)
        yield _slide_parts(archive, name, slide, layouts) if name is not None and slide is not None else None


def _slide_parts(
    archive: zipfile.ZipFile, name: str, slide: etree._Element, layouts: dict[str, _Layout]
) -> SlideParts:
    layout = master = notes = None
    frames: dict[str, etree._Element] = {}
    for relation in relationships_of(archive, name):
        if relation.kind == "slideLayout":
            if relation.target not in layouts:
                layouts[relation.target] = _read_layout(archive, relation.target)
            layout, master = layouts[relation.target]
        elif relation.kind == "notesSlide":
            notes = read_part(archive, relation.target)
        elif relation.kind in ("chart", "diagramData"):
            frame = read_part(archive, relation.target)
            if frame is not None:
                frames[relation.identifier] = frame
    return SlideParts(slide, layout, master, notes, frames)


def _read_layout(archive: zipfile.ZipFile, name: str) -> _Layout:
    relations = relationships_of(archive, name)
    master = next((relation.target for relation in relations if relation.kind == "slideMaster"), None)
    return read_part(archive, name), read_part(archive, master)
