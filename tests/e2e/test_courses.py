"""A course from the platform to an answer that cites its lesson, by command, HTTP and bus."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import nats

from skillnet_common.contracts import subjects
from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.courses import (
    CourseOutcome,
    CoursePut,
    CourseReply,
    CourseUpsert,
    LessonDocument,
    LessonPut,
    ModulePut,
)
from skillnet_common.contracts.retrieval import Filters, Rung, Strategy
from skillnet_common.messaging.requester import ask

from .conftest import Company

COURSE = {
    "course_id": "acogida/tienda",
    "title": "Acogida en tienda",
    "modules": [
        {
            "module_id": "m1",
            "title": "Caja",
            "summary": "Abrir, cobrar y cerrar.",
            "lessons": [
                {"lesson_id": "l1", "title": "Abrir", "content": "El fondo de caja es de **150 euros** cada mañana."},
                {"lesson_id": "l2", "title": "Cerrar", "content": "El informe Z se guarda en la carpeta azul."},
            ],
        },
        {
            "module_id": "m2",
            "title": "Almacén",
            "lessons": [
                {"lesson_id": "l3", "title": "Recibir", "content": "El albarán se firma antes de descargar."}
            ],
        },
    ],
}
QUESTION = "¿De cuánto es el fondo de caja por la mañana?"


def of(company: Company) -> dict[str, str]:
    return {"SKILLNET_URL": company.system.address, "SKILLNET_API_KEY": company.key}


def test_a_course_is_put_and_answers_citing_its_lesson(company: Company, competitor: Company, tmp_path: Path) -> None:
    file = tmp_path / "curso.json"
    file.write_text(json.dumps(COURSE))
    put = company.system.skillnet("courses", "put", str(file), environment=of(company))
    assert put.stdout == "acogida/tienda: created (version 1)\n", put.stderr
    listed = json.loads(company.system.skillnet("courses", "list", "--json", environment=of(company)).stdout)
    assert [(one["course_id"], one["lesson_count"], one["live_version"]) for one in listed] == [
        ("acogida/tienda", 3, 1)
    ]

    asked = company.system.skillnet("ask", QUESTION, "--course", "acogida/tienda", "--json", environment=of(company))
    reply = json.loads(asked.stdout)
    assert (reply["rung"], reply["strategy"]) == (Rung.CHUNKS, Strategy.OUTLINE)
    cited = {source["number"]: source for source in reply["sources"]}[reply["citations"][0]]
    assert (cited["document_title"], cited["section_path"]) == ("Acogida en tienda", ["Caja", "Abrir"])
    assert "150 euros" in reply["answer"]

    there = AskRequest(question=QUESTION, filters=Filters(course_id="acogida/tienda"))
    assert competitor.client.ask(there).rung is Rung.NONE

    shown = company.system.skillnet("courses", "show", "acogida/tienda", environment=of(company))
    assert "Cerrar" in shown.stdout
    gone = company.system.skillnet("courses", "delete", "acogida/tienda", "--yes", environment=of(company))
    assert gone.returncode == 0, gone.stderr
    assert company.client.ask(there).rung is Rung.NONE
    missing = company.system.skillnet("courses", "show", "acogida/tienda", environment=of(company))
    assert missing.returncode == 4


async def test_a_platforms_service_sends_courses_over_the_bus(company: Company) -> None:
    manual = company.ingest("manual.md", b"# Manual\n\nSin tique se entrega un vale de compra.").document_id
    lesson = LessonPut(lesson_id="l1", title="Devolver", documents=[LessonDocument(document_id=manual)])
    course = CoursePut(title="Clientes", modules=[ModulePut(module_id="m1", title="Devoluciones", lessons=[lesson])])
    environment = company.system.environment
    client = await nats.connect(
        environment["NATS_URL"],
        user=environment["NATS_USER"],
        password=environment["NATS_PASSWORD"],
        inbox_prefix=f"_INBOX_{environment['NATS_USER']}",
    )
    try:
        request = CourseUpsert(course_id="clientes", course=course)
        reply = await ask(client, subjects.COURSE_UPSERT, request, CourseReply, credential=company.key, timeout=30)
    finally:
        await client.close()
    assert reply.outcome is CourseOutcome.CREATED
    company.client.wait_until_settled([reply.document_id], timeout=120, poll_seconds=0.1)
    answer = company.client.ask(
        AskRequest(question="¿Qué se entrega sin tique?", filters=Filters(course_id="clientes"))
    )
    assert (answer.rung, answer.strategy) == (Rung.CHUNKS, Strategy.OUTLINE)
    assert "vale de compra" in answer.answer

    company.ingest("manual.md", b"# Manual\n\nSin tique no se entrega nada.")
    async with asyncio.timeout(60):
        while company.client.course("clientes").stale_since is None:  # noqa: ASYNC110 - the notifier changes it
            await asyncio.sleep(0.1)
    reviews = [event for event in await company.events() if event.type == "course.review_requested"]
    assert [(one.data["course_id"], one.data["document_id"]) for one in reviews] == [("clientes", str(manual))]

    company.client.put_course("clientes", course.model_copy(update={"title": "Atención al cliente"}))
    assert company.client.course("clientes").stale_since is None
