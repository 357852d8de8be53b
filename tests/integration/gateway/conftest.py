"""The gateway's HTTP API on a real port, over the session's PostgreSQL and NATS."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.database import Database
from skillnet_common.messaging.connection import Bus
from skillnet_common.runtime import Service
from skillnet_common.runtime.http import HttpServer
from skillnet_gateway.app import open_api
from skillnet_gateway.settings import GatewaySettings

MAX_UPLOAD = 300_000

_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nothing here speaks TLS, and loading the machine's certificates takes a tenth of a second a client."""


@dataclass(frozen=True)
class RunningGateway:
    """A gateway that listens. `objects` is the folder of its object store."""

    url: str
    api: FastAPI
    objects: Path

    def client(self, key: str | None) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=20, verify=_NO_CERTIFICATES)

    def stored(self) -> list[Path]:
        """Every file of the object store, whatever its name."""
        return [path for path in self.objects.rglob("*") if path.is_file()]


RunGateway = Callable[..., AbstractAsyncContextManager[RunningGateway]]


@pytest.fixture(scope="session")
def run_gateway(database: Database, nats_server: EmbeddedNats) -> RunGateway:
    """Runs a gateway with the given folder and settings, on other servers where they are given."""

    @contextlib.asynccontextmanager
    async def run(
        objects: Path, *, on_database: Database = database, on_nats: EmbeddedNats = nats_server, **settings: Any
    ) -> AsyncIterator[RunningGateway]:
        user = on_nats.users["gateway"]
        given = GatewaySettings(
            nats_url=on_nats.url,
            nats_user=user.name,
            nats_password=SecretStr(user.password),
            object_store_url=objects.as_uri(),
            **{"max_upload_bytes": MAX_UPLOAD, "retrieval_timeout_seconds": 5, **settings},
        )
        bus = await Bus.connect(given, "gateway")
        service = Service("gateway", given, on_database, bus, "gateway-test")
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_callback(bus.close)
            api = await stack.enter_async_context(open_api(service, given))
            server = HttpServer(api, host="127.0.0.1", port=0)
            await server.start()
            stack.push_async_callback(server.stop)
            yield RunningGateway(f"http://127.0.0.1:{server.port}", api, objects)

    return run


@pytest.fixture(scope="session")
async def gateway(run_gateway: RunGateway, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    """One gateway for the session, without an LLM."""
    async with run_gateway(tmp_path_factory.mktemp("objects")) as running:
        yield running


@pytest.fixture
async def client(gateway: RunningGateway, api_key: str) -> AsyncIterator[httpx.AsyncClient]:
    """An HTTP client with a key of `org`."""
    async with gateway.client(api_key) as http:
        yield http
