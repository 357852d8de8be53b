"""The whole system on one machine: servers, schema, streams and services in one data folder."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from skillnet_bootstrap.provision import (
    DISPATCHER,
    MIGRATOR,
    SERVICE,
    DatabaseAccess,
    RegisterModel,
    prepare_bus,
    prepare_database,
)
from skillnet_cli.local.accounts import make_enterable
from skillnet_cli.local.backends import ADMIN_USER, BusBackend, DatabaseBackend
from skillnet_cli.local.data_folder import default_data_folder
from skillnet_cli.local.folder_lock import FolderLock
from skillnet_cli.local.index_upkeep import IndexUpkeep
from skillnet_cli.local.ports import HOST, free_port, is_free
from skillnet_cli.local.private_file import write_private
from skillnet_cli.local.server import EmbeddedServer
from skillnet_cli.local.server_watch import ServerWatch
from skillnet_cli.local.service_process import RestartPolicy, ServiceProcess
from skillnet_cli.local.services import StackAddresses, check_scale, skillnet_services
from skillnet_cli.local.state import STACK_LOCK, Phase, StackState, remove_state, write_state
from skillnet_cli.local.stop_signals import run_unless, stop_signals
from skillnet_cli.local.supervisor import Supervisor
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.permissions import SUBSCRIBER

DescribeServices = Callable[[StackAddresses, Mapping[str, int]], Sequence[ServiceProcess]]


class LocalStack:
    """Everything `skillnet up` runs. One stack per data folder; `async with` starts and stops it.

    `scale` gives the number of processes of a service (1 by default). DATABASE_URL or DATABASE_ADMIN_URL, and
    NATS_URL, in `environment` replace the embedded servers. `gateway_port` fixes the port of the HTTP API, which is
    otherwise free and remembered. `fast` is for tests: the database does not survive a power cut.
    """

    def __init__(
        self,
        data_folder: Path | None = None,
        scale: Mapping[str, int] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        gateway_port: int | None = None,
        register_model: RegisterModel | None = None,
        policy: RestartPolicy | None = None,
        describe_services: DescribeServices = skillnet_services,
        fast: bool = False,
    ) -> None:
        self._environment = dict(os.environ if environment is None else environment)
        self.data_folder = (data_folder or default_data_folder(self._environment)).absolute()
        self.scale = dict(scale or {})
        check_scale(self.scale)
        self._gateway_port = gateway_port
        self._register_model = register_model
        self._policy = policy or RestartPolicy()
        self._describe_services = describe_services
        self._lock = FolderLock(self.data_folder, STACK_LOCK, "SkillNet")
        self._database = DatabaseBackend(self.data_folder, self._environment, fast=fast)
        self._bus = BusBackend(self.data_folder, self._environment)
        self._supervisor = Supervisor(self.data_folder / "logs", policy=self._policy, on_change=self._write_state)
        self._watches: list[ServerWatch] = []
        self._watch_tasks: list[asyncio.Task[None]] = []
        self._state: StackState | None = None

    @property
    def state(self) -> StackState:
        """The running stack as other commands see it."""
        if self._state is None:
            raise RuntimeError("the stack was not started")
        return self._state

    @property
    def address(self) -> str:
        """The gateway's address."""
        return self.state.address

    @property
    def notices(self) -> list[str]:
        """Sentences for the person who started the stack, such as where the data went."""
        return [notice for server in self._servers for notice in server.notices]

    # -- life cycle

    async def start(self, timeout: float = 180.0) -> None:
        """Start everything and wait until each service was ready; on any error stop what was started.

        Raises `already_running` when a stack runs in the data folder, `start_failed` with the last lines of the log
        when a process does not come up within `timeout` seconds.
        """
        self._take_folder()
        try:
            await self._start(timeout)
        except BaseException:
            await self._end_watching()
            await self._supervisor.kill()
            await self._stop_servers()
            self._forget()
            raise

    async def stop(self) -> None:
        """Drain gateway, workers, dispatcher and notifier, then stop NATS, then PostgreSQL."""
        if not self._lock.held:
            return
        self._set_phase(Phase.STOPPING)
        await self._end_watching()
        await self._supervisor.stop()
        await self._stop_servers()
        self._forget()

    async def kill(self) -> None:
        """End everything at once, as a power cut would but for the file system; the data survives."""
        if not self._lock.held:
            return
        await self._end_watching()
        await self._supervisor.kill()
        await asyncio.gather(*(asyncio.to_thread(server.kill) for server in self._servers))
        self._forget()

    async def serve(self, on_ready: Callable[[LocalStack], Awaitable[None]], timeout: float = 180.0) -> None:
        """Start, call `on_ready`, run until SIGINT or SIGTERM, drain. A second signal ends everything at once."""
        with stop_signals() as signals:
            try:
                await run_unless(signals.requested, self.start(timeout))
                if not signals.requested.is_set():
                    await run_unless(signals.requested, self._greet_and_watch(on_ready))
            finally:
                await run_unless(signals.insisted, self.stop())
                await self.kill()

    async def _greet_and_watch(self, on_ready: Callable[[LocalStack], Awaitable[None]]) -> None:
        await on_ready(self)
        await self.watch()

    async def watch(self) -> None:
        """Run until something cannot be kept running, and raise why."""
        tasks = {*self._supervisor.tasks, *self._watch_tasks}
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    # -- starting

    def _take_folder(self) -> None:
        try:
            make_enterable(self.data_folder)
            self._lock.acquire()
        except OSError as error:
            raise SkillnetError(
                ErrorCode.MISCONFIGURED,
                f"The data folder {self.data_folder} cannot be used: {error}. Choose one of your own.",
            ) from error

    async def _start(self, timeout: float) -> None:
        gateway_port = self._choose_gateway_port()
        self._state = StackState.of_this_process(Phase.STARTING, f"http://{HOST}:{gateway_port}")
        self._write_state()
        access, _ = await asyncio.gather(self._database.start(), self._bus.start())
        self._watch_servers()
        model_slugs = await prepare_database(access, self._register_model)
        await prepare_bus(self._bus.environment_of(ADMIN_USER), model_slugs)
        self._state = replace(self._state, environment=self._client_environment(access))
        addresses = StackAddresses(
            database=lambda service: access.url(DISPATCHER if service == "dispatcher" else SERVICE),
            bus=self._bus.environment_of,
            objects_url=self._objects_url,
            gateway_port=gateway_port,
            base_environment=self._environment,
        )
        await self._supervisor.start(self._describe_services(addresses, self.scale), timeout)
        upkeep = IndexUpkeep(access, self._environment, self.data_folder / "logs" / "indexes.log")
        self._watch_tasks.append(asyncio.create_task(upkeep.run()))
        self._set_phase(Phase.READY)

    @property
    def _objects_url(self) -> str:
        return self._environment.get("OBJECT_STORE_URL") or (self.data_folder / "objects").as_uri()

    def _client_environment(self, access: DatabaseAccess) -> dict[str, str]:
        """What commands beside the stack need: the service's and the migrator's database, the bus of subscribers."""
        return {
            "DATABASE_URL": access.url(SERVICE),
            "DATABASE_MIGRATOR_URL": access.url(MIGRATOR),
            "OBJECT_STORE_URL": self._objects_url,
            **self._bus.environment_of(SUBSCRIBER),
        }

    def _close_to_others(self) -> None:
        """As root the data folder lets PostgreSQL's user pass through; originals and logs are nobody else's."""
        for name in ("objects", "logs", "nats"):
            folder = self.data_folder / name
            folder.mkdir(exist_ok=True)
            folder.chmod(0o700)

    def _choose_gateway_port(self) -> int:
        if self._gateway_port is not None:
            if not is_free(self._gateway_port):
                raise SkillnetError(
                    ErrorCode.START_FAILED, f"Port {self._gateway_port} of {HOST} is in use. Choose another."
                )
            return self._gateway_port
        remembered = self.data_folder / "gateway_port.json"
        port = free_port(json.loads(remembered.read_text()) if remembered.exists() else None)
        write_private(remembered, json.dumps(port))
        return port

    @property
    def _servers(self) -> list[EmbeddedServer]:
        return [server for server in (self._database.server, self._bus.server) if server is not None]

    # -- watching

    def _watch_servers(self) -> None:
        named = {"postgres": self._database.server, "nats": self._bus.server}
        self._watches = [
            ServerWatch(name, server, self._policy, self._write_state)
            for name, server in named.items()
            if server is not None
        ]
        self._watch_tasks = [asyncio.create_task(watch.run()) for watch in self._watches]

    async def _end_watching(self) -> None:
        for task in self._watch_tasks:
            task.cancel()
        await asyncio.gather(*self._watch_tasks, return_exceptions=True)
        self._watch_tasks.clear()

    async def _stop_servers(self) -> None:
        """NATS first: the services are gone, and nothing writes to PostgreSQL any more."""
        for server in reversed(self._servers):
            await asyncio.to_thread(server.stop)

    # -- state.json

    def _set_phase(self, phase: Phase) -> None:
        self._state = replace(self.state, phase=phase)
        self._write_state()

    def _write_state(self) -> None:
        processes = (*(watch.status for watch in self._watches), *self._supervisor.statuses)
        self._state = replace(self.state, processes=processes)
        write_state(self.data_folder, self._state)

    def _forget(self) -> None:
        remove_state(self.data_folder)
        self._lock.release()
