"""The event stream as another team's service reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import nats
from nats.aio.msg import Msg
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from skillnet_common.contracts import subjects


@dataclass(frozen=True)
class ReceivedEvent:
    """A message of the event stream; `data` is its body."""

    id: str
    type: str
    data: Mapping[str, Any]


async def read_events(environment: Mapping[str, str]) -> list[ReceivedEvent]:
    """All messages of the stream in order. `environment` holds NATS_URL, NATS_USER and NATS_PASSWORD."""
    user = environment["NATS_USER"]
    client = await nats.connect(
        environment["NATS_URL"], user=user, password=environment["NATS_PASSWORD"], inbox_prefix=f"_INBOX_{user}"
    )
    try:
        stream = client.jetstream()
        config = ConsumerConfig(
            name=f"test-{uuid4().hex}",
            ack_policy=AckPolicy.NONE,
            deliver_policy=DeliverPolicy.ALL,
            mem_storage=True,
            inactive_threshold=30,
        )
        consumer = await stream.add_consumer(subjects.EVENT_STREAM, config)
        subscription = await stream.pull_subscribe_bind(consumer.name, subjects.EVENT_STREAM)
        messages: list[Msg] = []
        while len(messages) < (consumer.num_pending or 0):
            messages += await subscription.fetch(100, timeout=10)
    finally:
        await client.close()
    return [_received(message) for message in messages]


def _received(message: Msg) -> ReceivedEvent:
    headers = message.headers or {}
    return ReceivedEvent(headers["ce-id"], headers["ce-type"], json.loads(message.data))
