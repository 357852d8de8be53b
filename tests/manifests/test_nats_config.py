"""The committed configuration of NATS: it is the code's, and a real server takes it and keeps to it."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nats
import pytest
from nats.aio.client import Client
from tests.manifests.files import ROOT

from skillnet_bootstrap.provision import prepare_bus
from skillnet_cli.local.ports import free_port
from skillnet_cli.local.programs import nats_server_program
from skillnet_common.contracts import subjects
from skillnet_common.messaging.permissions import service_users
from skillnet_common.messaging.server_config import STORE_FOLDER, password_variable, render

CONFIG = ROOT / "deploy/nats/nats.conf"
USERS = [user.name for user in service_users()]
# What the server would take for a number, a size or a comment if it were not quoted.
AWKWARD = {"parser": "0123456789", "chunker": "12k", "embedder": "a # b", "notifier": "{x: [1]}"}


@dataclass(frozen=True)
class Server:
    port: int
    passwords: dict[str, str]

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    async def connect(self, user: str) -> tuple[Client, list[str]]:
        refusals: list[str] = []

        async def note(error: Exception) -> None:
            refusals.append(str(error))

        client = await nats.connect(
            self.url,
            user=user,
            password=self.passwords[user],
            inbox_prefix=f"_INBOX_{user}",
            allow_reconnect=False,
            error_cb=note,
        )
        return client, refusals


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The committed file as it is, but for ports and folder; passwords in quotes, as the compose file gives them."""
    folder: Path = tmp_path_factory.mktemp("nats")
    config = folder / "nats.conf"
    config.write_text(CONFIG.read_text(encoding="utf-8").replace(STORE_FOLDER, str(folder / "jetstream")))
    port = free_port()
    passwords = {user: AWKWARD.get(user, f"of {user}") for user in USERS}
    with subprocess.Popen(
        [
            str(nats_server_program()),
            *("-c", str(config), "-a", "127.0.0.1", "-p", str(port), "-m", str(free_port())),
        ],
        env={"PATH": os.environ["PATH"], **{password_variable(user): f"'{passwords[user]}'" for user in USERS}},
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            wait_until_it_listens(port)
            yield Server(port, passwords)
        finally:
            process.terminate()


def wait_until_it_listens(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=20).close()
        except ConnectionRefusedError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("nats-server does not listen")


async def answer_to(server: Server, user: str, password: str) -> bytes:
    """The server's first word to somebody who names himself."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    await reader.readline()  # INFO
    options = json.dumps({"user": user, "pass": password, "verbose": False})
    writer.write(f"CONNECT {options}\r\nPING\r\n".encode())
    answer = await asyncio.wait_for(reader.readline(), timeout=20)
    writer.close()
    await writer.wait_closed()
    return answer.strip()


def test_the_committed_file_is_what_the_code_says() -> None:
    assert CONFIG.read_text(encoding="utf-8") == render()


def test_a_password_that_is_not_set_keeps_the_server_from_starting() -> None:
    run = subprocess.run(
        [str(nats_server_program()), "-t", "-c", str(CONFIG)], env={}, capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    assert "NATS_ADMIN_PASSWORD" in run.stderr


@pytest.mark.parametrize("user", USERS)
async def test_a_user_gets_in_with_its_own_password_and_with_no_other(server: Server, user: str) -> None:
    assert await answer_to(server, user, server.passwords[user]) == b"PONG"
    assert await answer_to(server, user, "another") == b"-ERR 'Authorization Violation'"
    assert await answer_to(server, user, f"${password_variable(user)}") == b"-ERR 'Authorization Violation'"


async def test_work_goes_from_the_dispatcher_to_the_parser_and_nobody_else_sends_it(server: Server) -> None:
    admin = {"NATS_URL": server.url, "NATS_USER": "admin", "NATS_PASSWORD": server.passwords["admin"]}
    await prepare_bus(admin, ["model"])
    dispatcher, dispatcher_refusals = await server.connect("dispatcher")
    await dispatcher.jetstream().publish("document.uploaded.org", b"work", stream=subjects.WORK_STREAM)
    parser, parser_refusals = await server.connect("parser")
    subscription = await parser.jetstream().pull_subscribe_bind("parser", subjects.WORK_STREAM)
    (message,) = await subscription.fetch(1, timeout=20)
    await message.ack_sync()
    assert (message.data, dispatcher_refusals, parser_refusals) == (b"work", [], [])

    for subject in ("document.updated.org.document", "document.uploaded.org", "$JS.API.STREAM.DELETE.DOCUMENT_WORK"):
        await parser.publish(subject, b"")
    await parser.flush()
    for _ in range(100):
        if len(parser_refusals) == 3:
            break
        await asyncio.sleep(0.02)
    assert [refusal.lower().count("permissions violation") for refusal in parser_refusals] == [1, 1, 1]
    await parser.close()
    await dispatcher.close()
