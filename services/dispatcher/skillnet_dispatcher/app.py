"""The dispatcher's composition root."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_common.objects import Originals
from skillnet_common.runtime import Service, entry_point, run_service
from skillnet_common.runtime.service import Component
from skillnet_dispatcher.leadership import Leadership
from skillnet_dispatcher.loop import Loop
from skillnet_dispatcher.loops.archive import Archive
from skillnet_dispatcher.loops.cleanup import Cleanup
from skillnet_dispatcher.loops.observe import Observe, forget
from skillnet_dispatcher.loops.orphans import Orphans
from skillnet_dispatcher.loops.reap import Reap
from skillnet_dispatcher.loops.reconcile import Reconcile
from skillnet_dispatcher.loops.relay import Relay
from skillnet_dispatcher.loops.release import Release
from skillnet_dispatcher.loops.topology import Topology
from skillnet_dispatcher.settings import DispatcherSettings

_FAILURES_BEFORE_NOT_READY = 3


@entry_point
def main() -> None:
    """Runs the dispatcher until SIGTERM."""
    settings = DispatcherSettings()

    @asynccontextmanager
    async def compose(service: Service) -> AsyncIterator[Sequence[Component]]:
        yield [build(service, settings)]

    run_service("dispatcher", settings, compose)


def build(service: Service, settings: DispatcherSettings) -> Leadership:
    """The leadership with its loops, and a readiness check that names a loop which keeps failing."""
    work, outbox = asyncio.Event(), asyncio.Event()
    loops = _loops(service, settings, work, outbox)

    async def loops_are_well() -> None:
        failing = [loop.name for loop in loops if loop.failures >= _FAILURES_BEFORE_NOT_READY]
        if failing:
            raise PassingFault(ErrorCode.UNAVAILABLE, f"These loops keep failing: {', '.join(failing)}. See the log.")

    service.ready_checks.append(loops_are_well)
    hints = {"skillnet_work": work, "skillnet_outbox": outbox}
    return Leadership(settings.database_url.get_secret_value(), loops, hints, on_end=forget)


def _loops(service: Service, settings: DispatcherSettings, work: asyncio.Event, outbox: asyncio.Event) -> list[Loop]:
    database, js = service.database, service.bus.jetstream
    release = Release(database, js, factor=settings.window_factor, floor=settings.window_floor)
    reconcile = Reconcile(database, js, grace_seconds=settings.reconcile_seconds)
    originals = Originals(settings.object_store_url)
    cleanup = Cleanup(database, originals, settings)
    orphans = Orphans(database, originals, age=timedelta(hours=settings.orphan_hours))
    return [
        Loop("topology", Topology(database, js).step, every=settings.topology_seconds),
        Loop("release", release.step, every=settings.poll_seconds, hint=work),
        Loop("relay", Relay(database, js).step, every=settings.poll_seconds, hint=outbox),
        Loop("reap", Reap(database, max_attempts=settings.work_max_attempts).step, every=settings.reap_seconds),
        Loop("reconcile", reconcile.step, every=settings.reconcile_seconds),
        Loop("archive", Archive(database).step, every=settings.cleanup_seconds),
        Loop("cleanup", cleanup.step, every=settings.cleanup_seconds),
        Loop("orphans", orphans.step, every=settings.orphan_seconds),
        Loop("observe", Observe(database).step, every=settings.observe_seconds),
    ]
