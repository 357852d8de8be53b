"""Nobody makes the server or the retriever publish with rights that are not the requester's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import pytest
from nats.aio.client import Client
from nats.js.api import AckPolicy, ConsumerConfig
from pydantic import BaseModel
from tests.conftest import TEST_MODEL
from tests.integration.messaging.conftest import connected, settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.responder import Responder
from skillnet_common.messaging.topology import NOTIFIER_DURABLE, ensure_topology

SLUG = str(TEST_MODEL["slug"])
EVENTS, WORK = subjects.EVENT_STREAM, subjects.WORK_STREAM
UPDATED = "document.updated.org.document"
NO_WAIT = b'{"batch":1,"no_wait":true}'

PULLERS = {
    "subscriber": (EVENTS, "own"),
    "notifier": (EVENTS, NOTIFIER_DURABLE),
    "parser": (WORK, "parser"),
    "chunker": (WORK, "chunker"),
    "embedder": (WORK, f"embedder-{SLUG}"),
}
FOREIGN_REPLIES = (
    f"$JS.API.CONSUMER.DELETE.{EVENTS}.{NOTIFIER_DURABLE}",
    f"$JS.API.STREAM.PURGE.{EVENTS}",
    f"$JS.API.STREAM.PURGE.{subjects.QUARANTINE_STREAM}",
    f"$JS.API.STREAM.DELETE.{WORK}",
    "document.deleted.org.document",
    "document.uploaded.org",
)


@dataclass(frozen=True)
class Ground:
    """A server with the topology, three events, an item of work, a quarantined message, and their owner."""

    server: EmbeddedNats
    admin: Bus

    async def state(self) -> dict[str, object]:
        """What no attack may change: the messages of each stream and the notifier's consumer."""
        js = self.admin.jetstream
        streams = {name: (await js.stream_info(name)).state.messages for name in _STREAMS}
        notifier = await js.consumer_info(EVENTS, NOTIFIER_DURABLE)
        return {**streams, "notifier": notifier.created, "config": notifier.config}


_STREAMS = (EVENTS, WORK, subjects.QUARANTINE_STREAM)


@pytest.fixture
async def ground(mortal_nats: EmbeddedNats) -> AsyncIterator[Ground]:
    admin = await Bus.connect(settings_for(mortal_nats, "admin"), "admin")
    await ensure_topology(admin.jetstream, [SLUG])
    for number in range(3):
        await admin.jetstream.publish(UPDATED, str(number).encode())
    await admin.jetstream.publish("document.uploaded.org", b"{}")
    await admin.jetstream.publish(subjects.quarantine(WORK), b"{}")
    await admin.jetstream.add_consumer(EVENTS, ConsumerConfig(durable_name="own", ack_policy=AckPolicy.EXPLICIT))
    yield Ground(mortal_nats, admin)
    await admin.close()


async def send(client: Client, subject: str, body: bytes, reply: str) -> None:
    await client.publish(subject, body, reply=reply)
    await client.flush()
    await asyncio.sleep(0.05)


@pytest.mark.parametrize("user", PULLERS)
async def test_the_server_answers_a_request_to_no_subject_of_the_core(ground: Ground, user: str) -> None:
    stream, durable = PULLERS[user]
    before = await ground.state()
    async with connected(ground.server, user) as (client, _):
        for reply in FOREIGN_REPLIES:
            await send(client, f"$JS.API.CONSUMER.INFO.{stream}.{durable}", b"", reply)
            for _ in range(5):  # the messages, and then "404 No Messages", whose body is empty
                await send(client, f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}", NO_WAIT, reply)
            if user != "subscriber":
                await send(client, subjects.quarantine(stream), b"{}", reply)
                before[subjects.QUARANTINE_STREAM] += 1  # type: ignore[operator]
            assert await ground.state() == before, reply


@pytest.mark.parametrize("user", ["subscriber", "notifier"])
async def test_the_answer_to_an_acknowledgement_goes_to_no_subject_of_the_core(ground: Ground, user: str) -> None:
    stream, durable = PULLERS[user]
    before = await ground.state()
    async with connected(ground.server, user) as (client, _):
        subscription = await client.jetstream().pull_subscribe_bind(durable, stream)
        for message in await subscription.fetch(3, timeout=20):
            for reply in FOREIGN_REPLIES:
                await send(client, message.reply, b"+ACK", reply)  # its answer is empty
    assert await ground.state() == before


async def test_another_consumers_message_cannot_be_acknowledged_through_a_reply(ground: Ground) -> None:
    js = ground.admin.jetstream
    (message, *_) = await (await js.pull_subscribe_bind(NOTIFIER_DURABLE, EVENTS)).fetch(1, timeout=20)
    async with connected(ground.server, "subscriber") as (client, refusals):
        for _ in range(4):
            await send(client, f"$JS.API.CONSUMER.MSG.NEXT.{EVENTS}.own", NO_WAIT, message.reply)
        assert len(refusals) == 4
    assert (await js.consumer_info(EVENTS, NOTIFIER_DURABLE)).num_ack_pending == 1


@pytest.mark.parametrize("reply", FOREIGN_REPLIES)
async def test_a_push_consumer_delivers_to_no_subject_of_the_core(ground: Ground, reply: str) -> None:
    before = await ground.state()
    config = {"name": "push", "deliver_subject": reply, "headers_only": True, "ack_policy": "none"}
    body = json.dumps({"stream_name": EVENTS, "config": config}).encode()
    async with connected(ground.server, "subscriber") as (client, _):
        await client.subscribe("document.deleted.>")  # interest in what it is to forge
        await client.request(f"$JS.API.CONSUMER.CREATE.{EVENTS}.push", body, timeout=20)
        await asyncio.sleep(0.3)
    assert await ground.state() == before


@pytest.mark.parametrize(
    ("form", "names"),
    [
        (f"CREATE.{EVENTS}", {"name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}", {"durable_name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.{NOTIFIER_DURABLE}", {"name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.{NOTIFIER_DURABLE}.document.updated.none.none", {"name": NOTIFIER_DURABLE}),
        (f"DURABLE.CREATE.{EVENTS}.{NOTIFIER_DURABLE}", {"durable_name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.mine", {"name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.mine", {"durable_name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.mine", {"name": NOTIFIER_DURABLE, "durable_name": NOTIFIER_DURABLE}),
        (f"CREATE.{EVENTS}.mine.document.updated.none.none", {"name": NOTIFIER_DURABLE}),
        (f"DURABLE.CREATE.{EVENTS}.mine", {"name": NOTIFIER_DURABLE, "durable_name": "mine"}),
        (f"DURABLE.CREATE.{EVENTS}.mine", {"durable_name": NOTIFIER_DURABLE}),
    ],
)
async def test_the_notifiers_consumer_cannot_be_rewritten(ground: Ground, form: str, names: dict[str, str]) -> None:
    before = await ground.state()
    config = {
        "deliver_policy": "all",
        "ack_policy": "explicit",
        "ack_wait": 30_000_000_000,
        "max_deliver": -1,
        "max_ack_pending": 1_000,
        "filter_subject": "document.updated.none.none",
        **names,
    }
    body = json.dumps({"stream_name": EVENTS, "config": config}).encode()
    async with connected(ground.server, "subscriber") as (client, _):
        await send(client, f"$JS.API.CONSUMER.{form}", body, client.new_inbox())
    assert await ground.state() == before


@pytest.mark.parametrize("user", ["subscriber", "gateway", "admin"])
async def test_the_retriever_answers_to_inboxes_alone(ground: Ground, user: str) -> None:
    async def refuse(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        raise AssertionError("is answered with an error")

    before = await ground.state()
    retriever = await Bus.connect(settings_for(ground.server, "retriever"), "retriever")
    responder = Responder(
        retriever.client, queue=subjects.RETRIEVAL_QUEUE, handlers={subjects.SEARCH: refuse}, concurrency=4
    )
    await responder.start()
    async with connected(ground.server, user) as (client, _):
        for reply in (*FOREIGN_REPLIES, UPDATED, ""):
            await send(client, subjects.SEARCH, b"{}", reply)
        assert await ground.state() == before
        assert b"internal_error" in (await client.request(subjects.SEARCH, b"{}", timeout=20)).data
    await responder.stop()
    await retriever.close()


async def test_an_account_hears_nothing_of_another(ground: Ground) -> None:
    async with (
        connected(ground.server, "gateway") as (gateway, _),
        connected(ground.server, "subscriber") as (subscriber, refusals),
    ):
        heard = await subscriber.subscribe("document.updated.>")
        await subscriber.flush()
        await gateway.publish("document.updated.org.document", b"forged")
        await gateway.flush()
        await ground.admin.client.publish("document.updated.org.document", b"true")
        assert (await heard.next_msg(timeout=20)).data == b"true"
        assert refusals == []
