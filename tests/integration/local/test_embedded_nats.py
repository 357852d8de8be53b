"""nats-server from its wheel: kept messages, enforced permissions, awkward paths."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nats
import nats.errors
import psutil
import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from skillnet_cli.local import ports
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_cli.local.ports import HOST
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.users import NatsUser

RunScript = Callable[..., subprocess.CompletedProcess[str]]

USERS = {
    "admin": NatsUser("admin", publish=(">",), subscribe=(">",)),
    "asker": NatsUser("asker", publish=("question.>",), subscribe=("_INBOX.>",)),
    "answerer": NatsUser("answerer", subscribe=("question.>",), allow_responses=True),
    "mute": NatsUser("mute", password='quoted " \\ ñ $PATH'),
}


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedNats]:
    with EmbeddedNats(folder / "cola", USERS) as server:
        yield server


Errors = asyncio.Queue[str]


async def connect(url: str, errors: Errors, **credentials: str) -> Client:
    async def keep(error: Exception) -> None:
        await errors.put(str(error))

    return await nats.connect(url, error_cb=keep, allow_reconnect=False, **credentials)


async def take(errors: Errors, count: int) -> list[str]:
    async with asyncio.timeout(30):
        return sorted([await errors.get() for _ in range(count)])


async def test_messages_survive_a_stop_and_kill_9(server: EmbeddedNats) -> None:
    client = await connect(server.url_for("admin"), Errors())
    await client.jetstream().add_stream(name="KEPT", subjects=["kept"])
    for number in range(100):
        await client.jetstream().publish("kept", str(number).encode())
    await client.close()
    url = server.url_for("admin")
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    server.restart()
    assert await _stored(url) == 100
    server.stop()
    server.start()
    assert server.url_for("admin") == url
    assert await _stored(url) == 100


async def _stored(url: str) -> int:
    client = await connect(url, Errors())
    try:
        return (await client.jetstream().stream_info("KEPT")).state.messages
    finally:
        await client.close()


async def ask_until_heard(asker: Client, subject: str) -> Msg:
    """A subscription reaches the other connections a moment after its own connection's flush."""
    async with asyncio.timeout(30):
        while True:
            try:
                return await asker.request(subject, b"?", timeout=20)
            except nats.errors.NoRespondersError:
                await asyncio.sleep(0.01)


async def test_permissions_are_enforced(server: EmbeddedNats) -> None:
    errors = Errors()
    asker = await connect(server.url_for("asker"), errors)
    answerer = await connect(server.url_for("answerer"), errors)
    try:
        received = asyncio.Event()

        async def answer(message: Msg) -> None:
            received.set()
            await message.respond(b"42")

        await answerer.subscribe("question.>", cb=answer)
        await answerer.flush()
        reply = await ask_until_heard(asker, "question.life")
        assert reply.data == b"42"
        assert received.is_set()
        assert errors.empty()

        await asker.publish("document.updated.org", b"forged")
        await asker.subscribe("question.>")
        await answerer.publish("question.other", b"forged")
        assert await take(errors, 3) == [
            'nats: permissions violation for publish to "document.updated.org"',
            'nats: permissions violation for publish to "question.other"',
            'nats: permissions violation for subscription to "question.>"',
        ]
    finally:
        await asker.close()
        await answerer.close()


async def test_a_user_without_subjects_may_do_nothing(server: EmbeddedNats) -> None:
    errors = Errors()
    client = await connect(server.url, errors, user="mute", password=USERS["mute"].password)
    try:
        await client.publish("anything", b"")
        await client.subscribe(">")
        assert await take(errors, 2) == [
            'nats: permissions violation for publish to "anything"',
            'nats: permissions violation for subscription to ">"',
        ]
    finally:
        await client.close()


@pytest.mark.parametrize("credentials", [{}, {"user": "asker", "pass": "wrong"}, {"user": "nobody", "pass": "x"}])
def test_strangers_are_refused(server: EmbeddedNats, credentials: dict[str, str]) -> None:
    with socket.create_connection((HOST, server.ports["client"]), timeout=5) as connection:
        lines = connection.makefile("rb")
        assert lines.readline().startswith(b"INFO")
        connection.sendall(b"CONNECT " + json.dumps({"verbose": True, **credentials}).encode() + b"\r\n")
        assert b"Authorization Violation" in lines.readline()
        lines.close()


def test_generated_passwords_are_private_and_kept(server: EmbeddedNats) -> None:
    generated = {name: user.password for name, user in server.users.items()}
    assert all(generated.values())
    assert generated["mute"] == USERS["mute"].password
    for name in ("passwords.json", "nats.conf"):
        assert stat.S_IMODE((server.folder / name).stat().st_mode) == 0o600
    server.stop()
    more = {**USERS, "new": NatsUser("new", publish=("x",))}
    with EmbeddedNats(server.folder, more) as again:
        assert {name: again.users[name].password for name in generated} == generated
        assert again.users["new"].password not in generated.values()
    assert "password" not in repr(again.users["new"])


def test_a_second_server_never_shares_the_store(server: EmbeddedNats) -> None:
    with pytest.raises(SkillnetError, match="nats-server already runs") as caught:
        EmbeddedNats(server.folder, USERS).start()
    assert caught.value.code == ErrorCode.ALREADY_RUNNING
    assert server.alive


def test_waits_for_the_server_of_a_killed_owner(folder: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from skillnet_cli.local.nats import EmbeddedNats\n"
        "server = EmbeddedNats(Path(sys.argv[1]))\n"
        "server.start(); print(server.pid, flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(folder / "orphan")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    with EmbeddedNats(folder / "orphan") as server:
        assert server.pid != pid
        assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_survives_a_lost_race_for_either_port(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free_port = ports.free_port
    with socket.create_server((HOST, 0)) as listener:
        taken = listener.getsockname()[1]
        for lost_call in (0, 1):
            calls = iter(range(100))

            def race(preferred: int | None = None, lost_call: int = lost_call, calls: Iterator[int] = calls) -> int:
                return taken if next(calls) == lost_call else free_port(preferred)

            monkeypatch.setattr("skillnet_cli.local.server.free_port", race)
            with EmbeddedNats(folder / str(lost_call)) as server:
                assert taken not in server.ports.values()


def test_a_monitoring_port_of_another_server_is_not_taken_for_ready(
    server: EmbeddedNats, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free_port = ports.free_port
    taken = server.ports["monitoring"]
    chosen = iter([free_port(), taken])
    monkeypatch.setattr(
        "skillnet_cli.local.server.free_port",
        lambda preferred=None: next(chosen, None) or free_port(preferred),
    )
    with EmbeddedNats(folder / "other") as other:
        assert other.ports["monitoring"] != taken


def test_a_broken_configuration_shows_the_end_of_the_log(folder: Path) -> None:
    users = {"bad": NatsUser("bad", publish=("a..b",))}
    with pytest.raises(SkillnetError, match=r'subject "a\.\.b" is not a valid subject') as caught:
        EmbeddedNats(folder / "bad", users).start()
    assert caught.value.code == ErrorCode.START_FAILED


def test_runs_as_an_ordinary_user(run_as_ordinary_user: RunScript) -> None:
    script = (
        "import json, os, tempfile; from pathlib import Path\n"
        "from skillnet_cli.local.nats import EmbeddedNats\n"
        "with tempfile.TemporaryDirectory(prefix='ñ ') as folder, EmbeddedNats(Path(folder) / 'n') as server:\n"
        "    print(json.dumps([os.geteuid(), server.pid]))\n"
    )
    done = run_as_ordinary_user(script)
    assert done.returncode == 0, done.stderr
    user, pid = json.loads(done.stdout)
    assert user != 0
    assert pid
