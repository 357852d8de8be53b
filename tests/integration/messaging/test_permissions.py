"""Each service's user can do what it must, and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from nats.errors import NoRespondersError
from nats.js.api import ConsumerConfig
from tests.conftest import TEST_MODEL
from tests.integration.messaging.conftest import connected, settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.quarantine import quarantine
from skillnet_common.messaging.topology import ensure_topology

SLUG = str(TEST_MODEL["slug"])
WORKERS = {"parser": "parser", "chunker": "chunker", "embedder": f"embedder-{SLUG}"}
WORK = {
    "parser": "document.uploaded.org",
    "chunker": "document.parsed.org",
    "embedder": f"document.chunked.{SLUG}.org",
}
UPDATED = "document.updated.org.document"
EVERYBODY = ("gateway", "dispatcher", "parser", "chunker", "embedder", "retriever", "notifier", "subscriber")

# Who may publish what; anybody else must not.
PUBLISHERS = {
    **{subject: {"dispatcher"} for subject in WORK.values()},
    UPDATED: {"dispatcher"},
    "document.failed.org.document": {"dispatcher"},
    "document.deleted.org.document": {"dispatcher"},
    "course.review_requested.org.course": {"dispatcher"},
    "retrieval.v1.search": {"gateway", "subscriber"},
    "courses.v1.upsert": {"subscriber"},
    "courses.v1.delete": {"subscriber"},
    "quarantine.DOCUMENT_WORK": {"parser", "chunker", "embedder"},
    "quarantine.DOCUMENT_EVENTS": {"notifier"},
    "$JS.API.STREAM.DELETE.DOCUMENT_WORK": set(),
    "$JS.API.STREAM.UPDATE.DOCUMENT_EVENTS": set(),
    "$JS.API.STREAM.PURGE.DOCUMENT_WORK": set(),
    "$JS.API.STREAM.MSG.GET.DOCUMENT_WORK": {"dispatcher"},
    "$JS.API.STREAM.MSG.GET.QUARANTINE": set(),
    "$JS.API.STREAM.MSG.DELETE.DOCUMENT_WORK": set(),
    "$JS.API.STREAM.CREATE.DOCUMENT_WORK": {"dispatcher"},
    "$JS.API.STREAM.CREATE.ANOTHER": set(),
    "$JS.API.CONSUMER.DELETE.DOCUMENT_WORK.parser": set(),
    "$JS.API.CONSUMER.DELETE.DOCUMENT_EVENTS.notifier": set(),
    "$JS.API.CONSUMER.DELETE.DOCUMENT_EVENTS.another-team": {"subscriber"},
    "$JS.API.CONSUMER.MSG.NEXT.DOCUMENT_WORK.parser": {"parser"},
    "$JS.API.CONSUMER.MSG.NEXT.DOCUMENT_WORK.chunker": {"chunker"},
    f"$JS.API.CONSUMER.MSG.NEXT.DOCUMENT_WORK.embedder-{SLUG}": {"embedder"},
    "$JS.API.CONSUMER.MSG.NEXT.DOCUMENT_EVENTS.notifier": {"notifier"},
    "$JS.ACK.DOCUMENT_WORK.parser.1.1.1.1.1": {"parser"},
    "$JS.ACK.DOCUMENT_EVENTS.notifier.1.1.1.1.1": {"notifier"},
    "$JS.API.CONSUMER.CREATE.DOCUMENT_EVENTS.notifier.document.updated.>": set(),
    "$JS.API.CONSUMER.DURABLE.CREATE.DOCUMENT_EVENTS.notifier": {"dispatcher"},
    "$JS.API.CONSUMER.CREATE.DOCUMENT_EVENTS": set(),
    "$JS.API.CONSUMER.CREATE.DOCUMENT_EVENTS.another-team": {"subscriber"},
    "$JS.API.CONSUMER.CREATE.DOCUMENT_WORK.spy.document.>": set(),
    "$JS.API.INFO": set(),
    "$SYS.REQ.SERVER.PING": set(),
    "_INBOX_gateway.x": set(),
}
# Who may listen to what.
LISTENERS = {
    "document.updated.>": {"subscriber"},
    "document.updated.org.*": {"subscriber"},
    "course.review_requested.>": {"subscriber"},
    "document.>": set(),
    "document.uploaded.>": set(),
    "document.chunked.>": set(),
    "retrieval.v1.>": {"retriever"},
    "courses.v1.upsert": {"gateway"},
    "courses.v1.>": set(),
    "quarantine.>": set(),
    "_INBOX_gateway.>": {"gateway"},
    "_INBOX.>": set(),
    ">": set(),
}


async def heard(refusals: Sequence[str], *, expected: bool) -> None:
    """Waits for a refusal: the client tells of one some time after the server's answer to a flush."""
    for _ in range(4_000 if expected else 4):
        if refusals:
            return
        await asyncio.sleep(0.005)


@pytest.mark.parametrize("user", EVERYBODY)
async def test_publishing(mortal_nats: EmbeddedNats, user: str) -> None:
    async with connected(mortal_nats, user) as (client, refusals):
        for subject, allowed in PUBLISHERS.items():
            refusals.clear()
            await client.publish(subject, b"{}")
            await client.flush()
            await heard(refusals, expected=user not in allowed)
            assert bool(refusals) == (user not in allowed), f"{user} publishing {subject}: {refusals}"


@pytest.mark.parametrize("user", EVERYBODY)
async def test_listening(mortal_nats: EmbeddedNats, user: str) -> None:
    async with connected(mortal_nats, user) as (client, refusals):
        for subject, allowed in LISTENERS.items():
            refusals.clear()
            await client.subscribe(subject)
            await client.flush()
            await heard(refusals, expected=user not in allowed)
            assert bool(refusals) == (user not in allowed), f"{user} listening to {subject}: {refusals}"


async def test_workers_take_their_work_and_put_aside_what_they_cannot_read(mortal_nats: EmbeddedNats) -> None:
    admin = await Bus.connect(settings_for(mortal_nats, "admin"), "admin")
    await ensure_topology(admin.jetstream, [SLUG])
    for user, durable in WORKERS.items():
        await admin.jetstream.publish(WORK[user], b"{}")
        async with connected(mortal_nats, user) as (client, refusals):
            js = client.jetstream()
            assert (await js.consumer_info(subjects.WORK_STREAM, durable)).num_pending == 1
            subscription = await js.pull_subscribe_bind(durable, subjects.WORK_STREAM)
            (message,) = await subscription.fetch(1, timeout=20)
            await message.in_progress()
            await quarantine(js, message, "unreadable")
            await message.ack_sync()
            assert refusals == []
    assert (await admin.jetstream.stream_info(subjects.WORK_STREAM)).state.messages == 0
    await admin.close()


async def test_every_form_of_acknowledgement_reaches_the_server(mortal_nats: EmbeddedNats) -> None:
    admin = await Bus.connect(settings_for(mortal_nats, "admin"), "admin")
    await ensure_topology(admin.jetstream, [SLUG])
    for number in range(3):
        await admin.jetstream.publish(WORK["parser"], str(number).encode())
    async with connected(mortal_nats, "parser") as (client, refusals):
        subscription = await client.jetstream().pull_subscribe_bind("parser", subjects.WORK_STREAM)
        first, second, third = await subscription.fetch(3, timeout=20)
        await first.ack()
        await second.nak(delay=0.2)
        await third.term()
        (again,) = await subscription.fetch(1, timeout=20)
        assert (again.data, again.metadata.num_delivered) == (b"1", 2)
        await again.in_progress()
        await again.ack_sync(timeout=20)
        with pytest.raises(TimeoutError):
            await subscription.fetch(5, timeout=0.3)
        assert refusals == []
    assert (await admin.jetstream.stream_info(subjects.WORK_STREAM)).state.messages == 0
    await admin.close()


async def test_the_dispatcher_makes_the_topology_and_sends(mortal_nats: EmbeddedNats) -> None:
    async with connected(mortal_nats, "dispatcher") as (client, refusals):
        js = client.jetstream()
        assert len(await ensure_topology(js, [SLUG])) == 7
        assert await ensure_topology(js, [SLUG]) == []
        ack = await js.publish(WORK["parser"], b"{}", stream=subjects.WORK_STREAM)
        assert (await js.get_msg(subjects.WORK_STREAM, ack.seq)).data == b"{}"
        await js.publish(UPDATED, b"{}", stream=subjects.EVENT_STREAM)
        assert refusals == []


async def test_other_teams_replay_events_and_ask_questions(mortal_nats: EmbeddedNats) -> None:
    admin = await Bus.connect(settings_for(mortal_nats, "admin"), "admin")
    await ensure_topology(admin.jetstream, [SLUG])
    for number in range(3):
        await admin.jetstream.publish(UPDATED, str(number).encode())
    async with connected(mortal_nats, "subscriber") as (client, refusals):
        js = client.jetstream()
        durable = await js.pull_subscribe("document.updated.>", durable="another-team")
        for message in await durable.fetch(3, timeout=20):
            await message.ack_sync()
        unnamed = await js.pull_subscribe("document.updated.>")
        assert [message.data for message in await unnamed.fetch(3, timeout=20)] == [b"0", b"1", b"2"]
        pushed = await js.subscribe(
            "document.updated.>", ordered_consumer=True, config=ConsumerConfig(name=f"p{uuid4().hex[:6]}")
        )
        assert [(await pushed.next_msg(timeout=20)).data for _ in range(3)] == [b"0", b"1", b"2"]
        named = ConsumerConfig(name=f"n{uuid4().hex[:6]}", filter_subject=UPDATED)
        await js.add_consumer(subjects.EVENT_STREAM, named)
        live = await client.subscribe("document.updated.>")
        await client.flush()
        await admin.jetstream.publish(UPDATED, b"3")
        assert (await live.next_msg(timeout=20)).data == b"3"
        with pytest.raises(NoRespondersError):
            await client.request("retrieval.v1.search", b"{}", timeout=20)
        assert refusals == []
    await admin.close()
