"""A connection that is closed for good ends the process; any other trouble is waited out."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest
from tests.integration.messaging.conftest import settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.temporary import temporary_folder
from skillnet_common.errors import PassingFault
from skillnet_common.messaging.connection import EX_SOFTWARE, Bus
from skillnet_common.messaging.permissions import service_users
from skillnet_common.settings import CommonSettings

# A process with a pull loop under way, which the client leaves spinning when its connection is closed.
_PROGRAM = """
import asyncio, sys
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.worker import PullWorker
from skillnet_common.settings import CommonSettings

async def main(url, how):
    bus = await Bus.connect(CommonSettings(nats_url=url, nats_user="admin"), "victim")
    async def handler(message): pass
    worker = PullWorker(bus.jetstream, stream="DOCUMENT_WORK", durable="parser", handler=handler, slots=2)
    task = asyncio.create_task(worker.run())
    await asyncio.sleep(0.3)
    if how == "closed":
        await bus.client.close()
    elif how == "oversized":
        try:
            await bus.jetstream.publish("document.parsed.x", b"x" * (1 << 20), headers={"a": "b" * 200})
        except Exception:
            pass
    else:
        worker.stop()
        await task
        await bus.close()
        return
    await asyncio.sleep(20)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize(("how", "code"), [("closed", EX_SOFTWARE), ("oversized", EX_SOFTWARE), ("properly", 0)])
async def test_a_closed_connection_ends_the_process(
    nats_server: EmbeddedNats, topology: list[str], how: str, code: int
) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _PROGRAM, nats_server.url_for("admin"), how, stderr=subprocess.DEVNULL
    )
    try:
        assert await asyncio.wait_for(process.wait(), timeout=15) == code
    finally:
        if process.returncode is None:
            process.kill()


async def test_it_waits_for_a_server_that_starts_late() -> None:
    with temporary_folder("skillnet-nats") as folder:
        server = EmbeddedNats(folder, {user.name: user for user in service_users()})
        server.start()
        settings = settings_for(server, "gateway")
        server.stop()
        connecting = asyncio.create_task(Bus.connect(settings, "early", patience=10))
        await asyncio.sleep(0.6)
        assert not connecting.done()
        await asyncio.to_thread(server.start)
        try:
            bus = await connecting
            assert bus.client.is_connected
            await bus.close()
        finally:
            await asyncio.to_thread(server.stop)


async def test_it_gives_up_in_time_and_keeps_the_password_to_itself() -> None:
    settings = CommonSettings(nats_url="nats://gateway:s3cret@127.0.0.1:9", nats_user="gateway")
    started = time.monotonic()
    with pytest.raises(PassingFault, match=r"NATS cannot be reached at 127\.0\.0\.1:9") as raised:
        await Bus.connect(settings, "lonely", patience=0.7)
    assert time.monotonic() - started < 20
    assert "s3cret" not in str(raised.value)


async def test_a_wrong_password_is_said_to_be_one(nats_server: EmbeddedNats) -> None:
    url = nats_server.url.replace("nats://", "nats://gateway:wrong@")
    with pytest.raises(PassingFault, match=r"(?i)authorization"):
        await Bus.connect(CommonSettings(nats_url=url, nats_user="gateway"), "stranger", patience=4)


async def test_the_event_loop_breathes_and_the_connection_returns_after_kill_9(mortal_nats: EmbeddedNats) -> None:
    bus = await Bus.connect(settings_for(mortal_nats, "admin"), "patient")
    await asyncio.to_thread(mortal_nats.kill)
    ticks = 0
    while ticks < 50:
        await asyncio.sleep(0.01)
        ticks += 1
    await asyncio.to_thread(mortal_nats.start)
    for _ in range(400):
        if bus.client.is_connected:
            break
        await asyncio.sleep(0.05)
    await bus.client.flush(timeout=20)
    await bus.close()
