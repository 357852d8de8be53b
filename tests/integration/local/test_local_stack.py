"""The whole composition on real servers, with dummy services in the place of the seven."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import nats
import psutil
import pytest

from skillnet_bootstrap.provision import create_database
from skillnet_cli.local.service_process import RestartPolicy, ServiceProcess
from skillnet_cli.local.services import SERVICES, StackAddresses, skillnet_services
from skillnet_cli.local.stack import LocalStack
from skillnet_cli.local.state import Phase, running_stack, state_path
from skillnet_cli.local.temporary import temporary_nats, temporary_postgres
from skillnet_common.contracts import subjects
from skillnet_common.database import migrate, register_first_model
from skillnet_common.database.migrations import migration_files
from skillnet_common.errors import ErrorCode, SkillnetError

RunScript = Callable[..., subprocess.CompletedProcess[str]]

DUMMY = Path(__file__).with_name("dummy_service.py")
ENVIRONMENT = {"PATH": os.environ["PATH"], "DATABASE_ADMIN_URL": ""}


def dummies(diary: Path) -> Callable[[StackAddresses, Mapping[str, int]], list[ServiceProcess]]:
    """The seven services as they are described, but for their program."""

    def describe(addresses: StackAddresses, scale: Mapping[str, int]) -> list[ServiceProcess]:
        return [
            replace(
                service,
                argv=(sys.executable, "-S", str(DUMMY)),
                env={**service.env, "DIARY": str(diary), "NAME": service.name},
            )
            for service in skillnet_services(addresses, scale)
        ]

    return describe


def make_stack(folder: Path, **options: Any) -> LocalStack:
    options.setdefault("environment", ENVIRONMENT)
    return LocalStack(
        folder / "datos",
        describe_services=dummies(folder / "diary.txt"),
        policy=RestartPolicy(first_delay=0.05),
        register_model=register_model,
        fast=True,
        **options,
    )


async def register_model(migrator_url: str) -> None:
    await register_first_model(
        migrator_url, slug="tiny", fingerprint="f", name="tiny", dimension=4, identity={"window": 512}
    )


def drained(folder: Path) -> list[str]:
    lines = (folder / "diary.txt").read_text(encoding="utf-8").splitlines()
    in_order = sorted(lines, key=lambda line: float(line.split()[0]))
    return [line.split()[1] for line in in_order if line.endswith(" drained")]


async def fetch(url: str, sql: str) -> Any:
    connection = await asyncpg.connect(url, timeout=10)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_starts_everything_and_drains_it_in_order(folder: Path) -> None:
    stack = make_stack(folder, scale={"embedder": 2, "notifier": 0})
    async with stack:
        state = running_stack(folder / "datos")
        assert state == stack.state
        assert state is not None
        assert state.phase == Phase.READY
        expected = {"postgres", "nats", "embedder-2", *SERVICES} - {"notifier"}
        assert {process.name for process in state.processes} == expected
        assert all(process.ready and process.pid for process in state.processes)

        applied = await fetch(state.environment["DATABASE_MIGRATOR_URL"], "SELECT count(*) FROM schema_migrations")
        assert applied == len(migration_files())
        assert await fetch(state.environment["DATABASE_URL"], "SELECT current_user") == "skillnet_service"
        await _check_bus(state.environment)

        with pytest.raises(SkillnetError, match="SkillNet already runs") as caught:
            await make_stack(folder).start()
        assert caught.value.code == ErrorCode.ALREADY_RUNNING
        assert running_stack(folder / "datos") == state
    order = drained(folder)
    assert order[0] == "gateway"
    assert order[-1] == "dispatcher"
    assert len(order) == 7
    assert not state_path(folder / "datos").exists()
    assert all(not psutil.pid_exists(process.pid or 0) for process in state.processes)


async def _check_bus(environment: Mapping[str, str]) -> None:
    client = await nats.connect(
        environment["NATS_URL"],
        user=environment["NATS_USER"],
        password=environment["NATS_PASSWORD"],
        inbox_prefix=f"_INBOX_{environment['NATS_USER']}".encode(),
    )
    try:
        info = await client.jetstream().stream_info(subjects.EVENT_STREAM)
        assert "document.updated.*.*" in (info.config.subjects or [])
    finally:
        await client.close()


async def test_a_service_gets_its_own_credentials_and_never_the_superusers(folder: Path) -> None:
    with temporary_postgres() as postgres:
        await create_database(postgres.admin_url, "own")
        environment = {**ENVIRONMENT, "DATABASE_ADMIN_URL": postgres.url("own"), "CUSTOM": "kept"}
        seen: dict[str, Mapping[str, str]] = {}

        def describe(addresses: StackAddresses, scale: Mapping[str, int]) -> list[ServiceProcess]:
            services = skillnet_services(addresses, scale)
            seen.update({service.name: service.env for service in services})
            return dummies(folder / "diary.txt")(addresses, scale)

        stack = LocalStack(folder / "datos", environment=environment, describe_services=describe)
        async with stack:
            assert "postgres" not in {process.name for process in stack.state.processes}
            assert await fetch(postgres.url("own"), "SELECT to_regclass('skillnet.documents') IS NOT NULL")
        for name, env in seen.items():
            role = await fetch(env["DATABASE_URL"], "SELECT current_user")
            assert role == ("skillnet_dispatcher" if name == "dispatcher" else "skillnet_service")
            assert env["NATS_USER"] == name
            assert env["CUSTOM"] == "kept"
            assert postgres.password not in "".join(env.values())
        assert len({env["NATS_PASSWORD"] for env in seen.values()}) == len(SERVICES)
        assert stack.address.endswith(f":{seen['gateway']['HTTP_PORT']}")


async def test_an_external_bus_replaces_the_embedded_one(folder: Path) -> None:
    with temporary_nats() as server:
        async with make_stack(folder, environment={**ENVIRONMENT, "NATS_URL": server.url}) as stack:
            assert "nats" not in {process.name for process in stack.state.processes}
        client = await nats.connect(server.url)
        try:
            assert await client.jetstream().stream_info(subjects.WORK_STREAM)
        finally:
            await client.close()


async def test_an_external_database_without_rights_is_a_clear_error(folder: Path) -> None:
    with temporary_postgres() as postgres:
        await fetch(postgres.admin_url, "CREATE ROLE weak LOGIN PASSWORD 'weak'")
        environment = {**ENVIRONMENT, "DATABASE_URL": postgres.url(user="weak", password="weak")}
        with pytest.raises(SkillnetError, match="superuser") as caught:
            await make_stack(folder, environment=environment).start()
        assert caught.value.code == ErrorCode.MISCONFIGURED
        assert not state_path(folder / "datos").exists()


async def test_servers_come_back_on_their_ports_after_kill_9(folder: Path) -> None:
    async with make_stack(folder) as stack:
        before = {process.name: process for process in stack.state.processes}
        url = stack.state.environment["DATABASE_MIGRATOR_URL"]
        await fetch(url, "CREATE TABLE kept AS SELECT 7 AS value")
        for name in ("postgres", "nats"):
            os.kill(before[name].pid or 0, signal.SIGKILL)
        deadline = time.monotonic() + 20
        while True:
            after = {process.name: process for process in stack.state.processes}
            if all(after[name].restarts == 1 and after[name].ready for name in ("postgres", "nats")):
                break
            assert time.monotonic() < deadline, after
            await asyncio.sleep(0.05)
        for name in ("postgres", "nats"):
            assert after[name].port == before[name].port
            assert after[name].pid != before[name].pid
        assert await fetch(url, "SELECT value FROM kept") == 7
        await _check_bus(stack.state.environment)


async def test_a_second_start_finds_everything_as_it_was(folder: Path) -> None:
    async with make_stack(folder) as stack:
        await fetch(stack.state.environment["DATABASE_MIGRATOR_URL"], "CREATE TABLE kept AS SELECT 7 AS value")
        first = stack.state
    async with make_stack(folder) as again:
        assert again.address == first.address
        assert again.state.environment == first.environment
        assert await migrate(again.state.environment["DATABASE_MIGRATOR_URL"]) == []
        assert await fetch(again.state.environment["DATABASE_MIGRATOR_URL"], "SELECT value FROM kept") == 7


async def test_a_failed_start_leaves_nothing_running(folder: Path) -> None:
    children = psutil.Process().children(recursive=True)

    def describe(addresses: StackAddresses, scale: Mapping[str, int]) -> list[ServiceProcess]:
        broken = dummies(folder / "diary.txt")(addresses, scale)
        return [replace(service, env={**service.env, "EXIT": "78"}) for service in broken]

    stack = LocalStack(folder / "datos", environment=ENVIRONMENT, describe_services=describe, fast=True)
    with pytest.raises(SkillnetError, match="exit code 78"):
        await stack.start()
    assert psutil.Process().children(recursive=True) == children
    async with make_stack(folder):  # the lock is free again
        pass


@pytest.mark.parametrize("scale", [{"parsr": 1}, {"parser": -1}, {"gateway": 2}])
def test_a_wrong_scale_is_an_error(scale: dict[str, int], folder: Path) -> None:
    with pytest.raises(SkillnetError) as caught:
        LocalStack(folder, scale)
    assert caught.value.code == ErrorCode.INVALID_REQUEST


SERVE = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from skillnet_cli.local.services import skillnet_services
from skillnet_cli.local.stack import LocalStack

folder, dummy, drain = Path(sys.argv[1]), sys.argv[2], sys.argv[3]

def describe(addresses, scale):
    return [
        replace(s, argv=(sys.executable, "-S", dummy),
                env={**s.env, "DIARY": str(folder / "diary.txt"), "NAME": s.name, "DRAIN_SECONDS": drain})
        for s in skillnet_services(addresses, scale)
    ]

stack = LocalStack(folder / "datos", environment={}, describe_services=describe, fast=True)

async def announce(running):
    print(running.address, flush=True)

asyncio.run(stack.serve(announce))
print("served", flush=True)
"""


def test_an_ordinary_user_can_run_it(run_as_ordinary_user: RunScript) -> None:
    script = (
        "import os, pathlib, signal, sys, tempfile\n"
        "place = tempfile.TemporaryDirectory(prefix='ñ ')\n"
        "sys.argv[1] = place.name\n"
        f"{SERVE.replace('print(running.address, flush=True)', 'os.kill(os.getpid(), signal.SIGTERM)')}\n"
        "print(os.geteuid(), sorted(path.name for path in pathlib.Path(place.name, 'datos').iterdir()))\n"
    )
    done = run_as_ordinary_user(script, "", str(DUMMY), "0")
    assert done.returncode == 0, done.stderr
    served, facts = done.stdout.splitlines()
    assert served == "served"
    assert not facts.startswith("0 ")
    assert "'postgres'" in facts


def serve(folder: Path, drain_seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", SERVE, str(folder), str(DUMMY), str(drain_seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_drains(folder: Path, number: signal.Signals) -> None:
    with serve(folder, 0.2) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline().startswith("http://127.0.0.1:")
        owner.send_signal(number)
        assert owner.stdout.read() == "served\n"
    assert owner.returncode == 0
    assert sorted(drained(folder)) == sorted(SERVICES)
    assert running_stack(folder / "datos") is None


def test_a_second_signal_ends_at_once(folder: Path) -> None:
    with serve(folder, 25) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        children = psutil.Process(owner.pid).children(recursive=True)
        owner.send_signal(signal.SIGINT)
        time.sleep(0.3)
        started = time.monotonic()
        owner.send_signal(signal.SIGINT)
        owner.wait(20)
        assert time.monotonic() - started < 20
    assert drained(folder) == []
    assert not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children)


def test_a_signal_while_starting_leaves_nothing_running(folder: Path) -> None:
    with serve(folder, 0) as owner:
        deadline = time.monotonic() + 20
        while not state_path(folder / "datos").exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        owner.send_signal(signal.SIGTERM)
        assert owner.stdout is not None
        assert owner.stdout.read() == "served\n"
    assert not state_path(folder / "datos").exists()


def test_after_kill_9_of_the_stack_the_next_one_starts(folder: Path) -> None:
    with serve(folder, 25) as owner:
        assert owner.stdout is not None
        address = owner.stdout.readline()
        owner.kill()
    assert json.loads(state_path(folder / "datos").read_text(encoding="utf-8"))["phase"] == "ready"
    assert running_stack(folder / "datos") is None
    with serve(folder, 0) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == address
        owner.send_signal(signal.SIGTERM)
        owner.wait(30)
