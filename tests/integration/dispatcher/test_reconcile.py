"""What was sent is compared with what the streams hold."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest
from nats.errors import Error as NatsError
from nats.js.errors import NotFoundError
from tests.integration.dispatcher.conftest import Ground

from skillnet_common.contracts import subjects
from skillnet_dispatcher.loops.reconcile import Reconcile
from skillnet_dispatcher.loops.release import Release


@pytest.fixture
async def released(ground: Ground) -> UUID:
    """An organisation with one piece of work that has just been released."""
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    await Release(ground.dispatcher, ground.bus.jetstream, factor=2, floor=8).step()
    return pipeline.org_id


async def reconcile(ground: Ground, grace: float = 0) -> None:
    js = ground.bus.client.jetstream(timeout=1)
    await Reconcile(ground.dispatcher, js, grace_seconds=grace).step()


async def state_of(ground: Ground, org_id: UUID) -> object:
    (row,) = await ground.work(org_id)
    return row["state"]


async def test_work_whose_message_is_there_is_left_alone(ground: Ground, released: UUID) -> None:
    await reconcile(ground)
    assert await state_of(ground, released) == "released"


async def test_work_whose_message_was_consumed_without_effect_waits_again(ground: Ground, released: UUID) -> None:
    subscription = await ground.admin.jetstream.pull_subscribe_bind("parser", subjects.WORK_STREAM)
    (message,) = await subscription.fetch(1, timeout=20)
    await reconcile(ground)
    assert await state_of(ground, released) == "released", "a message in somebody's hands is not lost"
    await message.ack_sync()
    await reconcile(ground, grace=60)
    assert await state_of(ground, released) == "released", "too young to be looked at"
    await reconcile(ground)
    assert await state_of(ground, released) == "waiting"
    await subscription.unsubscribe()


async def test_a_lost_stream_loses_no_work(ground: Ground, released: UUID) -> None:
    await ground.lose_stream(subjects.WORK_STREAM)
    await reconcile(ground)
    assert await state_of(ground, released) == "waiting"
    release = Release(ground.dispatcher, ground.bus.jetstream, factor=2, floor=8)
    await release.step()
    assert await state_of(ground, released) == "released"
    assert (await ground.admin.jetstream.stream_info(subjects.WORK_STREAM)).state.messages == 1


async def test_another_message_at_the_same_place_is_not_mistaken_for_it(ground: Ground, released: UUID) -> None:
    (row,) = await ground.work(released)
    await ground.lose_stream(subjects.WORK_STREAM)
    for _ in range(int(str(row["released_seq"])) + 1):
        await ground.admin.jetstream.publish("document.uploaded.x", b"{}")
    await reconcile(ground)
    assert await state_of(ground, released) == "waiting"


async def test_nothing_is_decided_while_the_stream_cannot_be_asked(ground: Ground, released: UUID) -> None:
    await ground.admin.jetstream.delete_stream(subjects.WORK_STREAM)
    with pytest.raises(NotFoundError):
        await reconcile(ground)
    assert await state_of(ground, released) == "released"
    await asyncio.to_thread(ground.nats.kill)
    try:
        with pytest.raises((NatsError, TimeoutError)):
            await reconcile(ground)
        assert await state_of(ground, released) == "released"
    finally:
        await ground.restart_nats()
