"""A changed source marks its courses and tells their administrators, once however often the event comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.conftest import TEST_MODEL, create_database
from tests.integration.versions.pipeline import Pipeline

from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_nats
from skillnet_common.auth import create_organization
from skillnet_common.contracts import subjects
from skillnet_common.contracts.events import ChangeKind, CourseReviewRequested, DocumentUpdated
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.topology import ensure_topology
from skillnet_common.runtime import Service
from skillnet_common.settings import CommonSettings
from skillnet_dispatcher.loops.relay import Relay
from skillnet_notifier.app import build
from skillnet_notifier.domain.review import course_token
from skillnet_notifier.settings import NotifierSettings


@dataclass
class Stage:
    """A running notifier and what it reads and writes."""

    database: Database
    dispatcher: Database
    org_id: UUID
    admin: Bus
    sender: Bus
    service: Service = field(repr=False)

    async def rows(self, query: str) -> list[asyncpg.Record]:
        async with self.database.tenant(self.org_id) as connection:
            rows: list[asyncpg.Record] = await connection.fetch(query)
            return rows

    async def relay(self) -> None:
        await Relay(self.dispatcher, self.sender.jetstream).step()

    async def send(self, subject: str, body: bytes) -> None:
        stored = await self.sender.jetstream.publish(subject, body)
        await self.handled(stored.seq)

    async def handled(self, through: int = 0) -> None:
        """Waits until the notifier has acknowledged all events so far, that of sequence `through` among them: its
        consumer may count a message a moment after the stream has stored it."""
        async with asyncio.timeout(30):
            while True:
                info = await self.admin.jetstream.consumer_info(subjects.EVENT_STREAM, "notifier")
                delivered = info.delivered.stream_seq if info.delivered is not None else 0
                if info.num_pending == 0 and info.num_ack_pending == 0 and delivered >= through:
                    return
                await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
async def shared_stage(postgres: EmbeddedPostgres) -> AsyncIterator[Stage]:
    """A database and a bus without other tests' events, and a notifier at work."""
    urls = await create_database(postgres, f"notifier-{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    await register_first_model(urls.migrator, **TEST_MODEL)
    database = await Database.connect(urls.service, size=6)
    dispatcher = await Database.connect(urls.dispatcher, size=2)
    with temporary_nats({user.name: user for user in service_users()}) as server:
        buses = {
            user: await Bus.connect(CommonSettings(nats_url=server.url_for(user), nats_user=user), user)
            for user in ("admin", "dispatcher", "notifier")
        }
        await ensure_topology(buses["admin"].jetstream, [str(TEST_MODEL["slug"])])
        settings = NotifierSettings(notifier_slots=2)
        service = Service("notifier", settings, database, buses["notifier"], "notifier-test")
        worker = build(service, settings)
        running = asyncio.create_task(worker.run())
        yield Stage(database, dispatcher, uuid4(), buses["admin"], buses["dispatcher"], service)
        worker.stop()
        await asyncio.wait_for(running, timeout=10)
        for bus in buses.values():
            await bus.close()
    await database.close()
    await dispatcher.close()


@pytest.fixture
async def stage(shared_stage: Stage) -> Stage:
    """The same with an organisation of the test's own."""
    org_id = uuid4()
    await create_organization(shared_stage.database, org_id, "Panadería de prueba")
    return replace(shared_stage, org_id=org_id)


def event(stage: Stage, change: ChangeKind = ChangeKind.REPLACED, **fields: Any) -> DocumentUpdated:
    values: dict[str, Any] = {
        "event_id": uuid4(),
        "org_id": stage.org_id,
        "document_id": uuid4(),
        "source": "upload",
        "external_key": "manual",
        "title": "Manual de devoluciones",
        "occurred_at": datetime(2026, 11, 30, 10, 0, tzinfo=UTC),
        "change": change,
        "version": 2,
        "previous_version": 1,
        "chunk_count": 3,
        "page_count": 2,
        "embedding_model": "test-model",
        "courses": ["devoluciones"],
    }
    return DocumentUpdated(**{**values, **fields})


def subject_of(event: DocumentUpdated) -> str:
    return subjects.document_event("document.updated", event.org_id, event.document_id)


async def add_course(stage: Stage, course_id: str, title: str) -> None:
    async with stage.database.tenant(stage.org_id) as connection:
        await connection.execute(
            "INSERT INTO courses (org_id, course_id, title) VALUES ($1, $2, $3)", stage.org_id, course_id, title
        )


async def test_from_an_upload_to_the_notification(stage: Stage) -> None:
    pipeline = Pipeline(stage.database, stage.org_id, chunks=1)
    await pipeline.upload("manual", "one", title="Manual de devoluciones", courses=["devoluciones", "caja"])
    await pipeline.drain()
    await stage.relay()
    await stage.handled()
    assert await stage.rows("SELECT 1 FROM notifications") == [], "a new document makes no course stale"
    await pipeline.upload("manual", "two")
    await pipeline.drain()
    await stage.relay()
    await stage.handled()
    courses = await stage.rows("SELECT course_id, stale_since, stale_reason FROM courses ORDER BY course_id")
    assert [(row["course_id"], row["stale_reason"]) for row in courses] == [
        ("caja", "fuente actualizada — revisar"),
        ("devoluciones", "fuente actualizada — revisar"),
    ]
    assert all(row["stale_since"] for row in courses)
    notes = await stage.rows("SELECT text FROM notifications ORDER BY text")
    assert notes[1]["text"] == (
        "«Manual de devoluciones» se actualizó. El curso «devoluciones» podría necesitar revisión."
    )
    # And other teams hear of it too.
    await stage.relay()
    review = await stage.admin.jetstream.get_last_msg(
        subjects.EVENT_STREAM, subjects.course_review(stage.org_id, course_token("caja"))
    )
    assert review.data is not None
    body = CourseReviewRequested.model_validate_json(review.data)
    assert (body.course_id, body.change, body.document_title) == ("caja", "replaced", "Manual de devoluciones")
    assert review.headers is not None
    assert (review.headers["ce-type"], review.headers["ce-subject"]) == ("course.review_requested", "caja")


async def test_a_deleted_source_calls_for_a_review_too(stage: Stage) -> None:
    pipeline = Pipeline(stage.database, stage.org_id, chunks=1)
    result = await pipeline.upload("manual", "one", title="Manual de caja", courses=["caja"])
    await pipeline.drain()
    await pipeline.delete(result.document_id)
    await stage.relay()
    await stage.handled()
    (note,) = await stage.rows("SELECT text FROM notifications")
    assert note["text"] == "«Manual de caja» se eliminó. El curso «caja» podría necesitar revisión."
    (course,) = await stage.rows("SELECT stale_reason FROM courses")
    assert course["stale_reason"] == "fuente eliminada — revisar"


async def test_a_course_is_no_source_of_itself(stage: Stage) -> None:
    pipeline = Pipeline(stage.database, stage.org_id, chunks=1)
    words = await pipeline.upload("caja", "one", source="course", courses=["caja", "tienda"])
    async with stage.database.tenant(stage.org_id) as connection:
        await connection.execute(
            "UPDATE courses SET document_id = $1, document_version = 1 WHERE course_id = 'caja'", words.document_id
        )
    await pipeline.drain()
    await pipeline.upload("caja", "two", source="course")
    await pipeline.drain()
    await stage.relay()
    await stage.handled()
    stale = await stage.rows("SELECT course_id FROM courses WHERE stale_since IS NOT NULL")
    assert [row["course_id"] for row in stale] == ["tienda"]


async def test_a_redelivery_adds_nothing_even_after_the_review(stage: Stage) -> None:
    await add_course(stage, "devoluciones", "Devoluciones en tienda")
    update = event(stage)
    await stage.send(subject_of(update), update.model_dump_json().encode())
    (first,) = await stage.rows("SELECT * FROM outbox WHERE type = 'course.review_requested'")
    async with stage.database.tenant(stage.org_id) as connection:
        await connection.execute("UPDATE courses SET stale_since = NULL, stale_reason = NULL")
        await connection.execute("UPDATE notifications SET read_at = now()")
    await stage.send(subject_of(update), update.model_dump_json().encode())
    assert await stage.rows("SELECT * FROM outbox WHERE type = 'course.review_requested'") == [first]
    (course,) = await stage.rows("SELECT * FROM courses")
    assert course["stale_since"] is None
    (note,) = await stage.rows("SELECT * FROM notifications")
    assert note["read_at"] is not None
    assert note["text"] == (
        "«Manual de devoluciones» se actualizó. El curso «Devoluciones en tienda» podría necesitar revisión."
    )


async def test_a_course_stays_stale_since_the_first_change_nobody_looked_at(stage: Stage) -> None:
    await add_course(stage, "devoluciones", "Devoluciones")
    first = event(stage)
    second = event(stage, ChangeKind.RESTORED, occurred_at=datetime(2026, 12, 1, tzinfo=UTC))
    for update in (first, second):
        await stage.send(subject_of(update), update.model_dump_json().encode())
    (course,) = await stage.rows("SELECT * FROM courses")
    assert course["stale_since"] == first.occurred_at
    assert course["stale_reason"] == "fuente publicada de nuevo — revisar"
    assert len(await stage.rows("SELECT 1 FROM notifications")) == 2


@pytest.mark.parametrize("change", [ChangeKind.CREATED, ChangeKind.METADATA])
async def test_other_changes_make_no_course_stale(stage: Stage, change: ChangeKind) -> None:
    await add_course(stage, "devoluciones", "Devoluciones")
    update = event(stage, change)
    await stage.send(subject_of(update), update.model_dump_json().encode())
    assert await stage.rows("SELECT 1 FROM notifications") == []


async def test_the_same_words_cut_anew_make_no_course_stale(stage: Stage) -> None:
    await add_course(stage, "devoluciones", "Devoluciones")
    same = event(stage, content_changed=False)
    await stage.send(subject_of(same), same.model_dump_json().encode())
    assert await stage.rows("SELECT 1 FROM notifications") == []


async def test_courses_that_are_gone_are_passed_over(stage: Stage) -> None:
    await add_course(stage, "devoluciones", "Devoluciones")
    update = event(stage, courses=["gone", "devoluciones"])
    await stage.send(subject_of(update), update.model_dump_json().encode())
    assert [row["course_id"] for row in await stage.rows("SELECT course_id FROM notifications")] == ["devoluciones"]


def not_json(stage: Stage) -> tuple[str, bytes]:
    return f"document.updated.{stage.org_id}.{uuid4()}", b"{"


def no_event(stage: Stage) -> tuple[str, bytes]:
    return f"document.updated.{stage.org_id}.{uuid4()}", b'{"event_id": 7}'


def another_tenants(stage: Stage) -> tuple[str, bytes]:
    update = event(stage, org_id=uuid4())
    return f"document.updated.{stage.org_id}.{update.document_id}", update.model_dump_json().encode()


def a_course_no_database_can_hold(stage: Stage) -> tuple[str, bytes]:
    update = event(stage, courses=["nulo\0"])
    return subject_of(update), update.model_dump_json().encode()


@pytest.mark.parametrize("make", [not_json, no_event, another_tenants, a_course_no_database_can_hold])
async def test_what_is_no_event_goes_to_quarantine_and_holds_nothing_up(
    stage: Stage, make: Callable[[Stage], tuple[str, bytes]]
) -> None:
    await add_course(stage, "devoluciones", "Devoluciones")
    subject, body = make(stage)
    await stage.send(subject, body)
    copy = await stage.admin.jetstream.get_last_msg(subjects.QUARANTINE_STREAM, "quarantine.DOCUMENT_EVENTS")
    assert copy.data == body
    assert copy.headers is not None
    assert copy.headers["Skillnet-Subject"] == subject
    update = event(stage)
    await stage.send(subject_of(update), update.model_dump_json().encode())
    assert len(await stage.rows("SELECT 1 FROM notifications")) == 1


async def test_it_is_ready_once_its_consumer_is_there(stage: Stage) -> None:
    await stage.service.check_ready()
    await stage.admin.jetstream.delete_consumer(subjects.EVENT_STREAM, "notifier")
    with pytest.raises(Exception, match="consumer not found"):
        await stage.service.check_ready()
    await ensure_topology(stage.admin.jetstream, [str(TEST_MODEL["slug"])])
    await stage.service.check_ready()
