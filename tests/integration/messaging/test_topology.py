"""Streams and consumers are made once, and another shape of them is an error."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from nats.js.api import ConsumerConfig
from tests.integration.messaging.conftest import settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.errors import PermanentFault
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.topology import ensure_topology


@pytest.fixture
async def owner(mortal_nats: EmbeddedNats) -> AsyncIterator[Bus]:
    bus = await Bus.connect(settings_for(mortal_nats, "admin"), "bootstrap")
    yield bus
    await bus.close()


async def test_it_creates_everything_once(owner: Bus) -> None:
    assert await ensure_topology(owner.jetstream, ["one"]) == [
        "DOCUMENT_WORK",
        "DOCUMENT_EVENTS",
        "QUARANTINE",
        "DOCUMENT_WORK/parser",
        "DOCUMENT_WORK/chunker",
        "DOCUMENT_WORK/embedder-one",
        "DOCUMENT_EVENTS/notifier",
    ]
    assert await ensure_topology(owner.jetstream, ["one"]) == []
    assert await ensure_topology(owner.jetstream, ["one", "two"]) == ["DOCUMENT_WORK/embedder-two"]


async def test_a_stream_that_differs_is_an_error(owner: Bus) -> None:
    await ensure_topology(owner.jetstream, ["one"])
    config = (await owner.jetstream.stream_info(subjects.WORK_STREAM)).config
    await owner.jetstream.update_stream(config, max_msgs=5)
    with pytest.raises(PermanentFault, match="max_msgs is 5, not 200000") as raised:
        await ensure_topology(owner.jetstream, ["one"])
    assert raised.value.code == "topology_drift"


async def test_a_consumer_that_differs_is_an_error_and_is_not_updated(owner: Bus) -> None:
    await ensure_topology(owner.jetstream, ["one"])
    config = (await owner.jetstream.consumer_info(subjects.WORK_STREAM, "parser")).config
    assert config is not None
    await owner.jetstream.add_consumer(subjects.WORK_STREAM, config, max_deliver=9)
    with pytest.raises(PermanentFault, match="max_deliver is 9, not -1"):
        await ensure_topology(owner.jetstream, ["one"])
    info = await owner.jetstream.consumer_info(subjects.WORK_STREAM, "parser")
    assert info.config is not None
    assert info.config.max_deliver == 9


async def test_a_message_left_out_by_every_durable_would_be_noticed(owner: Bus) -> None:
    """Each work subject belongs to exactly one durable: a work queue refuses two for the same subject."""
    await ensure_topology(owner.jetstream, ["one"])
    for subject, durable in (
        ("document.uploaded.org", "parser"),
        ("document.parsed.org", "chunker"),
        ("document.chunked.one.org", "embedder-one"),
    ):
        await owner.jetstream.publish(subject, b"{}")
        info = await owner.jetstream.consumer_info(subjects.WORK_STREAM, durable)
        assert info.num_pending == 1
    with pytest.raises(Exception, match=r"(?i)unique"):
        await owner.jetstream.add_consumer(
            subjects.WORK_STREAM, ConsumerConfig(durable_name="thief", filter_subject="document.uploaded.*")
        )


async def test_a_full_work_stream_refuses_instead_of_dropping(owner: Bus) -> None:
    await ensure_topology(owner.jetstream, ["one"])
    config = (await owner.jetstream.stream_info(subjects.WORK_STREAM)).config
    await owner.jetstream.update_stream(config, max_msgs=2)
    for _ in range(2):
        await owner.jetstream.publish("document.uploaded.org", b"{}")
    with pytest.raises(Exception, match="maximum messages exceeded"):
        await owner.jetstream.publish("document.uploaded.org", b"{}")
    assert (await owner.jetstream.stream_info(subjects.WORK_STREAM)).state.messages == 2
