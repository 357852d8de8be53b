"""What others hear of a document's life, and what it does to the courses that use it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import UUID

import asyncpg

from skillnet_client import UploadOptions
from skillnet_common.database import Database

from .conftest import Company
from .events import ReceivedEvent

KEY = "vacaciones.md"
FIRST = b"""# Vacaciones

Las vacaciones se piden por escrito.

## Plazos

Se piden con dos meses de antelacion.

## Turnos

Los turnos de agosto se sortean en mayo.

## Extranjero

Quien viaja al extranjero avisa a su encargado.
"""
SECOND = b"""# Vacaciones

Las vacaciones se piden por escrito.

## Plazos

Se piden con tres meses de antelacion.

## Turnos

Los turnos de agosto se sortean en mayo.

## Festivos

Los festivos locales no cuentan como vacaciones.
"""
COURSES = ("bienvenida", "jefes de tienda")
_WAIT_SECONDS = 60

Found = TypeVar("Found")


async def test_a_document_of_two_courses_from_its_birth_to_its_return(
    company: Company, system_database: Database
) -> None:
    document_id = str(company.ingest(KEY, FIRST, *COURSES).document_id)
    (created,) = await _events(company, 1)
    assert created.type == "document.updated"
    assert _facts(created, "change", "version", "previous_version") == ("created", 1, None)
    assert created.data["document_id"] == document_id
    assert created.data["courses"] == sorted(COURSES)
    assert [path[-1] for path in created.data["sections"]["added"]] == [
        "Vacaciones",
        "Plazos",
        "Turnos",
        "Extranjero",
    ]
    assert await _stale_courses(system_database, company) == {}

    company.ingest(KEY, SECOND)
    _, replaced, *reviews = await _events(company, 4)
    assert _facts(replaced, "change", "version", "previous_version") == ("replaced", 2, 1)
    assert replaced.data["sections"] == {
        "added": [["Vacaciones", "Festivos"]],
        "changed": [["Vacaciones", "Plazos"]],
        "removed": [["Vacaciones", "Extranjero"]],
        "truncated": False,
    }
    _assert_reviews(reviews, document_id, "replaced")
    assert await _stale_courses(system_database, company) == dict.fromkeys(COURSES, "fuente actualizada — revisar")
    assert await _notifications(system_database, company) == [
        f"«Vacaciones» se actualizó. El curso «{course}» podría necesitar revisión." for course in COURSES
    ]

    company.client.delete(UUID(document_id))
    *_, deleted, one, other = await _events(company, 7)
    assert deleted.type == "document.deleted"
    assert _facts(deleted, "document_id", "last_version", "courses") == (document_id, 2, sorted(COURSES))
    _assert_reviews([one, other], document_id, "deleted")
    assert company.client.search("¿Con cuánta antelación se piden las vacaciones?").passages == []
    assert await _live_vectors(system_database, company, 0)

    company.ingest(KEY, FIRST)
    *_, restored, one, other = await _events(company, 10)
    assert restored.type == "document.updated"
    assert _facts(restored, "change", "version", "previous_version") == ("restored", 3, None)
    _assert_reviews([one, other], document_id, "restored")
    (passage, *_) = company.client.search("¿Con cuánta antelación se piden las vacaciones?").passages
    assert passage.version == 3
    assert len(await _notifications(system_database, company)) == 6
    assert len({event.id for event in await company.events()}) == 10


async def test_metadata_alone_makes_no_course_stale(company: Company, system_database: Database) -> None:
    company.ingest(KEY, FIRST, "bienvenida")
    reply = company.client.upload(FIRST, UploadOptions(filename=KEY, courses=COURSES, title="Permisos y vacaciones"))
    assert (reply.outcome, reply.version) == ("unchanged", 1)
    _, changed = await _events(company, 2)
    assert _facts(changed, "change", "version", "title") == ("metadata", 1, "Permisos y vacaciones")
    assert changed.data["courses"] == sorted(COURSES)
    assert company.client.upload(FIRST, UploadOptions(filename=KEY)).outcome == "unchanged"
    await asyncio.sleep(1)  # for what must not come
    assert len(await company.events()) == 2
    assert await _stale_courses(system_database, company) == {}


async def test_a_failed_version_is_told_and_makes_no_course_stale(
    company: Company, system_database: Database
) -> None:
    company.ingest(KEY, FIRST, *COURSES)
    company.ingest(KEY, b"\x89PNG\r\n\x1a\n" + bytes(1000))
    _, failed = await _events(company, 2)
    assert failed.type == "document.failed"
    assert _facts(failed, "version", "stage", "code", "live_version") == (2, "parse", "unsupported_type", 1)
    await asyncio.sleep(1)  # for what must not come
    assert await _stale_courses(system_database, company) == {}


def _facts(event: ReceivedEvent, *names: str) -> tuple[object, ...]:
    return tuple(event.data[name] for name in names)


def _assert_reviews(reviews: list[ReceivedEvent], document_id: str, change: str) -> None:
    assert {review.type for review in reviews} == {"course.review_requested"}
    assert {review.data["course_id"] for review in reviews} == set(COURSES)
    assert {_facts(review, "document_id", "change") for review in reviews} == {(document_id, change)}


async def _events(company: Company, count: int) -> list[ReceivedEvent]:
    """The company's events as soon as there are `count` of them."""

    async def enough() -> list[ReceivedEvent]:
        events = await company.events()
        return events if len(events) >= count else []

    events = await _soon(enough)
    assert len(events) == count, events
    return events


async def _soon(look: Callable[[], Awaitable[Found]]) -> Found:
    async with asyncio.timeout(_WAIT_SECONDS):
        while not (found := await look()):  # noqa: ASYNC110 - other processes change it
            await asyncio.sleep(0.1)
    return found


async def _stale_courses(database: Database, company: Company) -> dict[str, str]:
    rows = await _fetch(
        database, company, "SELECT course_id, stale_reason FROM courses WHERE stale_since IS NOT NULL"
    )
    return {row["course_id"]: row["stale_reason"] for row in rows}


async def _notifications(database: Database, company: Company) -> list[str]:
    rows = await _fetch(database, company, "SELECT text FROM notifications ORDER BY created_at, course_id")
    return [row["text"] for row in rows]


async def _live_vectors(database: Database, company: Company, count: int) -> bool:
    """Waits until the tables that searches read hold so many vectors of the company."""

    async def as_many() -> bool:
        (row,) = await _fetch(database, company, "SELECT count(*) AS vectors FROM chunk_embeddings")
        return bool(row["vectors"] == count)

    return await _soon(as_many)


async def _fetch(database: Database, company: Company, question: str) -> list[asyncpg.Record]:
    async with database.tenant(company.org) as connection:
        return list(await connection.fetch(question))
