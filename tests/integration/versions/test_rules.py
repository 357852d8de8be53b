"""The rules of versions and claims one by one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncpg
import pytest
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.database import Database
from skillnet_common.database.pool import Connection
from skillnet_common.errors import RequestError
from skillnet_common.messaging.topology import MAX_MESSAGE_BYTES
from skillnet_common.versions.finish import MAX_SECTION_BYTES, fit_sections
from skillnet_common.work import Claim, LostClaim, WorkTable


@pytest.fixture
def pipeline(database: Database, org: UUID) -> Pipeline:
    return Pipeline(database, org, chunks=2)


async def rows(pipeline: Pipeline, query: str) -> list[asyncpg.Record]:
    async with pipeline.database.tenant(pipeline.org_id) as connection:
        found: list[asyncpg.Record] = await connection.fetch(query)
        return found


async def document(pipeline: Pipeline) -> asyncpg.Record:
    (row,) = await rows(pipeline, "SELECT * FROM documents")
    return row


async def claim_first(pipeline: Pipeline) -> Claim:
    claim = await pipeline.table.claim((await pipeline.due())[0])
    assert claim is not None
    return claim


# -- uploads


async def test_the_same_bytes_again_change_nothing(pipeline: Pipeline) -> None:
    first = await pipeline.upload("manual", "text")
    again = await pipeline.upload("manual", "text")
    await pipeline.drain()
    live = await pipeline.upload("manual", "text")
    assert [first.outcome, again.outcome, live.outcome] == ["created", "unchanged", "unchanged"]
    assert [again.object_kept, live.object_kept] == [False, False]
    assert len(await rows(pipeline, "SELECT 1 FROM document_versions")) == 1
    assert len(await rows(pipeline, "SELECT 1 FROM outbox")) == 1


async def test_bytes_of_an_earlier_version_are_a_new_version(pipeline: Pipeline) -> None:
    for text in ("one", "two", "one"):
        await pipeline.upload("manual", text)
        await pipeline.drain()
    assert (await document(pipeline))["live_version"] == 3


async def test_the_same_bytes_after_a_failure_are_tried_again(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "text")
    await pipeline.fail(await claim_first(pipeline))
    assert (await document(pipeline))["processing_status"] == "failed"
    assert (await pipeline.upload("manual", "text")).version == 2
    assert (await document(pipeline))["processing_status"] == "pending"
    await pipeline.drain()
    assert (await document(pipeline))["processing_status"] == "ready"


async def test_many_uploads_of_one_document_at_once_get_numbers_of_their_own(pipeline: Pipeline) -> None:
    results = await asyncio.gather(*(pipeline.upload("manual", f"text {number}") for number in range(8)))
    assert sorted(result.version for result in results) == list(range(1, 9))
    await pipeline.drain()
    assert (await document(pipeline))["live_version"] == 8


async def test_a_retried_request_gets_the_first_reply(pipeline: Pipeline) -> None:
    first = await pipeline.upload("manual", "text", idempotency_key="k")
    await pipeline.upload("manual", "newer text")
    again = await pipeline.upload("manual", "text", idempotency_key="k")
    assert again.replayed
    assert (again.version, again.outcome) == (first.version, first.outcome)
    assert not again.object_kept
    with pytest.raises(RequestError) as raised:
        await pipeline.upload("manual", "another text", idempotency_key="k")
    assert raised.value.code == "idempotency_key_reused"
    assert (await document(pipeline))["newest_version"] == 2


async def test_one_key_for_two_documents_at_once_is_refused_for_one(pipeline: Pipeline) -> None:
    results = await asyncio.gather(
        *(pipeline.upload(f"manual {number}", "text", idempotency_key="k") for number in range(4)),
        return_exceptions=True,
    )
    refused = [result for result in results if isinstance(result, RequestError)]
    assert len(refused) == 3
    assert len(await rows(pipeline, "SELECT 1 FROM documents")) == 1, "nothing half-written"


async def test_a_title_given_while_a_version_is_under_way_stays(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "one", title="Old")
    await pipeline.drain()
    await pipeline.upload("manual", "two")
    await pipeline.upload("manual", "two", title="New")
    await pipeline.drain()
    assert (await document(pipeline))["title"] == "New"


async def test_other_metadata_of_a_live_document_is_announced_once(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "text", courses=["a"])
    await pipeline.drain()
    for _ in range(2):
        await pipeline.upload("manual", "text", courses=["a", "b"], metadata={"area": "caja"})
    changes = [
        row["payload"]["change"] for row in await rows(pipeline, "SELECT payload FROM outbox ORDER BY outbox_seq")
    ]
    assert changes == ["created", "metadata"]


async def test_metadata_that_comes_with_a_version_is_announced_though_the_version_fails(pipeline: Pipeline) -> None:
    result = await pipeline.upload("manual", "one", courses=["a"])
    await pipeline.drain()
    await pipeline.upload("manual", "two", courses=["a", "b"], audience=["rrhh"])
    await pipeline.fail(await claim_first(pipeline))
    await pipeline.upload("manual", "three", courses=["a", "b"], audience=["rrhh"])  # changes neither
    events = await rows(pipeline, "SELECT type, version, payload FROM outbox ORDER BY outbox_seq")
    assert [(event["type"], event["version"], event["payload"].get("change")) for event in events] == [
        ("document.updated", 1, "created"),
        ("document.updated", 1, "metadata"),
        ("document.failed", 2, None),
    ]
    assert events[1]["payload"]["document_id"] == str(result.document_id)
    assert events[1]["payload"]["courses"] == ["a", "b"]


# -- what readers keep


async def test_a_failed_version_leaves_the_live_one_serving(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "one")
    await pipeline.drain()
    await pipeline.upload("manual", "two")
    await pipeline.fail(await claim_first(pipeline))
    row = await document(pipeline)
    assert (row["live_version"], row["processing_status"]) == (1, "ready")
    (event,) = await rows(pipeline, "SELECT payload FROM outbox WHERE type = 'document.failed'")
    assert (event["payload"]["live_version"], event["payload"]["code"]) == (1, "corrupt_file")


async def test_hope_lasts_while_any_version_is_under_way(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "one")
    older = await claim_first(pipeline)
    await pipeline.upload("manual", "two")
    await pipeline.fail(await claim_first(pipeline))
    assert (await document(pipeline))["processing_status"] == "processing"
    await pipeline.fail(older)
    assert (await document(pipeline))["processing_status"] == "failed"


class SecondHeldUp:
    """A database whose second transaction begins only when it is let."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._calls = 0
        self.reached, self.let = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def tenant(self, org_id: UUID) -> AsyncIterator[Connection]:
        self._calls += 1
        if self._calls == 2:
            self.reached.set()
            await self.let.wait()
        async with self._database.tenant(org_id) as connection:
            yield connection


async def test_an_ended_version_does_not_bring_back_hope(database: Database, pipeline: Pipeline) -> None:
    """A worker claims just before a cancellation, and marks the document just after it."""
    result = await pipeline.upload("manual", "text")
    (message,) = await pipeline.due()
    slow: Any = SecondHeldUp(database)
    table = WorkTable(slow, instance="slow", lease_seconds=60, max_attempts=5, retry_seconds=0)
    claiming = asyncio.create_task(table.claim(message))
    await asyncio.wait_for(slow.reached.wait(), timeout=20)
    assert await pipeline.cancel(result.document_id, 1)
    slow.let.set()
    await claiming
    assert (await document(pipeline))["processing_status"] == "failed"


@pytest.mark.parametrize(("steps", "stage"), [(0, "parse"), (1, "chunk"), (2, "embed")])
async def test_a_cancelled_version_says_so(pipeline: Pipeline, steps: int, stage: str) -> None:
    result = await pipeline.upload("manual", "text")
    for _ in range(steps):
        await pipeline.deliver((await pipeline.due())[0])
    assert await pipeline.cancel(result.document_id, 1)
    (version,) = await rows(pipeline, "SELECT * FROM document_versions")
    assert (version["state"], version["error_code"], version["error_stage"]) == ("cancelled", "cancelled", stage)
    assert version["error_message"] == "It was cancelled."
    assert (await document(pipeline))["processing_status"] == "failed"


async def test_a_delete_ends_everything_under_way(pipeline: Pipeline) -> None:
    result = await pipeline.upload("manual", "one")
    await pipeline.drain()
    await pipeline.upload("manual", "two")
    held = await claim_first(pipeline)
    await pipeline.upload("manual", "three")
    await pipeline.delete(result.document_id)
    assert await pipeline.due() == []
    states = {row["state"] for row in await rows(pipeline, "SELECT state FROM work")}
    assert states == {"done", "cancelled"}
    versions = [row["state"] for row in await rows(pipeline, "SELECT state FROM document_versions ORDER BY version")]
    assert versions == ["superseded", "cancelled", "cancelled"]
    reasons = await rows(
        pipeline, "SELECT DISTINCT error_code, error_message FROM document_versions WHERE version > 1"
    )
    assert [tuple(reason) for reason in reasons] == [("cancelled", "Its document was deleted.")]
    assert await pipeline.complete(held) == "dropped"
    (event,) = await rows(pipeline, "SELECT payload FROM outbox WHERE type = 'document.deleted'")
    assert event["payload"]["last_version"] == 1
    await pipeline.delete(result.document_id)
    assert len(await rows(pipeline, "SELECT 1 FROM outbox WHERE type = 'document.deleted'")) == 1


async def test_what_comes_back_is_said_to_be_restored(pipeline: Pipeline) -> None:
    result = await pipeline.upload("manual", "text")
    await pipeline.drain()
    await pipeline.delete(result.document_id)
    await pipeline.upload("manual", "text")
    await pipeline.drain()
    events = await rows(pipeline, "SELECT type, version, payload FROM outbox ORDER BY outbox_seq")
    assert [(event["type"], event["version"], event["payload"].get("change")) for event in events] == [
        ("document.updated", 1, "created"),
        ("document.deleted", 1, None),
        ("document.updated", 2, "restored"),
    ]


# -- claims


async def test_only_one_of_many_gets_the_claim(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "text")
    (message,) = await pipeline.due()
    claims = await asyncio.gather(*(pipeline.table.claim(message) for _ in range(8)))
    assert sum(claim is not None for claim in claims) == 1


async def test_a_lapsed_claim_cannot_settle_what_another_holds(pipeline: Pipeline) -> None:
    await pipeline.upload("manual", "text")
    (message,) = await pipeline.due()
    lapsed = await pipeline.table.claim(message)
    assert lapsed is not None
    await expire(pipeline)
    other = await pipeline.table.claim(message)
    assert other is not None
    assert other.attempt == 2
    with pytest.raises(LostClaim):
        await pipeline.table.renew(lapsed)
    await pipeline.table.retry_later(lapsed, "too late")  # nor take it away
    assert await pipeline.complete(lapsed) == "dropped"
    assert await pipeline.complete(other) == "done"


async def test_a_retry_waits_longer_each_time_and_a_stop_costs_no_attempt(database: Database, org: UUID) -> None:
    pipeline = Pipeline(database, org, retry_seconds=4)
    await pipeline.upload("manual", "text")
    (message,) = await pipeline.due()
    for attempt, seconds in ((1, 4), (2, 8), (3, 16)):
        claim = await pipeline.table.claim(message)
        assert claim is not None
        assert claim.attempt == attempt
        await pipeline.table.give_back(claim)
        claim = await pipeline.table.claim(message)
        assert claim is not None
        assert claim.attempt == attempt
        await pipeline.table.retry_later(claim, "the store was away")
        assert await pipeline.table.claim(message) is None, "not due yet"
        (row,) = await rows(pipeline, "SELECT not_before - now() AS delay, last_error FROM work")
        assert timedelta(seconds=seconds * 0.69) < row["delay"] < timedelta(seconds=seconds * 1.31)
        assert row["last_error"] == "the store was away"
        await rows(pipeline, "UPDATE work SET not_before = now()")


async def expire(pipeline: Pipeline) -> None:
    await rows(pipeline, "UPDATE work SET lease_until = now() - interval '1 ms' WHERE state = 'claimed'")


# -- events


def test_section_changes_never_outgrow_the_bus() -> None:
    short = [("added", ["Capítulo", f"Sección {number}"]) for number in range(3)]
    assert fit_sections(short).added == [path for _, path in short]
    assert not fit_sections(short).truncated
    many = [("changed", ["Capítulo ñ", "x" * 500, str(number)]) for number in range(5_000)]
    changes = fit_sections(many)
    assert changes.truncated
    assert 150 < len(changes.changed) < 200
    size = len(json.dumps(changes.model_dump(mode="json"), ensure_ascii=False).encode())
    assert size <= MAX_SECTION_BYTES + 100 < MAX_MESSAGE_BYTES / 2
