"""One running system for all tests of the whole, and a company of its own for each of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from skillnet_cli.local.temporary import temporary_folder
from skillnet_client import SkillnetClient, UploadOptions
from skillnet_common.auth import create_organization, new_key, store_key
from skillnet_common.contracts.documents import DocumentSummary
from skillnet_common.database import Database

from .events import ReceivedEvent, read_events
from .system import MAX_UPLOAD_BYTES, System, skillnet_up

_SETTLE_SECONDS = 120


@dataclass(frozen=True)
class Company:
    """An organisation of the running system with a key of every scope."""

    org: UUID
    key: str
    client: SkillnetClient
    system: System

    def ingest(self, name: str, content: bytes, *courses: str, title: str | None = None) -> DocumentSummary:
        """Uploads the file under its name as key and waits until its version has ended, well or badly."""
        options = UploadOptions(filename=name, courses=courses or None, title=title)
        document_id = self.client.upload(content, options).document_id
        return self.client.wait_until_settled([document_id], timeout=_SETTLE_SECONDS, poll_seconds=0.1)[document_id]

    async def _all_told(self) -> None:
        database = await Database.connect(self.system.environment["DATABASE_URL"], size=1)
        try:
            async with asyncio.timeout(20):
                while await self._untold(database):  # noqa: ASYNC110 - another process sends them
                    await asyncio.sleep(0.05)
        finally:
            await database.close()

    async def _untold(self, database: Database) -> int:
        async with database.tenant(self.org) as connection:
            return int(await connection.fetchval("SELECT count(*) FROM outbox WHERE sent_at IS NULL"))

    async def events(self) -> list[ReceivedEvent]:
        """Every event of the company so far, in order; what has happened but is not yet told is waited for."""
        await self._all_told()
        return [
            event for event in await read_events(self.system.environment) if event.data["org_id"] == str(self.org)
        ]


@pytest.fixture(scope="session")
def system() -> Iterator[System]:
    """`skillnet up --scale embedder=2` in a folder whose path has spaces and accents."""
    with (
        temporary_folder("años y días", in_memory=True) as folder,
        skillnet_up(
            Path(folder, "la compañía"),
            "--scale",
            "embedder=2",
            environment={"MAX_UPLOAD_BYTES": str(MAX_UPLOAD_BYTES), "CLEANUP_SECONDS": "1"},
        ) as running,
    ):
        yield running


@pytest.fixture(scope="session")
async def system_database(system: System) -> AsyncIterator[Database]:
    """A pool of the services' role in the system's database."""
    database = await Database.connect(system.environment["DATABASE_URL"], size=2, name="tests")
    yield database
    await database.close()


@pytest.fixture
async def company(system: System, system_database: Database) -> AsyncIterator[Company]:
    """A company that nobody else uses."""
    async for one in _company(system, system_database):
        yield one


@pytest.fixture
async def competitor(system: System, system_database: Database) -> AsyncIterator[Company]:
    """Another company."""
    async for one in _company(system, system_database):
        yield one


async def _company(system: System, database: Database) -> AsyncIterator[Company]:
    org, key = uuid4(), new_key()
    await create_organization(database, org, "Panadería de prueba")
    await store_key(database, org, key, name="pruebas")
    with system.client(key) as client:
        yield Company(org, key, client, system)
