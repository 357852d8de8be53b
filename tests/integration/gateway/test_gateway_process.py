"""`python -m skillnet_gateway`: serves on a free port, and lets running uploads end at SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
from tests.conftest import DatabaseUrls

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.database import Database


async def port_of(process: asyncio.subprocess.Process) -> int:
    assert process.stderr is not None
    async with asyncio.timeout(30):
        async for line in process.stderr:
            entry = json.loads(line)
            if entry["event"] == "serving":
                return int(entry["port"])
    raise AssertionError("the gateway ended before it served")


async def test_a_running_upload_ends_before_the_process_does(
    database: Database, database_urls: DatabaseUrls, nats_server: EmbeddedNats, tmp_path: Path, api_key: str
) -> None:
    user = nats_server.users["gateway"]
    environment = {
        **os.environ,
        "DATABASE_URL": database_urls.service,
        "NATS_URL": nats_server.url,
        "NATS_USER": user.name,
        "NATS_PASSWORD": user.password,
        "OBJECT_STORE_URL": tmp_path.as_uri(),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "skillnet_gateway", env=environment, stderr=asyncio.subprocess.PIPE
    )
    try:
        url = f"http://127.0.0.1:{await port_of(process)}"
        half_sent = asyncio.Event()

        async def body() -> AsyncIterator[bytes]:
            yield b"uno"
            half_sent.set()
            await asyncio.sleep(0.5)
            yield b"dos"

        async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {api_key}"}) as http:
            assert (await http.get("/readyz")).status_code == 200
            sending = asyncio.create_task(http.post("/v1/documents?filename=a.md", content=body()))
            await half_sent.wait()
            await asyncio.sleep(0.1)
            process.send_signal(signal.SIGTERM)
            assert (await sending).status_code == 201
        _, errors = await asyncio.wait_for(process.communicate(), 20)
        assert process.returncode == 0, errors.decode()
        assert json.loads(errors.splitlines()[-1])["event"] == "stopped"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
