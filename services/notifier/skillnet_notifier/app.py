"""The notifier's composition root."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from skillnet_common.contracts import subjects
from skillnet_common.messaging.topology import NOTIFIER_DURABLE
from skillnet_common.messaging.worker import PullWorker
from skillnet_common.runtime import Service, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_notifier.handler import EventHandler
from skillnet_notifier.settings import NotifierSettings


@entry_point
def main() -> None:
    """Runs the notifier until SIGTERM."""
    settings = NotifierSettings()

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        yield [build(service, settings)]

    run_service("notifier", settings, compose)


def build(service: Service, settings: NotifierSettings) -> PullWorker:
    """The worker over the durable consumer of events, and a readiness check that asks for the consumer."""

    async def bound() -> None:
        await service.bus.jetstream.consumer_info(subjects.EVENT_STREAM, NOTIFIER_DURABLE)

    service.ready_checks.append(bound)
    service.capacity = settings.notifier_slots
    return PullWorker(
        service.bus.jetstream,
        stream=subjects.EVENT_STREAM,
        durable=NOTIFIER_DURABLE,
        handler=EventHandler(service.database),
        slots=settings.notifier_slots,
    )
