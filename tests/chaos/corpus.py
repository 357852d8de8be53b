"""Thirty small documents in four formats, some of them in several versions, and two that are deleted again."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import docx
import pymupdf

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
SMALL_EXAMPLES = (
    "aviso-corte-de-agua.txt",
    "apertura-y-cierre.txt",
    "calendario-y-turnos-2026.md",
    "quejas-y-reclamaciones.md",
    "folleto-encargos.pdf",
    "tarifa-de-precios.pdf",
)
GENERATED = 24
DELETED = 2
COURSE = "incorporación"

_SUBJECTS = ("El encargado", "La dependienta", "El obrador", "Cada tienda", "El proveedor", "La oficina central")
_VERBS = ("revisa", "anota", "comprueba", "entrega", "archiva", "comunica", "prepara", "devuelve")
_OBJECTS = ("el albarán", "la temperatura", "el parte de horas", "la caja", "el pedido", "la etiqueta", "el horno")
_MOMENTS = ("antes de abrir", "al cerrar", "cada lunes", "durante el turno", "tras la limpieza", "a fin de mes")
_HEADINGS = ("Recepción", "Conservación", "Registro", "Incidencias", "Limpieza", "Reparto")


@dataclass(frozen=True)
class Source:
    """A document: its key, the bytes of its versions in order, and whether it is deleted in the end."""

    key: str
    versions: tuple[bytes, ...]
    courses: tuple[str, ...] = ()
    deleted: bool = False


@dataclass(frozen=True)
class Action:
    """One request: the upload of a version (from 1), or the deletion of the document where it is None."""

    source: Source
    version: int | None


def build_sources(count: int = GENERATED, examples: Sequence[str] = SMALL_EXAMPLES) -> list[Source]:
    """The examples named, then `count` generated documents and `DELETED` more that are deleted again.

    Every fifth generated one has three versions, of which the last is the first again; every other one is used by
    a course.
    """
    sources = [Source(name, ((EXAMPLES / name).read_bytes(),)) for name in examples]
    for number in range(count):
        courses = (COURSE,) if number % 2 == 0 else ()
        sources.append(Source(_key(number), tuple(_versions(number, 3 if number % 5 == 0 else 1)), courses))
    for number in range(count, count + DELETED):
        sources.append(Source(_key(number), tuple(_versions(number, 1)), deleted=True))
    return sources


def plan(sources: Sequence[Source]) -> list[Action]:
    """The requests in their order: first versions in turn, later ones and deletions three documents behind."""
    actions: list[Action] = []
    later: list[list[Action]] = []
    for source in sources:
        actions.append(Action(source, 1))
        followers = [Action(source, version) for version in range(2, len(source.versions) + 1)]
        later.append([*followers, *([Action(source, None)] if source.deleted else [])])
        if len(later) > 3:
            actions += later.pop(0)
    return [*actions, *(action for waiting in later for action in waiting)]


def _key(number: int) -> str:
    return f"norma-{number:02d}.{tuple(_WRITERS)[number % len(_WRITERS)]}"


def _versions(number: int, count: int) -> Iterator[bytes]:
    suffix = _key(number).rpartition(".")[2]
    first = _WRITERS[suffix](*_content(number, edition=1))
    for edition in range(1, count + 1):
        is_first_again = edition in {1, 3}
        yield first if is_first_again else _WRITERS[suffix](*_content(number, edition=edition))


Section = tuple[str, str]


def _content(number: int, edition: int) -> tuple[str, list[Section]]:
    """A title of its own and three sections; an edition differs in its second section and adds a fourth."""
    title = f"Norma interna {number:02d} de la panadería"
    sections = [(heading, _prose(f"{number}/{heading}")) for heading in _HEADINGS[:3]]
    if edition > 1:
        sections[1] = (_HEADINGS[1], _prose(f"{number}/{_HEADINGS[1]}/{edition}"))
        sections.append((_HEADINGS[3], _prose(f"{number}/{_HEADINGS[3]}/{edition}")))
    return title, sections


def _prose(seed: str) -> str:
    """Some 100 words that no other seed has."""
    choose = random.Random(seed)  # noqa: S311 - no secret
    return " ".join(
        f"{choose.choice(_SUBJECTS)} {choose.choice(_VERBS)} {choose.choice(_OBJECTS)} número"
        f" {choose.randint(100, 9999)} {choose.choice(_MOMENTS)}."
        for _ in range(10)
    )


def _write_markdown(title: str, sections: list[Section]) -> bytes:
    return "\n\n".join([f"# {title}", *(f"## {heading}\n\n{text}" for heading, text in sections)]).encode()


def _write_text(title: str, sections: list[Section]) -> bytes:
    return "\n\n".join([title.upper(), *(f"{heading.upper()}\n\n{text}" for heading, text in sections)]).encode()


def _write_docx(title: str, sections: list[Section]) -> bytes:
    document = docx.Document()
    document.add_heading(title, level=1)
    for heading, text in sections:
        document.add_heading(heading, level=2)
        document.add_paragraph(text)
    target = io.BytesIO()
    document.save(target)
    return target.getvalue()


def _write_pdf(title: str, sections: list[Section]) -> bytes:
    """A page for each section."""
    with pymupdf.open() as document:
        for place, (heading, text) in enumerate(sections):
            page = document.new_page()
            if place == 0:
                page.insert_text((60, 80), title, fontsize=20)
            page.insert_text((60, 130), heading, fontsize=15)
            page.insert_textbox((60, 150, 530, 800), text, fontsize=11)
        return bytes(document.tobytes())


_WRITERS: dict[str, Callable[[str, list[Section]], bytes]] = {
    "md": _write_markdown,
    "txt": _write_text,
    "docx": _write_docx,
    "pdf": _write_pdf,
}
