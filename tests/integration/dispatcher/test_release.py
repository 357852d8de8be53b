"""Waiting work reaches the bus: once, fairly, and again where its message came to nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.integration.dispatcher.conftest import SLUG, Ground
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database import Queries
from skillnet_common.work import Claim
from skillnet_dispatcher import loops
from skillnet_dispatcher.loops.release import Release, message_id

FLOOR = 8


def release_of(ground: Ground, floor: int = FLOOR) -> Release:
    return Release(ground.dispatcher, ground.bus.jetstream, factor=2, floor=floor)


async def messages(ground: Ground) -> list[tuple[str, str, WorkMessage]]:
    """(subject, message id, body) of everything in the work stream, in order."""
    state = (await ground.admin.jetstream.stream_info(subjects.WORK_STREAM)).state
    found = []
    for seq in range(state.first_seq, state.last_seq + 1):
        message = await ground.admin.jetstream.get_msg(subjects.WORK_STREAM, seq)
        assert message.data is not None
        assert message.headers is not None
        assert message.subject is not None
        body = WorkMessage.model_validate_json(message.data)
        found.append((message.subject, message.headers["Nats-Msg-Id"], body))
    return found


async def next_message(ground: Ground, durable: str = "parser") -> WorkMessage:
    subscription = await ground.admin.jetstream.pull_subscribe_bind(durable, subjects.WORK_STREAM)
    (message,) = await subscription.fetch(1, timeout=20)
    await message.ack_sync()
    await subscription.unsubscribe()
    return WorkMessage.model_validate_json(message.data)


async def test_each_stage_has_its_subject_and_ids_only(ground: Ground) -> None:
    pipeline, release = await ground.pipeline(chunks=1), release_of(ground)
    await pipeline.upload("manual", "some text that must not be on the bus")
    org = pipeline.org_id
    expected = [f"document.uploaded.{org}", f"document.parsed.{org}", f"document.chunked.{SLUG}.{org}"]
    for position, subject in enumerate(expected):
        assert await release.step() is False
        sent = await messages(ground)
        assert sent[position][0] == subject
        row = (await ground.work(org))[position]
        assert sent[position][1] == message_id(sent[position][2].work_id, 1)
        assert sent[position][2].work_id == row["work_id"]
        assert (row["state"], row["releases"]) == ("released", 1)
        stored = await ground.admin.jetstream.get_msg(subjects.WORK_STREAM, row["released_seq"])  # type: ignore[arg-type]
        assert stored.data is not None
        assert b"some text" not in stored.data
        assert await pipeline.deliver(sent[position][2]) == "done"


async def test_what_is_out_is_not_released_twice(ground: Ground) -> None:
    pipeline, release = await ground.pipeline(), release_of(ground)
    await pipeline.upload("manual", "text")
    for _ in range(3):
        await release.step()
    assert len(await messages(ground)) == 1


async def test_delayed_work_waits_for_its_time(ground: Ground) -> None:
    pipeline, release = await ground.pipeline(retry_seconds=60), release_of(ground)
    await pipeline.upload("manual", "text")
    (message,) = await pipeline.due()
    claim = await pipeline.table.claim(message)
    assert claim is not None
    await pipeline.table.retry_later(claim, "the store was away")
    await release.step()
    assert await messages(ground) == []


class Crash(Exception):
    pass


class CrashingRelease(Release):
    """Dies after publishing and before marking."""

    async def _mark(self, sent: Any) -> None:  # noqa: ARG002
        raise Crash


async def publish_without_marking(ground: Ground) -> None:
    crashing = CrashingRelease(ground.dispatcher, ground.bus.jetstream, factor=2, floor=FLOOR)
    with pytest.raises(Crash):
        await crashing.step()


async def test_a_crash_before_marking_is_harmless_to_the_worker(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=1)
    await pipeline.upload("manual", "text")
    await publish_without_marking(ground)
    assert [row["state"] for row in await ground.work(pipeline.org_id)] == ["waiting"]
    assert await pipeline.deliver(await next_message(ground)) == "done"


async def test_a_message_consumed_before_the_crash_does_not_swallow_the_next(ground: Ground) -> None:
    pipeline, release = await ground.pipeline(), release_of(ground)
    await pipeline.upload("manual", "text")
    await publish_without_marking(ground)
    claim = await pipeline.table.claim(await next_message(ground))
    assert claim is not None
    await pipeline.table.retry_later(claim, "a passing fault")
    # The row waits with no message anywhere, and the next release has the id of the consumed one.
    assert await release.step() is True
    assert await release.step() is False
    (_, sent_id, body) = (await messages(ground))[-1]
    assert sent_id == message_id(body.work_id, 2)
    assert await pipeline.deliver(await next_message(ground)) == "done"


async def test_a_worker_faster_than_the_mark_keeps_its_claim(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    claims: list[Claim] = []

    class Slow(Release):
        async def _mark(self, sent: Any) -> None:
            claim = await pipeline.table.claim(await next_message(ground))
            assert claim is not None
            claims.append(claim)
            await super()._mark(sent)

    release = Slow(ground.dispatcher, ground.bus.jetstream, factor=2, floor=FLOOR)
    await release.step()
    (row,) = await ground.work(pipeline.org_id)
    assert (row["state"], row["releases"]) == ("claimed", 1)
    await pipeline.table.retry_later(claims[0], "a passing fault")
    await release_of(ground).step()
    assert [sent_id for _, sent_id, _ in await messages(ground)] == [message_id(row["work_id"], 2)]  # type: ignore[arg-type]


async def add_parse_work(pipeline: Pipeline, count: int) -> None:
    """Waiting work without the uploads: one document with `count` versions."""
    document_id = uuid4()
    async with pipeline.database.tenant(pipeline.org_id) as connection:
        await connection.execute(
            "INSERT INTO documents (org_id, document_id, source, external_key, title)"
            " VALUES ($1, $2, 'upload', $3, 'D')",
            pipeline.org_id,
            document_id,
            str(document_id),
        )
        await connection.execute(
            "INSERT INTO document_versions (org_id, document_id, version, file_name, object_key, content_sha256,"
            " size_bytes, pipeline_fingerprint, title)"
            " SELECT $1, $2, n, 'f', 'o', sha256('x'), 1, 'p', 'D' FROM generate_series(1, $3) n",
            pipeline.org_id,
            document_id,
            count,
        )
        await connection.execute(
            "INSERT INTO work (org_id, stage, document_id, version) SELECT $1, 'parse', $2, n"
            " FROM generate_series(1, $3) n",
            pipeline.org_id,
            document_id,
            count,
        )


async def test_the_window_is_not_exceeded_and_follows_the_live_workers(ground: Ground) -> None:
    pipeline, release = await ground.pipeline(), release_of(ground)
    await add_parse_work(pipeline, 50)
    await release.step()
    assert len(await messages(ground)) == FLOOR
    async with ground.dispatcher.system() as connection:
        await connection.execute(
            "INSERT INTO instances (instance_id, service, capacity, seen_at) VALUES"
            " ('a', 'parser', 4, now()), ('b', 'parser', 3, now()),"
            " ('gone', 'parser', 90, now() - interval '1 minute')"
        )
    await release.step()
    await release.step()
    assert len(await messages(ground)) == 14


async def test_a_newcomer_does_not_wait_behind_a_large_tenant(ground: Ground) -> None:
    large, small = await ground.pipeline(), await ground.pipeline()
    release = release_of(ground)
    await add_parse_work(large, 200)
    await release.step()
    await add_parse_work(small, 5)
    finished: list[UUID] = []
    while finished.count(small.org_id) < 5:
        message = await next_message(ground)
        await settle_quietly(ground, message)
        finished.append(message.org_id)
        await release.step()
    assert finished.count(large.org_id) <= 2 * FLOOR


async def test_more_tenants_than_places_all_get_their_turn(ground: Ground) -> None:
    release = release_of(ground, floor=3)
    tenants = [await ground.pipeline() for _ in range(8)]
    for tenant in tenants:
        await add_parse_work(tenant, 20)
    finished: Counter[UUID] = Counter()
    for _ in range(32):
        await release.step()
        message = await next_message(ground)
        await settle_quietly(ground, message)
        finished[message.org_id] += 1
    assert set(finished.values()) == {4}


async def settle_quietly(ground: Ground, message: WorkMessage) -> None:
    async with ground.service.tenant(message.org_id) as connection:
        await connection.execute(
            "UPDATE work SET state = 'done' WHERE org_id = $1 AND work_id = $2", message.org_id, message.work_id
        )


async def test_thousands_of_waiting_rows_are_not_read(ground: Ground) -> None:
    for _ in range(5):
        await add_parse_work(await ground.pipeline(), 1_000)
    sql = Queries(loops.__name__, "release.sql")
    async with ground.dispatcher.system() as connection:
        for name, arguments in (("waiting", (Stage.PARSE, None, 16)), ("held", (Stage.PARSE, None))):
            text = await connection.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {getattr(sql, name)}", *arguments)
            nodes = nodes_of(json.loads(text)[0]["Plan"])
            assert not [node for node in nodes if node["Node Type"] == "Seq Scan" and node["Relation Name"] == "work"]
            assert max(rows_read(node) for node in nodes) < 200, name
    release = release_of(ground, floor=16)
    await release.step()
    counts = Counter(body.org_id for _, _, body in await messages(ground))
    assert sorted(counts.values()) == [3, 3, 3, 3, 4]


def nodes_of(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in nodes_of(child))]


def rows_read(node: dict[str, Any]) -> float:
    return float((node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"])
