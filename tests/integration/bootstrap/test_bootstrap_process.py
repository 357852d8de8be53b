"""The bootstrap as containers run it: a process against servers that are new, known, away or not for it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from nats.js.errors import NotFoundError
from tests.integration.messaging.conftest import settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_nats
from skillnet_common.auth import Authenticator, new_key
from skillnet_common.contracts import subjects
from skillnet_common.database import ROLES, Database
from skillnet_common.errors import RequestError
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.runtime.entry import EX_CONFIG, EX_TEMPFAIL
from skillnet_inference.factory import model_identity
from skillnet_inference.settings import EmbeddingSettings

KEY = new_key()
PASSWORD = "p4ssword"


@dataclass(frozen=True)
class Ended:
    code: int
    errors: str

    @property
    def events(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.errors.splitlines() if line.startswith("{")]

    def event(self, name: str) -> dict[str, object]:
        (found,) = [event for event in self.events if event["event"] == name]
        return found


async def bootstrap(environment: dict[str, str]) -> Ended:
    process = await started(environment)
    _, errors = await asyncio.wait_for(process.communicate(), timeout=120)
    return Ended(process.returncode or 0, errors.decode())


async def started(environment: dict[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "skillnet_bootstrap",
        env={"PATH": os.environ["PATH"], "PATIENCE_SECONDS": "0", **environment},
        stderr=asyncio.subprocess.PIPE,
    )


@pytest.fixture
def bus() -> Iterator[EmbeddedNats]:
    with temporary_nats({user.name: user for user in service_users()}) as server:
        yield server


@pytest.fixture
async def name(postgres: EmbeddedPostgres) -> AsyncIterator[str]:
    """An empty database. The roles belong to the server: their passwords are set back for the other tests."""
    name = f"bootstrap_{uuid4().hex[:8]}"
    connection = await asyncpg.connect(postgres.admin_url)
    try:
        await connection.execute(f"CREATE DATABASE {name}")
        yield name
        for role in ROLES:
            if await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role):
                await connection.execute(f"ALTER ROLE {role} PASSWORD 'secret'")
    finally:
        await connection.close()


@pytest.fixture
def environment(postgres: EmbeddedPostgres, bus: EmbeddedNats, name: str) -> dict[str, str]:
    return {
        "DATABASE_ADMIN_URL": postgres.url(name),
        **{f"DATABASE_{role.removeprefix('skillnet_').upper()}_PASSWORD": PASSWORD for role in ROLES},
        "NATS_URL": bus.url,
        "NATS_USER": "admin",
        "NATS_PASSWORD": bus.users["admin"].password,
    }


async def test_everything_is_there_after_the_first_run_and_nothing_changes_in_the_second(
    environment: dict[str, str], postgres: EmbeddedPostgres, bus: EmbeddedNats, name: str
) -> None:
    environment |= {"FIRST_API_KEY": KEY, "FIRST_ORGANIZATION_NAME": "Panadería"}
    first = await bootstrap(environment)
    assert first.code == 0, first.errors
    slug = model_identity(EmbeddingSettings()).slug
    assert first.event("database_ready")["models"] == [slug]
    assert f"{subjects.WORK_STREAM}/embedder-{slug}" in str(first.event("bus_ready")["created"])
    assert KEY not in first.errors
    assert PASSWORD not in first.errors

    database = await Database.connect(postgres.url(name, "skillnet_service", PASSWORD), size=1)
    principal = await Authenticator(database).verify(f"Bearer {KEY}")
    assert str(principal.org_id) == first.event("organization_created")["org_id"]

    second = await bootstrap(environment)
    assert second.code == 0, second.errors
    assert second.event("bus_ready")["created"] == []
    another = new_key()
    third = await bootstrap({**environment, "FIRST_API_KEY": another})
    assert "organization_created" not in second.errors + third.errors
    with pytest.raises(RequestError):
        await Authenticator(database).verify(f"Bearer {another}")
    await database.close()
    admin = await Bus.connect(settings_for(bus, "admin"), "test")
    assert len(await admin.jetstream.streams_info()) == 3
    await admin.close()


async def test_every_role_logs_in_with_its_own_password(
    environment: dict[str, str], postgres: EmbeddedPostgres, name: str
) -> None:
    environment |= {f"DATABASE_{role.removeprefix('skillnet_').upper()}_PASSWORD": f"of {role}" for role in ROLES}
    assert (await bootstrap(environment)).code == 0
    for role in ROLES:
        connection = await asyncpg.connect(postgres.url(name, role, f"of {role}"))
        assert await connection.fetchval("SELECT current_user") == role
        await connection.close()


async def test_a_setting_that_is_missing_or_too_short_is_named(environment: dict[str, str]) -> None:
    del environment["DATABASE_BACKUP_PASSWORD"]
    ended = await bootstrap({**environment, "FIRST_API_KEY": "admin"})
    assert ended.code == EX_CONFIG
    assert "DATABASE_BACKUP_PASSWORD" in ended.errors
    assert "FIRST_API_KEY" in ended.errors
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("which", ["DATABASE_ADMIN_URL", "NATS_URL"])
async def test_a_server_that_is_away_is_a_passing_fault(environment: dict[str, str], which: str) -> None:
    scheme = {"DATABASE_ADMIN_URL": "postgresql", "NATS_URL": "nats"}[which]
    ended = await bootstrap({**environment, which: f"{scheme}://127.0.0.1:{free_port()}/x"})
    assert ended.code == EX_TEMPFAIL, ended.errors
    assert "cannot start: " in ended.errors
    assert "Traceback" not in ended.errors


async def test_a_server_that_comes_up_late_is_waited_for(
    environment: dict[str, str], bus: EmbeddedNats, tmp_path: Path
) -> None:
    bus.stop()
    process = await started({**environment, "PATIENCE_SECONDS": "100"})
    assert process.stderr is not None
    said = b""
    async with asyncio.timeout(90):
        while b"waiting" not in said:
            said += await process.stderr.readline()
    await asyncio.to_thread(bus.start)
    _, errors = await asyncio.wait_for(process.communicate(), timeout=120)
    assert process.returncode == 0, errors


@pytest.mark.parametrize("user", ["skillnet_migrator", "nobody_known", "wrong_password"])
async def test_who_is_no_superuser_is_told_so(
    environment: dict[str, str], postgres: EmbeddedPostgres, name: str, user: str
) -> None:
    assert (await bootstrap(environment)).code == 0
    role = "postgres" if user == "wrong_password" else user
    ended = await bootstrap({**environment, "DATABASE_ADMIN_URL": postgres.url(name, role, PASSWORD)})
    assert ended.code == EX_CONFIG, ended.errors
    assert "DATABASE_ADMIN_URL must be a superuser's address" in ended.errors
    assert PASSWORD not in ended.errors


async def test_a_user_of_the_bus_who_may_not_is_refused(environment: dict[str, str], bus: EmbeddedNats) -> None:
    ended = await bootstrap({**environment, "NATS_USER": "parser", "NATS_PASSWORD": bus.users["parser"].password})
    assert ended.code == EX_CONFIG, ended.errors
    assert "NATS_USER must be the bus's administrator" in ended.errors
    admin = await Bus.connect(settings_for(bus, "admin"), "test")
    with pytest.raises(NotFoundError):
        await admin.jetstream.stream_info(subjects.WORK_STREAM)
    await admin.close()
