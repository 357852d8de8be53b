"""When PostgreSQL, NATS or the retriever is away: 503 with Retry-After; alive but not ready; whole again after."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest
from tests.conftest import TEST_MODEL, create_database

from skillnet_cli.local.temporary import temporary_nats, temporary_postgres
from skillnet_common.auth import create_organization, new_key, store_key
from skillnet_common.database import Database, migrate, register_first_model
from skillnet_common.messaging.permissions import service_users

from .conftest import RunGateway


def assert_unavailable(response: httpx.Response) -> None:
    assert (response.status_code, response.json()["code"]) == (503, "unavailable"), response.text
    assert int(response.headers["retry-after"]) > 0


async def until_ready(http: httpx.AsyncClient) -> None:
    async with asyncio.timeout(20):
        while (await http.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - it is another process that starts
            await asyncio.sleep(0.05)


@pytest.mark.parametrize("path", ["/v1/search", "/v1/ground", "/v1/ask"])
async def test_without_a_retriever(client: httpx.AsyncClient, path: str) -> None:
    assert_unavailable(await client.post(path, json={"question" if path == "/v1/ask" else "query": "x"}))


async def test_servers_that_go_and_come_back(run_gateway: RunGateway, tmp_path: Path) -> None:
    with temporary_postgres() as postgres, temporary_nats({user.name: user for user in service_users()}) as nats:
        urls = await create_database(postgres, "outage")
        await migrate(urls.migrator)
        await register_first_model(urls.migrator, **TEST_MODEL)
        database = await Database.connect(urls.service, size=3)
        org, key = uuid4(), new_key()
        await create_organization(database, org, "Panadería")
        await store_key(database, org, key, name="k")
        async with (
            run_gateway(tmp_path, on_database=database, on_nats=nats) as running,
            running.client(key) as http,
            running.client(new_key()) as unknown,
        ):
            assert (await http.post("/v1/documents?filename=a.md", content=b"uno")).status_code == 201

            postgres.kill()
            assert_unavailable(await http.get("/v1/documents"))
            assert_unavailable(await http.post("/v1/documents?filename=a.md", content=b"dos"))
            assert_unavailable(await unknown.get("/v1/documents"))
            assert (await http.get("/livez")).status_code == 200
            assert (await http.get("/readyz")).status_code == 503
            assert len(running.stored()) == 1
            postgres.start()
            await until_ready(http)
            assert (await http.get("/v1/documents")).json()["documents"][0]["newest_version"] == 1
            assert (await http.post("/v1/documents?filename=a.md", content=b"dos")).status_code == 202

            nats.kill()
            await asyncio.sleep(0.1)
            assert_unavailable(await http.post("/v1/search", json={"query": "x"}))
            assert (await http.get("/v1/documents")).status_code == 200
            assert (await http.get("/readyz")).status_code == 503
            nats.start()
            await until_ready(http)
        await database.close()


class LosesReplies:
    """A real database whose connection breaks after the commit of what is written, before its reply arrives."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.loses = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    @asynccontextmanager
    async def tenant(self, org_id: UUID, **options: Any) -> AsyncIterator[Any]:
        async with self._database.tenant(org_id, **options) as connection:
            yield connection
        if self.loses and not options.get("readonly"):
            raise asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation")


async def test_a_commit_whose_reply_is_lost_keeps_its_object(
    run_gateway: RunGateway, tmp_path: Path, database: Database, api_key: str
) -> None:
    breaking = LosesReplies(database)
    async with run_gateway(tmp_path, on_database=breaking) as running, running.client(api_key) as http:

        async def upload() -> httpx.Response:
            headers = {"Idempotency-Key": "k"}
            return await http.post("/v1/documents?filename=a.md", content=b"uno", headers=headers)

        breaking.loses = True
        assert_unavailable(await upload())
        breaking.loses = False
        again = await upload()
        assert (again.status_code, again.json()["replayed"]) == (201, True)
        assert (await http.get(again.json()["links"]["original"])).content == b"uno"
        assert len(running.stored()) == 1
