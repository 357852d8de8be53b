"""A course of an organisation, from the platform to the retriever, in one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.integration.handlers.line import Line
from tests.integration.retriever.conftest import TinyEncoder, asker, make_retriever

from skillnet_common.auth import Principal
from skillnet_common.contracts.courses import CoursePut, CourseReply, LessonDocument, LessonPut, ModulePut
from skillnet_common.contracts.outlines import OutlineReply, OutlineRequest
from skillnet_common.contracts.retrieval import Filters, GroundReply, GroundRequest
from skillnet_common.database import Database
from skillnet_common.objects import Originals
from skillnet_common.settings import ChunkSettings
from skillnet_gateway.courses import Courses
from skillnet_gateway.uploads import Uploads
from skillnet_retriever.retriever import Retriever

COURSE = "acogida"
EVERYTHING = 10_000_000


def lesson(lesson_id: str, title: str, content: str = "", *documents: UUID, summary: str = "") -> LessonPut:
    links = [LessonDocument(document_id=one) for one in documents]
    return LessonPut(lesson_id=lesson_id, title=title, content=content, summary=summary, documents=links)


def shop_course(*documents: UUID) -> CoursePut:
    """Three modules; the documents belong to a lesson of the last."""
    return CoursePut(
        title="Acogida en tienda",
        description="Lo que toda persona nueva debe saber.",
        modules=[
            ModulePut(
                module_id="caja",
                title="Caja",
                summary="Abrir y cerrar la caja.",
                lessons=[
                    lesson("c1", "Abrir", "El fondo de caja es de 150 euros cada mañana. Se cuenta dos veces."),
                    lesson("c2", "Cerrar", "Al cerrar se imprime el informe Z y se guarda en la carpeta azul."),
                ],
            ),
            ModulePut(
                module_id="almacen",
                title="Almacén",
                summary="Recibir y colocar mercancía.",
                lessons=[
                    lesson("a1", "Recepción", "## Albarán\n\nEl albarán se firma antes de descargar el camión.")
                ],
            ),
            ModulePut(
                module_id="clientes",
                title="Clientes",
                lessons=[lesson("k1", "Devoluciones", "", *documents, summary="Plazos y requisitos.")],
            ),
        ],
    )


@dataclass
class Platform:
    """Sends courses, lets the services work, asks."""

    line: Line
    courses: Courses
    retriever: Retriever
    encoder: TinyEncoder
    principal: Principal

    async def put(self, course: CoursePut, course_id: str = COURSE) -> CourseReply:
        """The course, its words live."""
        reply = await self.courses.put(self.principal, course_id, course)
        await self.line.drain()
        return reply

    async def ask(self, query: str, *, as_of: Principal | None = None, **fields: Any) -> GroundReply:
        """The ground of a question in the course."""
        fields.setdefault("filters", Filters(course_id=COURSE))
        return await self.retriever.ground(as_of or self.principal, GroundRequest(query=query, **fields))

    async def outline(self, query: str | None = None, *, earlier: Sequence[str] = (), **filters: Any) -> OutlineReply:
        """What a model would choose from."""
        filters = filters or {"course_id": COURSE}
        request = OutlineRequest(query=query, earlier=list(earlier), filters=Filters(**filters))
        return await self.retriever.outline(self.principal, request)


def platform_of(database: Database, folder: Path, org: UUID) -> Platform:
    """Of one organisation."""
    originals = Originals(folder.as_uri())
    encoder = TinyEncoder()
    return Platform(
        Line(database, originals, org),
        Courses(database, Uploads(database, originals, ChunkSettings(), max_bytes=EVERYTHING)),
        make_retriever(database, encoder),
        encoder,
        asker(org),
    )


@pytest.fixture
def platform(database: Database, tmp_path: Path, org: UUID) -> Platform:
    return platform_of(database, tmp_path / "objects", org)


@pytest.fixture
def other_platform(database: Database, tmp_path: Path, other_org: UUID) -> Platform:
    """Of another tenant."""
    return platform_of(database, tmp_path / "objects", other_org)
