"""The local stack looks after vector indexes by the clock."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from benchmarks.topics import topical_tenant
from tests.integration.retriever.topical import topical

from skillnet_bootstrap.provision import DatabaseAccess
from skillnet_cli.local.index_upkeep import IndexUpkeep
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.database import ROLES
from skillnet_common.database.vector_indexes import index_name

_PATIENCE = 120


async def test_passes_go_on_after_one_that_fails(postgres: EmbeddedPostgres, tmp_path: Path) -> None:
    tenant = topical_tenant(600, questions=1, dimension=16)
    log = tmp_path / "indexes.log"
    environment = {"PATH": os.environ["PATH"], "EXACT_CHUNKS": "500"}
    async with topical(postgres, tenant, exact_chunks=500) as world:
        access = DatabaseAccess(world.urls.admin, dict.fromkeys(ROLES, "secret"))
        await world.admin.execute("ALTER TABLE embedding_models RENAME TO away")
        running = asyncio.create_task(IndexUpkeep(access, environment, log, pause=0.05).run())
        try:
            async with asyncio.timeout(_PATIENCE):
                while not (log.exists() and "embedding_models" in log.read_text()):  # noqa: ASYNC110 - a process writes it
                    await asyncio.sleep(0.1)
                await world.admin.execute("ALTER TABLE away RENAME TO embedding_models")
                while await world.indexes() != [index_name(1, tenant.org_id)]:  # noqa: ASYNC110 - a process makes it
                    await asyncio.sleep(0.1)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
