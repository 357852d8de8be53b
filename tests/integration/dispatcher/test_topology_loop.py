"""Lost streams and consumers come back by themselves; what differs is never touched."""

from __future__ import annotations

import pytest
from nats.js.errors import NotFoundError
from tests.integration.dispatcher.conftest import SLUG, Ground

from skillnet_common.contracts import subjects
from skillnet_common.errors import PermanentFault
from skillnet_dispatcher.loops.topology import Topology


async def test_lost_streams_and_consumers_are_made_again(ground: Ground) -> None:
    js = ground.admin.jetstream
    for stream in (subjects.WORK_STREAM, subjects.EVENT_STREAM, subjects.QUARANTINE_STREAM):
        await js.delete_stream(stream)
    topology = Topology(ground.dispatcher, ground.bus.jetstream)
    await topology.step()
    await js.consumer_info(subjects.WORK_STREAM, f"embedder-{SLUG}")
    await js.delete_consumer(subjects.EVENT_STREAM, "notifier")
    with pytest.raises(NotFoundError):
        await js.consumer_info(subjects.EVENT_STREAM, "notifier")
    await topology.step()
    info = await js.consumer_info(subjects.EVENT_STREAM, "notifier")
    assert info.config is not None
    assert info.config.filter_subjects == ["document.updated.*.*", "document.deleted.*.*"]


async def test_a_stream_of_another_shape_is_an_error_and_stays_as_it_is(ground: Ground) -> None:
    js = ground.admin.jetstream
    config = (await js.stream_info(subjects.QUARANTINE_STREAM)).config
    await js.update_stream(config, max_age=3_600)
    try:
        with pytest.raises(PermanentFault, match="max_age is 3600") as raised:
            await Topology(ground.dispatcher, ground.bus.jetstream).step()
        assert raised.value.code == "topology_drift"
        assert (await js.stream_info(subjects.QUARANTINE_STREAM)).config.max_age == 3_600
    finally:
        await js.update_stream(config, max_age=30 * 86_400)
