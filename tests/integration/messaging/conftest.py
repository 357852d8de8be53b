"""Connections of the admin, and a server that a test may kill."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from uuid import uuid4

import nats
import pytest
from nats.aio.client import Client
from nats.js.api import AckPolicy, ConsumerConfig, RetentionPolicy, StreamConfig

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.temporary import temporary_nats
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.settings import CommonSettings


def settings_for(server: EmbeddedNats, user: str) -> CommonSettings:
    return CommonSettings(nats_url=server.url_for(user), nats_user=user)


@pytest.fixture
async def admin(nats_server: EmbeddedNats, topology: list[str]) -> AsyncIterator[Bus]:
    bus = await Bus.connect(settings_for(nats_server, "admin"), "test")
    yield bus
    await bus.close()


@pytest.fixture
def mortal_nats() -> Iterator[EmbeddedNats]:
    """A server of the test's own."""
    with temporary_nats({user.name: user for user in service_users()}) as server:
        yield server


@asynccontextmanager
async def connected(server: EmbeddedNats, user: str) -> AsyncIterator[tuple[Client, list[str]]]:
    """A plain connection, and the refusals it meets."""
    refusals: list[str] = []

    async def note(error: Exception) -> None:
        refusals.append(str(error))

    client = await nats.connect(server.url_for(user), inbox_prefix=f"_INBOX_{user}", error_cb=note)
    try:
        yield client, refusals
    finally:
        await client.close()


async def add_queue(bus: Bus, *, ack_wait: float = 30) -> tuple[str, str]:
    """A work queue with one durable `worker`; returns the stream's name and its subject."""
    name = f"T{uuid4().hex[:8]}"
    subject = f"test.{name}"
    await bus.jetstream.add_stream(
        StreamConfig(name=name, subjects=[subject], retention=RetentionPolicy.WORK_QUEUE, duplicate_window=60)
    )
    await bus.jetstream.add_consumer(
        name,
        ConsumerConfig(durable_name="worker", ack_policy=AckPolicy.EXPLICIT, ack_wait=ack_wait, max_deliver=-1),
    )
    return name, subject


async def left_in(bus: Bus, stream: str) -> int:
    return int((await bus.jetstream.stream_info(stream)).state.messages)
