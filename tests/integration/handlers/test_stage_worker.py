"""A stage's worker on a real bus and database: every fault ends in a state that somebody owns."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from tests.conftest import TEST_MODEL
from tests.integration.handlers.line import Line
from tests.integration.handlers.manual import manual

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.errors import DOCUMENT_CODES, ErrorCode, PassingFault, PermanentFault, SkillnetError
from skillnet_common.messaging import worker as puller_module
from skillnet_common.messaging.connection import Bus
from skillnet_common.models import RegisteredModel, registered_model
from skillnet_common.runtime.service import Service
from skillnet_common.runtime.worker import DoWork, StageWorker
from skillnet_common.settings import CommonSettings, WorkSettings
from skillnet_common.versions import DocumentGone
from skillnet_common.work import Claim
from skillnet_common.work.claims import settle

SLUG = str(TEST_MODEL["slug"])
SECRET = "contraseña de la base de datos: cebolla"
_USERS = {Stage.PARSE: "parser", Stage.CHUNK: "chunker", Stage.EMBED: "embedder"}


class Bench:
    """Workers of any stage over one line, and what they leave behind."""

    def __init__(self, line: Line, nats: EmbeddedNats, admin: Bus) -> None:
        self.line = line
        self.nats = nats
        self.admin = admin

    @asynccontextmanager
    async def working(
        self,
        do: DoWork,
        stage: Stage = Stage.PARSE,
        *,
        model: RegisteredModel | None = None,
        drain: bool = True,
        **settings: Any,
    ) -> AsyncIterator[asyncio.Task[None]]:
        """A worker at work; without `drain` it is cut off at the end, as when a stop takes too long."""
        values: dict[str, Any] = {"work_retry_seconds": 60, "work_slots": 1, **settings}
        user = _USERS[stage]
        bus = await Bus.connect(CommonSettings(nats_url=self.nats.url_for(user), nats_user=user), user)
        service = Service(user, CommonSettings(), self.line.database, bus, f"{user}-test")
        worker = StageWorker(service, WorkSettings(**values), stage, do, model=model)
        task = asyncio.create_task(worker.run())
        try:
            yield task
            worker.stop()
            if drain:
                await asyncio.wait_for(task, 10)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await bus.close()

    async def announce(self, *, subject: str | None = None, stage: Stage = Stage.PARSE) -> None:
        """Publishes a message for each piece of open work of the stage."""
        for message in await self.line.messages(stage):
            await self.publish(subject or subjects.work(stage, self.line.org_id, SLUG), message)

    async def publish(self, subject: str, message: WorkMessage) -> None:
        await self.admin.jetstream.publish(subject, message.model_dump_json().encode())

    async def consumed(self) -> None:
        """Waits until every message is acknowledged or put aside."""
        async with asyncio.timeout(30):
            while (await self.admin.jetstream.stream_info(subjects.WORK_STREAM)).state.messages:  # noqa: ASYNC110 - the server's state
                await asyncio.sleep(0.02)

    async def deliver(self, do: DoWork, **settings: Any) -> None:
        """One upload's parse work, announced, done by `do`, and its message gone."""
        await self.line.upload("manual", manual())
        await self.announce()
        async with self.working(do, **settings):
            await self.consumed()

    async def work(self) -> asyncpg.Record:
        """The one row of work."""
        return await self.line.one(
            "SELECT *, extract(epoch FROM not_before - now())::float8 AS delay FROM work ORDER BY work_id LIMIT 1"
        )

    async def version(self) -> asyncpg.Record:
        return await self.line.one("SELECT * FROM document_versions")

    async def quarantined(self) -> list[tuple[str, str]]:
        """(body, reason) of every message put aside."""
        js, found = self.admin.jetstream, []
        state = (await js.stream_info(subjects.QUARANTINE_STREAM)).state
        for seq in range(state.first_seq, state.last_seq + 1):
            message = await js.get_msg(subjects.QUARANTINE_STREAM, seq)
            found.append(((message.data or b"").decode(), (message.headers or {})["Skillnet-Reason"]))
        return found


@pytest.fixture
async def bench(
    line: Line, nats_server: EmbeddedNats, topology: list[str], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Bench]:
    """Empty streams and a fresh organisation."""
    monkeypatch.setattr(puller_module, "_FETCH_SECONDS", 0.1)  # a stop waits for the fetch under way
    admin = await Bus.connect(CommonSettings(nats_url=nats_server.url_for("admin"), nats_user="admin"), "test")
    for stream in (subjects.WORK_STREAM, subjects.QUARANTINE_STREAM):
        await admin.jetstream.purge_stream(stream)
    yield Bench(line, nats_server, admin)
    await admin.close()


def raising(error: Exception) -> DoWork:
    async def do(_: Claim) -> None:
        raise error

    return do


async def never(_: Claim) -> None:
    raise AssertionError("this work is somebody else's")


async def test_work_is_done_once_and_its_message_taken(bench: Bench) -> None:
    seen: list[Claim] = []

    async def do(claim: Claim) -> None:
        seen.append(claim)
        await bench.line.parser(claim)

    await bench.line.upload("manual", manual())
    await bench.announce()
    await bench.announce()  # a hint may come twice
    async with bench.working(do):
        await bench.consumed()
    assert [(claim.stage, claim.attempt) for claim in seen] == [(Stage.PARSE, 1)]
    work = await bench.work()
    assert (work["state"], work["claimed_by"], work["last_error"]) == ("done", "parser-test", None)
    assert (await bench.version())["state"] == "parsed"


@pytest.mark.parametrize("code", sorted({ErrorCode.CORRUPT_FILE, ErrorCode.NOTHING_READABLE} & DOCUMENT_CODES))
async def test_a_fault_of_the_document_fails_its_version(bench: Bench, code: ErrorCode) -> None:
    await bench.deliver(raising(PermanentFault(code, "El fichero está roto.")))
    work, version = await bench.work(), await bench.version()
    assert (work["state"], work["last_error"], work["attempts"]) == ("failed", "El fichero está roto.", 1)
    assert (version["state"], version["error_stage"], version["error_code"]) == ("failed", "parse", code)
    assert version["error_message"] == "El fichero está roto."
    (event,) = await bench.line.events("document.failed")
    assert (event["code"], event["stage"], event["version"], event["live_version"]) == (code, "parse", 1, None)
    assert (await bench.line.one("SELECT processing_status FROM documents"))["processing_status"] == "failed"


async def test_work_without_consent_fails_its_version_and_is_put_aside_at_once(bench: Bench) -> None:
    await bench.deliver(raising(PermanentFault(ErrorCode.CONSENT_REQUIRED, "Falta la autorización.")))
    work, version = await bench.work(), await bench.version()
    assert (work["state"], work["last_error"], work["attempts"]) == ("quarantined", "Falta la autorización.", 1)
    assert (version["state"], version["error_code"]) == ("failed", "consent_required")
    assert version["error_message"] == "Falta la autorización."
    (event,) = await bench.line.events("document.failed")
    assert event["code"] == "consent_required"


@pytest.mark.parametrize(
    "code",
    [ErrorCode.PROVIDER_FAILED, ErrorCode.MISCONFIGURED, ErrorCode.MODEL_MISMATCH, ErrorCode.TOPOLOGY_DRIFT],
)
async def test_a_fault_of_the_deployment_waits_to_be_mended_and_fails_nothing(bench: Bench, code: ErrorCode) -> None:
    await bench.deliver(
        raising(PermanentFault(code, "It refuses the key.")), work_max_attempts=1, work_misconfigured_seconds=40
    )
    work = await bench.work()
    assert (work["state"], work["attempts"], work["last_error"]) == ("waiting", 0, "It refuses the key.")
    assert 30 < work["delay"] <= 40
    assert (await bench.version())["state"] == "uploaded"
    assert await bench.line.events("document.failed") == []


@pytest.mark.parametrize(
    "fault",
    [
        PassingFault(ErrorCode.UNAVAILABLE, "The store is away."),
        ConnectionResetError("The store is away."),
        TimeoutError("The store is away."),
    ],
    ids=lambda fault: type(fault).__name__,
)
async def test_a_passing_fault_waits_and_counts(bench: Bench, fault: SkillnetError | OSError) -> None:
    await bench.deliver(raising(fault))
    work = await bench.work()
    assert (work["state"], work["attempts"], work["last_error"]) == ("waiting", 1, "The store is away.")
    assert 60 * 0.7 - 10 < work["delay"] < 60 * 1.3
    assert (await bench.version())["state"] == "uploaded"
    await bench.announce()  # a hint before its time
    async with bench.working(never):
        await bench.consumed()
    assert (await bench.work())["attempts"] == 1


async def test_each_delay_is_twice_the_one_before(bench: Bench) -> None:
    fault = raising(PassingFault(ErrorCode.UNAVAILABLE, "The store is away."))
    await bench.deliver(fault)
    async with bench.line.database.tenant(bench.line.org_id) as connection:
        await connection.execute("UPDATE work SET attempts = 2, not_before = now()")
    await bench.announce()
    async with bench.working(fault):
        await bench.consumed()
    work = await bench.work()
    assert work["attempts"] == 3
    assert 240 * 0.7 - 10 < work["delay"] < 240 * 1.3


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (PassingFault(ErrorCode.UNAVAILABLE, SECRET), SECRET),
        (RuntimeError(SECRET), f"RuntimeError: {SECRET}"),
        (DocumentGone(), "what the work needs was not found"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_after_its_last_attempt_work_is_set_aside_without_telling_users_why(
    bench: Bench, fault: Exception, cause: str
) -> None:
    await bench.deliver(raising(fault), work_max_attempts=1)
    work, version = await bench.work(), await bench.version()
    assert (work["state"], work["attempts"], work["last_error"]) == ("quarantined", 1, cause)
    assert (version["state"], version["error_code"]) == ("failed", ErrorCode.ATTEMPTS_EXHAUSTED)
    (event,) = await bench.line.events("document.failed")
    assert event["code"] == ErrorCode.ATTEMPTS_EXHAUSTED
    for told in (version["error_message"], json.dumps(event, ensure_ascii=False)):
        assert "1 attempts" in told
        assert cause not in told
        assert SECRET not in told


async def test_a_crash_is_tried_again(bench: Bench) -> None:
    await bench.deliver(raising(ZeroDivisionError("por cero")))
    work = await bench.work()
    assert (work["state"], work["attempts"], work["last_error"]) == ("waiting", 1, "ZeroDivisionError: por cero")
    assert work["delay"] > 0
    assert (await bench.version())["state"] == "uploaded"


async def test_work_of_a_version_that_has_ended_is_cancelled(bench: Bench) -> None:
    async def do(claim: Claim) -> None:
        async with bench.line.database.tenant(claim.org_id) as connection:
            await connection.execute(
                "UPDATE document_versions SET state = 'cancelled', error_code = 'cancelled', ended_at = now()"
            )
        raise DocumentGone

    await bench.deliver(do)
    work = await bench.work()
    assert (work["state"], work["attempts"]) == ("cancelled", 1)
    assert await bench.line.events("document.failed") == []


async def test_work_whose_version_still_waits_for_it_is_tried_again(bench: Bench) -> None:
    await bench.deliver(raising(DocumentGone()))
    work = await bench.work()
    assert (work["state"], work["attempts"]) == ("waiting", 1)
    assert (await bench.version())["state"] == "uploaded"


async def test_a_worker_whose_lease_is_lost_is_stopped_and_its_result_dropped(bench: Bench) -> None:
    started, ended = asyncio.Event(), asyncio.Event()

    async def do(claim: Claim) -> None:
        started.set()
        try:
            await asyncio.sleep(30)
            async with bench.line.database.tenant(claim.org_id) as connection:
                await settle(connection, claim)
        finally:
            ended.set()

    await bench.line.upload("manual", manual())
    await bench.announce()
    async with bench.working(do, work_lease_seconds=0.3):
        await asyncio.wait_for(started.wait(), 10)
        other = uuid4()
        async with bench.line.database.tenant(bench.line.org_id) as connection:
            await connection.execute(
                "UPDATE work SET claim_token = $1, claimed_by = 'other', lease_until = now() + '1 minute'", other
            )
        await asyncio.wait_for(ended.wait(), 10)
        await bench.consumed()
    work = await bench.work()
    assert (work["state"], work["claim_token"], work["claimed_by"]) == ("claimed", other, "other")
    assert (work["attempts"], work["last_error"]) == (1, None)
    assert (await bench.version())["state"] == "uploaded"


async def test_a_lease_is_kept_while_the_work_lasts(bench: Bench) -> None:
    async def do(claim: Claim) -> None:
        await asyncio.sleep(1.2)
        row = await bench.line.one("SELECT lease_until > now() AS held FROM work")
        assert row["held"]
        await bench.line.parser(claim)

    await bench.deliver(do, work_lease_seconds=0.6)
    work = await bench.work()
    assert (work["state"], work["attempts"], work["last_error"]) == ("done", 1, None)


@pytest.mark.parametrize("error", [PermanentFault(ErrorCode.CORRUPT_FILE, "Roto."), RuntimeError("roto")], ids=repr)
async def test_a_fault_of_work_whose_claim_was_lost_changes_nothing(bench: Bench, error: Exception) -> None:
    async def do(claim: Claim) -> None:
        async with bench.line.database.tenant(claim.org_id) as connection:
            await connection.execute("UPDATE work SET claim_token = gen_random_uuid(), claimed_by = 'other'")
        raise error

    await bench.deliver(do, work_max_attempts=1)
    work = await bench.work()
    assert (work["state"], work["claimed_by"], work["last_error"]) == ("claimed", "other", None)
    assert (await bench.version())["state"] == "uploaded"
    assert await bench.line.events("document.failed") == []


async def test_a_stop_gives_unfinished_work_back_without_counting_it(bench: Bench) -> None:
    started = asyncio.Event()

    async def do(_: Claim) -> None:
        started.set()
        await asyncio.sleep(30)

    await bench.line.upload("manual", manual())
    await bench.announce()
    async with bench.working(do, drain=False):
        await asyncio.wait_for(started.wait(), 10)
    work = await bench.work()
    assert (work["state"], work["attempts"]) == ("waiting", 0)
    assert work["delay"] <= 0
    async with bench.working(bench.line.parser):  # the message was given back too
        await bench.consumed()
    assert (await bench.work())["state"] == "done"


async def test_work_that_ends_in_time_is_finished_at_a_stop(bench: Bench) -> None:
    started = asyncio.Event()

    async def do(claim: Claim) -> None:
        started.set()
        await asyncio.sleep(0.3)
        await bench.line.parser(claim)

    await bench.line.upload("manual", manual())
    await bench.announce()
    async with bench.working(do):
        await asyncio.wait_for(started.wait(), 10)
    assert (await bench.work())["state"] == "done"


@pytest.mark.parametrize("body", [b"\xff\x00", b"{}", b'{"org_id": 1}'], ids=repr)
async def test_a_message_nobody_can_read_is_put_aside(bench: Bench, body: bytes) -> None:
    await bench.line.upload("manual", manual())
    await bench.admin.jetstream.publish(subjects.work(Stage.PARSE, bench.line.org_id), body)
    async with bench.working(never):
        await bench.consumed()
    state = (await bench.admin.jetstream.stream_info(subjects.QUARANTINE_STREAM)).state
    assert state.messages == 1
    assert (await bench.work())["attempts"] == 0


async def test_work_of_another_stage_is_refused(bench: Bench) -> None:
    await bench.line.upload("manual", manual())
    await bench.announce(subject=subjects.work(Stage.CHUNK, bench.line.org_id))
    async with bench.working(never, Stage.CHUNK):
        await bench.consumed()
    ((_, reason),) = await bench.quarantined()
    assert reason == "work of the stage parse on the way to chunk"
    assert (await bench.work())["attempts"] == 0


async def test_a_message_that_lies_about_the_stage_claims_nothing(bench: Bench) -> None:
    await bench.line.upload("manual", manual())
    (message,) = await bench.line.messages(Stage.PARSE)
    lie = message.model_copy(update={"stage": Stage.CHUNK})
    await bench.publish(subjects.work(Stage.CHUNK, bench.line.org_id), lie)
    async with bench.working(never, Stage.CHUNK):
        await bench.consumed()
    work = await bench.work()
    assert (work["state"], work["attempts"]) == ("waiting", 0)


async def test_an_embedder_takes_the_work_of_its_own_model_only(bench: Bench) -> None:
    model = await registered_model(bench.line.database, str(TEST_MODEL["fingerprint"]), configured=SLUG)
    await bench.line.upload("manual", manual())
    await bench.line.drain(Stage.PARSE, Stage.CHUNK)
    another = replace(model, model_id=model.model_id + 1_000)
    await bench.announce(stage=Stage.EMBED)
    async with bench.working(never, Stage.EMBED, model=another):
        await bench.consumed()
    assert (await bench.line.one("SELECT sum(attempts) AS n FROM work WHERE stage = 'embed'"))["n"] == 0
    await bench.announce(stage=Stage.EMBED)
    async with bench.working(bench.line.embedder, Stage.EMBED, model=model):
        await bench.consumed()
    assert (await bench.version())["state"] == "ready"


async def test_another_tenants_id_in_a_message_claims_nothing(bench: Bench, other_line: Line) -> None:
    await bench.line.upload("manual", manual())
    (message,) = await bench.line.messages(Stage.PARSE)
    theirs = message.model_copy(update={"org_id": other_line.org_id})
    await bench.publish(subjects.work(Stage.PARSE, other_line.org_id), theirs)
    async with bench.working(never):
        await bench.consumed()
    assert (await bench.work())["attempts"] == 0


async def test_three_workers_take_an_upload_to_live(bench: Bench) -> None:
    model = await registered_model(bench.line.database, str(TEST_MODEL["fingerprint"]), configured=SLUG)
    await bench.line.upload("manual", manual())
    line = bench.line
    steps: list[tuple[Stage, Callable[[Claim], Awaitable[None]], RegisteredModel | None]] = [
        (Stage.PARSE, line.parser, None),
        (Stage.CHUNK, line.chunker, None),
        (Stage.EMBED, line.embedder, model),
    ]
    for stage, handler, own in steps:
        await bench.announce(stage=stage)
        async with bench.working(handler, stage, model=own):
            await bench.consumed()
    assert (await bench.version())["state"] == "ready"
    assert (await line.written())["open_work"] == 0
