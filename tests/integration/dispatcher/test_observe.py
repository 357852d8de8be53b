"""The gauges tell what waits, for how long, and what should not be."""

from __future__ import annotations

from prometheus_client import REGISTRY
from tests.integration.dispatcher.conftest import Ground

from skillnet_dispatcher.loops.observe import Observe, forget
from skillnet_dispatcher.loops.release import Release


def value(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(name, labels)


async def test_queues_and_outbox(ground: Ground) -> None:
    pipeline = await ground.pipeline(chunks=1)
    await pipeline.upload("one", "text")
    await pipeline.drain()
    await pipeline.upload("two", "text")
    await pipeline.upload("three", "text")
    await Release(ground.dispatcher, ground.bus.jetstream, factor=1, floor=1).step()
    await Observe(ground.dispatcher).step()
    assert value("skillnet_queue_rows", stage="parse", state="waiting") == 1
    assert value("skillnet_queue_rows", stage="parse", state="released") == 1
    assert value("skillnet_queue_rows", stage="embed", state="waiting") == 0
    assert value("skillnet_queue_oldest_seconds", stage="parse") > 0  # type: ignore[operator]
    assert value("skillnet_outbox_unsent") == 1
    assert value("skillnet_outbox_lag_seconds") > 0  # type: ignore[operator]
    assert value("skillnet_versions_stalled") == 0


async def test_a_version_without_work_is_a_fault(ground: Ground) -> None:
    pipeline = await ground.pipeline()
    await pipeline.upload("manual", "text")
    async with ground.service.tenant(pipeline.org_id) as connection:
        await connection.execute("UPDATE work SET state = 'done'")
    await Observe(ground.dispatcher).step()
    assert value("skillnet_versions_stalled") == 1
    forget()
    assert value("skillnet_versions_stalled") == 0
    assert value("skillnet_queue_rows", stage="parse", state="waiting") is None
