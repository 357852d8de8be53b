"""Uploads, deletes, workers, a reaper, a cleaner and a reader, all at once on connections of their own."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from tests.conftest import DatabaseUrls
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.database import Database
from skillnet_common.versions import document_id_for
from skillnet_dispatcher.loops.archive import Archive
from skillnet_dispatcher.loops.reap import Reap

KEYS = ("a", "b")


@pytest.fixture(scope="module")
async def many(database_urls: DatabaseUrls) -> AsyncIterator[Database]:
    pool = await Database.connect(database_urls.service, size=14)
    yield pool
    await pool.close()


class Bustle:
    """Two documents in the hands of many."""

    def __init__(self, database: Database, dispatcher: Database, org_id: UUID, seed: int) -> None:
        self.pipeline = Pipeline(database, org_id, chunks=3, lease_seconds=0.02, max_attempts=1_000)
        self.observer = Observer(database, org_id)
        self.reap = Reap(dispatcher, max_attempts=1_000)
        self.archive = Archive(dispatcher)
        self.random = random.Random(seed)  # noqa: S311
        self.over = asyncio.Event()

    async def upload(self, key: str, count: int) -> None:
        for number in range(count):
            await self.pipeline.upload(key, f"text {number % 3}")
            await self._pause()

    async def delete(self, key: str, count: int) -> None:
        document_id = document_id_for(self.pipeline.org_id, "upload", key)
        for _ in range(count):
            await self._pause(0.03)
            self.observer.deleted(document_id, await self.pipeline.delete(document_id))

    async def work(self) -> None:
        """Often slower than the lease, so that others take over and results come late."""
        while not self.over.is_set():
            messages = await self.pipeline.due()
            if messages:
                claim = await self.pipeline.table.claim(self.random.choice(messages))
                if claim is not None:
                    await self._pause(0.03)
                    await (
                        self.pipeline.fail(claim) if self.random.random() < 0.03 else self.pipeline.complete(claim)
                    )
            await asyncio.sleep(0)

    async def sweep(self) -> None:
        while not self.over.is_set():
            await self.reap.step()
            await self.archive.step()
            await asyncio.sleep(0.01)

    async def read(self) -> None:
        while not self.over.is_set():
            await self.observer.look()
            await asyncio.sleep(0)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as others:
            for _ in range(5):
                others.create_task(self.work())
            others.create_task(self.sweep())
            others.create_task(self.read())
            async with asyncio.TaskGroup() as users:
                for key in KEYS:
                    users.create_task(self.upload(key, 6))
                    users.create_task(self.upload(key, 6))
                    users.create_task(self.delete(key, 3))
            await asyncio.sleep(0.2)
            self.over.set()

    async def _pause(self, longest: float = 0.02) -> None:
        await asyncio.sleep(self.random.uniform(0, longest))


@pytest.mark.parametrize("seed", range(6))
async def test_all_at_once(many: Database, dispatcher_database: Database, org: UUID, seed: int) -> None:
    bustle = Bustle(many, dispatcher_database, org, seed)
    await bustle.run()
    await asyncio.sleep(0.03)
    await bustle.reap.step()
    await bustle.pipeline.drain()
    await bustle.archive.step()
    await bustle.observer.look()
    await bustle.observer.check_events()
    await bustle.observer.check_settled()
