"""Events leave the outbox in order for each document, at least once, with a stable id."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from nats.errors import Error as NatsError
from tests.integration.dispatcher.conftest import Ground

from skillnet_common.contracts import subjects
from skillnet_common.contracts.events import DocumentUpdated
from skillnet_dispatcher.loops import relay as relay_module
from skillnet_dispatcher.loops.relay import Relay


def relay_of(ground: Ground) -> Relay:
    return Relay(ground.dispatcher, ground.bus.client.jetstream(timeout=1))


async def stored(ground: Ground) -> list[tuple[str, dict[str, str], dict[str, Any]]]:
    """(subject, headers, body) of everything in the event stream, in order."""
    state = (await ground.admin.jetstream.stream_info(subjects.EVENT_STREAM)).state
    found = []
    for seq in range(state.first_seq, state.last_seq + 1):
        message = await ground.admin.jetstream.get_msg(subjects.EVENT_STREAM, seq)
        assert message.data is not None
        assert message.headers is not None
        assert message.subject is not None
        found.append((message.subject, message.headers, json.loads(message.data)))
    return found


async def record(ground: Ground, org_id: UUID, document_id: UUID, **payload: object) -> UUID:
    """An event in the outbox; its id."""
    event_id = uuid4()
    async with ground.service.tenant(org_id) as connection:
        await connection.execute(
            "INSERT INTO outbox (org_id, event_id, type, subject, document_id, payload)"
            " VALUES ($1, $2, 'document.failed', $3, $4, $5::jsonb)",
            org_id,
            event_id,
            subjects.document_event("document.failed", org_id, document_id),
            document_id,
            {"document_id": str(document_id), **payload},
        )
    return event_id


async def unsent(ground: Ground) -> int:
    async with ground.dispatcher.system() as connection:
        return int(await connection.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL"))


async def test_an_event_is_a_cloudevent_in_binary_mode(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=1)
    result = await pipeline.upload("manual", "text", title="Manual de acogida", courses=["acogida"])
    await pipeline.drain()
    await relay_of(ground).step()
    ((subject, headers, body),) = await stored(ground)
    event = DocumentUpdated.model_validate(body)
    assert subject == f"document.updated.{pipeline.org_id}.{result.document_id}"
    assert headers == {
        "Nats-Msg-Id": str(event.event_id),
        "Nats-Expected-Stream": "DOCUMENT_EVENTS",
        "ce-specversion": "1.0",
        "ce-id": str(event.event_id),
        "ce-source": f"urn:skillnet:retrieval:{pipeline.org_id}",
        "ce-type": "document.updated",
        "ce-subject": str(result.document_id),
        "ce-time": body["occurred_at"],
        "content-type": "application/json",
    }
    assert (event.change, event.version, event.courses) == ("created", 1, ["acogida"])
    assert await unsent(ground) == 0


async def test_the_order_of_each_document_is_kept(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    documents = [uuid4() for _ in range(20)]
    for number in range(15):
        for document_id in documents:
            await record(ground, pipeline.org_id, document_id, number=number)
    relay = relay_of(ground)
    while await relay.step():
        pass
    seen: dict[str, list[int]] = {}
    for _, _, body in await stored(ground):
        seen.setdefault(body["document_id"], []).append(body["number"])
    assert list(seen.values()) == [list(range(15))] * 20
    assert await unsent(ground) == 0


class Crash(Exception):
    pass


class CrashingRelay(Relay):
    async def _mark(self, sent: Any) -> None:  # noqa: ARG002
        raise Crash


async def test_a_crash_before_marking_sends_nothing_twice(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    document_id = uuid4()
    ids = [await record(ground, pipeline.org_id, document_id, number=number) for number in range(3)]
    with pytest.raises(Crash):
        await CrashingRelay(ground.dispatcher, ground.bus.jetstream).step()
    await relay_of(ground).step()
    assert [headers["ce-id"] for _, headers, _ in await stored(ground)] == [str(event_id) for event_id in ids]
    assert await unsent(ground) == 0


async def test_an_event_that_can_never_be_sent_holds_up_its_own_document_only(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    blocked, other = uuid4(), uuid4()
    await record(ground, pipeline.org_id, blocked, text="x" * 300_000)
    later = await record(ground, pipeline.org_id, blocked)
    fine = await record(ground, pipeline.org_id, other)
    relay = relay_of(ground)
    await relay.step()
    more = await record(ground, pipeline.org_id, other)
    await relay.step()
    sent = [headers["ce-id"] for _, headers, _ in await stored(ground)]
    assert sent == [str(fine), str(more)]
    assert str(later) not in sent
    assert await unsent(ground) == 2
    assert ground.bus.client.is_connected


async def test_events_wait_for_a_bus_that_is_away(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_module, "_PUBLISH_SECONDS", 1.0)
    pipeline = await ground.pipeline()
    ids = [await record(ground, pipeline.org_id, uuid4()) for _ in range(3)]
    relay = relay_of(ground)
    await asyncio.to_thread(ground.nats.kill)
    try:
        with pytest.raises((NatsError, TimeoutError)):
            await relay.step()
        assert await unsent(ground) == 3
    finally:
        await ground.restart_nats()
    for _ in range(50):
        try:
            await relay.step()
            break
        except (NatsError, TimeoutError):
            await asyncio.sleep(0.1)
    assert {headers["ce-id"] for _, headers, _ in await stored(ground)} == {str(event_id) for event_id in ids}


async def bodies(ground: Ground) -> list[dict[str, Any]]:
    return [body for _, _, body in await stored(ground)]


async def test_events_of_a_lost_stream_are_sent_again_before_newer_ones(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=1)
    relay = relay_of(ground)
    for text in ("first", "second"):
        await pipeline.upload("manual", text)
        await pipeline.drain()
        await relay.step()
    before = await bodies(ground)
    await ground.lose_stream(subjects.EVENT_STREAM)
    await pipeline.upload("manual", "third")
    await pipeline.drain()
    await relay.step()
    after = await bodies(ground)
    assert [event["version"] for event in after] == [1, 2, 3]
    assert after[:2] == before, "with their ids"
    await relay.step()
    assert await bodies(ground) == after


async def test_a_lost_stream_is_filled_again_though_nothing_new_happens(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    event_id = await record(ground, pipeline.org_id, uuid4())
    relay = relay_of(ground)
    await relay.step()
    await ground.lose_stream(subjects.EVENT_STREAM)
    await relay.step()
    assert [headers["ce-id"] for _, headers, _ in await stored(ground)] == [str(event_id)]
