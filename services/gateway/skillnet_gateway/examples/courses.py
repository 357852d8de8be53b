"""Courses."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel

from skillnet_common.contracts.courses import (
    Course,
    CourseOutcome,
    CoursePage,
    CourseReply,
    CourseSummary,
    Lesson,
    Module,
)
from skillnet_gateway.examples.documents import DOCUMENT_ID

_WORDS_ID = UUID("0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a20")
_SUMMARY = CourseSummary(
    course_id="acogida",
    title="Acogida en tienda",
    description="Lo que toda persona nueva debe saber.",
    version=2,
    module_count=1,
    lesson_count=2,
    document_id=_WORDS_ID,
    document_version=2,
    live_version=2,
    stale_since=datetime(2027, 3, 5, 7, 15, tzinfo=UTC),
    stale_reason="fuente actualizada — revisar",
    created_at=datetime(2027, 3, 1, 8, 30, tzinfo=UTC),
    updated_at=datetime(2027, 3, 2, 9, 0, tzinfo=UTC),
)
_MODULE = Module(
    module_id="m1",
    title="Caja",
    summary="Abrir, cobrar, devolver.",
    lessons=[
        Lesson(
            lesson_id="l1",
            title="Abrir la caja",
            summary="",
            content="El fondo de caja es de 150 €. Se cuenta **dos veces**.",
        ),
        Lesson(
            lesson_id="l2",
            title="Devoluciones",
            summary="Plazos y requisitos.",
            content="",
            documents=[DOCUMENT_ID],
        ),
    ],
)

COURSES: tuple[BaseModel, ...] = (
    CoursePage(courses=[_SUMMARY], next_cursor="WyJhY29naWRhIl0"),
    Course(**_SUMMARY.model_dump(), modules=[_MODULE]),
    CourseReply(
        course_id="acogida",
        version=2,
        outcome=CourseOutcome.REPLACED,
        document_id=_WORDS_ID,
        document_version=2,
    ),
)
