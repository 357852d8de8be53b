"""The frame of a process: connect, run its components, drain on SIGTERM."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol
from uuid import uuid4

import structlog

from skillnet_common.database.pool import CONNECTION_ERRORS, Database, check_role
from skillnet_common.messaging.connection import Bus
from skillnet_common.runtime.http import HttpServer
from skillnet_common.runtime.logging import configure_logging
from skillnet_common.runtime.ops import OpsApp, ReadyCheck
from skillnet_common.settings import CommonSettings

log = structlog.get_logger(__name__)

_BEAT_SECONDS = 5.0
_CONNECT_PATIENCE = 60.0


class Component(Protocol):
    """Something that runs until it is told to stop, and then ends by itself."""

    async def run(self) -> None:
        """Works until `stop` is called; ends the process if it raises."""
        ...

    def stop(self) -> None:
        """Takes nothing more on; returns at once."""
        ...


@dataclass(slots=True)
class Service:
    """What a composition root builds on."""

    name: str
    settings: CommonSettings
    database: Database
    bus: Bus
    instance_id: str
    ready_checks: list[ReadyCheck] = field(default_factory=list)
    capacity: int = 1

    async def check_ready(self) -> None:
        """Raises with the reason while the service cannot do its work."""
        async with self.database.system() as connection:
            await connection.execute("SELECT 1")
        if not self.bus.client.is_connected:
            raise ConnectionError("NATS is not connected")
        for check in self.ready_checks:
            await check()


Compose = Callable[[Service], AbstractAsyncContextManager[Sequence[Component]]]
"""The composition root: opens what the service needs and yields its components."""


def run_service(name: str, settings: CommonSettings, compose: Compose) -> None:
    """Runs until SIGTERM or SIGINT. Raises SkillnetError where it cannot start (see `entry_point`)."""
    configure_logging(name, settings.log_level, settings.log_format)
    asyncio.run(_run(name, settings, compose))


async def _run(name: str, settings: CommonSettings, compose: Compose) -> None:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for signum in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signum, stopping.set)
    database = await Database.connect(
        settings.database_url.get_secret_value(),
        size=settings.database_pool_size,
        name=name,
        patience=_CONNECT_PATIENCE,
    )
    bus = await Bus.connect(settings, name, patience=_CONNECT_PATIENCE)
    service = Service(name, settings, database, bus, f"{name}-{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:6]}")
    try:
        await check_role(database)
        async with compose(service) as components:
            ops = HttpServer(OpsApp(service.check_ready), host=settings.ops_host, port=settings.ops_port)
            await ops.start()
            log.info("started", instance=service.instance_id, ops_port=ops.port)
            await _run_components(service, components, stopping)
            await ops.stop()
    finally:
        await bus.close()
        await database.close()
    log.info("stopped")


async def _run_components(service: Service, components: Sequence[Component], stopping: asyncio.Event) -> None:
    tasks = [asyncio.create_task(component.run()) for component in components]
    beat = asyncio.create_task(_beat(service))
    stop = asyncio.create_task(stopping.wait())
    try:
        # A component that ends or fails before the stop takes the process with it: half a service is none.
        await asyncio.wait({stop, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        for component in components:
            component.stop()
        _, late = await asyncio.wait(tasks, timeout=service.settings.drain_seconds)
        for task in late:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    finally:
        beat.cancel()
        stop.cancel()
        await _forget(service)
    for result in results:
        if isinstance(result, Exception):
            raise result


async def _beat(service: Service) -> None:
    while True:
        try:
            async with service.database.system() as connection:
                await connection.execute(
                    "INSERT INTO instances (instance_id, service, capacity) VALUES ($1, $2, $3)"
                    " ON CONFLICT (instance_id) DO UPDATE SET seen_at = now(), capacity = excluded.capacity",
                    service.instance_id,
                    service.name,
                    service.capacity,
                )
        except CONNECTION_ERRORS as error:
            log.warning("heartbeat_failed", error=repr(error))
        await asyncio.sleep(_BEAT_SECONDS)


async def _forget(service: Service) -> None:
    try:
        async with service.database.system() as connection:
            await connection.execute("DELETE FROM instances WHERE instance_id = $1", service.instance_id)
    except CONNECTION_ERRORS as error:
        log.warning("heartbeat_failed", error=repr(error))
