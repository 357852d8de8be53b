"""A database and a bus for the dispatcher alone: it sees every tenant's work, other tests' too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.conftest import TEST_MODEL, DatabaseUrls, create_database
from tests.integration.versions.pipeline import Pipeline

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_cli.local.temporary import temporary_nats
from skillnet_common.auth import create_organization
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.topology import ensure_topology
from skillnet_common.settings import CommonSettings

SLUG = str(TEST_MODEL["slug"])


@dataclass(frozen=True)
class Ground:
    """What a dispatcher works on. `service` is the role of workers, `admin` the bus's all-powerful user."""

    urls: DatabaseUrls
    nats: EmbeddedNats
    service: Database
    dispatcher: Database
    bus: Bus
    admin: Bus

    async def pipeline(self, **options: int | float) -> Pipeline:
        """A pipeline of a new organisation."""
        org_id = uuid4()
        await create_organization(self.service, org_id, "Una de tantas")
        return Pipeline(self.service, org_id, **options)  # type: ignore[arg-type]

    async def work(self, org_id: UUID, columns: str = "*") -> list[dict[str, object]]:
        """The organisation's rows of work, oldest first."""
        async with self.service.tenant(org_id) as connection:
            return [dict(row) for row in await connection.fetch(f"SELECT {columns} FROM work ORDER BY work_id")]

    async def restart_nats(self) -> None:
        """Starts the server that a test has killed, and waits until both users are back."""
        await asyncio.to_thread(self.nats.start)
        for _ in range(200):
            if self.bus.client.is_connected and self.admin.client.is_connected:
                return
            await asyncio.sleep(0.05)
        raise TimeoutError("a user did not come back to the bus")

    async def lose_stream(self, name: str) -> None:
        """Deletes the stream; an empty one takes its place."""
        await self.admin.jetstream.delete_stream(name)
        await ensure_topology(self.admin.jetstream, [SLUG])


@pytest.fixture(scope="package")
def own_nats() -> Iterator[EmbeddedNats]:
    with temporary_nats({user.name: user for user in service_users()}) as server:
        yield server


@pytest.fixture(scope="package")
async def package_ground(postgres: EmbeddedPostgres, own_nats: EmbeddedNats) -> AsyncIterator[Ground]:
    urls = await create_database(postgres, f"dispatcher-{uuid4().hex[:8]}")
    await migrate(urls.migrator)
    await register_first_model(urls.migrator, **TEST_MODEL)
    ground = Ground(
        urls,
        own_nats,
        service=await Database.connect(urls.service, size=8),
        dispatcher=await Database.connect(urls.dispatcher, size=6),
        bus=await Bus.connect(
            CommonSettings(nats_url=own_nats.url_for("dispatcher"), nats_user="dispatcher"), "test"
        ),
        admin=await Bus.connect(CommonSettings(nats_url=own_nats.url_for("admin"), nats_user="admin"), "test"),
    )
    yield ground
    await ground.bus.close()
    await ground.admin.close()
    await ground.service.close()
    await ground.dispatcher.close()


@pytest.fixture
async def ground(package_ground: Ground) -> Ground:
    """Empty queues and empty streams."""
    connection = await asyncpg.connect(package_ground.urls.admin)
    try:
        await connection.execute(
            "TRUNCATE skillnet.work, skillnet.outbox, skillnet.instances, skillnet.known_streams,"
            " skillnet.object_deletions, skillnet.idempotency_keys, skillnet.documents CASCADE"
        )
    finally:
        await connection.close()
    await ensure_topology(package_ground.admin.jetstream, [SLUG])
    for stream in ("DOCUMENT_WORK", "DOCUMENT_EVENTS", "QUARANTINE"):
        await package_ground.admin.jetstream.purge_stream(stream)
    return package_ground
