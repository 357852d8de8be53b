"""Messages that nobody could read, as an administrator of the bus handles them."""

from __future__ import annotations

import asyncio
import socket
import stat
import struct
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
from nats.aio.msg import Msg
from tests.integration.messaging.conftest import add_queue, left_in

from skillnet_cli import bus_quarantine as bus_quarantine_module
from skillnet_cli.bus import admin_access
from skillnet_cli.bus_quarantine import BusQuarantine, UnreadableMessage, open_bus_quarantine
from skillnet_cli.commands.dlq_bus import body_text
from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging import worker as worker_module
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.quarantine import Unreadable
from skillnet_common.messaging.topology import MAX_MESSAGE_BYTES
from skillnet_common.messaging.worker import PullWorker


def access_of(server: EmbeddedNats, user: str) -> Mapping[str, str]:
    return {"NATS_URL": server.url, "NATS_USER": user, "NATS_PASSWORD": server.users[user].password}


@pytest.fixture
async def letters(
    admin: Bus, nats_server: EmbeddedNats, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[BusQuarantine]:
    """An empty quarantine."""
    monkeypatch.setattr(worker_module, "_FETCH_SECONDS", 0.1)  # a stop waits for the fetch under way
    await admin.jetstream.purge_stream(subjects.QUARANTINE_STREAM)
    async with open_bus_quarantine(access_of(nats_server, "admin")) as quarantine:
        yield quarantine
    await admin.jetstream.purge_stream(subjects.QUARANTINE_STREAM)


async def put_aside(bus: Bus, body: bytes, headers: dict[str, str] | None = None) -> tuple[str, str]:
    """A message that no worker can read; its stream and subject."""
    stream, subject = await add_queue(bus)

    async def handler(_: Msg) -> None:
        raise Unreadable("it is garbage")

    worker = PullWorker(bus.jetstream, stream=stream, durable="worker", handler=handler, slots=1)
    task = asyncio.create_task(worker.run())
    await bus.jetstream.publish(subject, body, headers=headers)
    async with asyncio.timeout(30):
        while await left_in(bus, stream):  # noqa: ASYNC110 - the server's state
            await asyncio.sleep(0.02)
    worker.stop()
    await asyncio.wait_for(task, 10)
    return stream, subject


async def held(quarantine: BusQuarantine) -> list[UnreadableMessage]:
    return [message async for message in quarantine.messages()]


async def test_a_message_is_listed_as_it_was_sent(admin: Bus, letters: BusQuarantine) -> None:
    assert await held(letters) == []
    headers = {"ce-id": "7", "Nats-Msg-Id": "m1"}
    stream, subject = await put_aside(admin, b"\xff\x00", headers)
    await put_aside(admin, "año".encode())
    first, second = await held(letters)
    assert (first.stream, first.subject, first.original_sequence) == (stream, subject, 1)
    assert (first.reason, first.body, first.headers) == ("it is garbage", b"\xff\x00", {"ce-id": "7"})
    assert [body_text(message.body) for message in (first, second)] == ["ff 00", "año"]
    assert await letters.message(first.sequence) == first


async def test_a_replay_sends_it_once_and_takes_it_out(admin: Bus, letters: BusQuarantine) -> None:
    stream, subject = await put_aside(admin, b"body", {"ce-id": "7"})
    (message,) = await held(letters)
    await letters.replay(message.sequence)
    assert await left_in(admin, stream) == 1
    sent = await admin.jetstream.get_msg(stream, 2)
    assert (sent.subject, sent.data, (sent.headers or {})["ce-id"]) == (subject, b"body", "7")
    assert await held(letters) == []
    with pytest.raises(SkillnetError) as gone:
        await letters.replay(message.sequence)
    assert gone.value.code == ErrorCode.NOT_FOUND
    assert await left_in(admin, stream) == 1


async def test_a_replay_cut_off_before_it_took_the_message_out_sends_no_second_one(
    admin: Bus, letters: BusQuarantine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, _ = await put_aside(admin, b"body")
    (message,) = await held(letters)

    async def cut_off(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(BusQuarantine, "drop", cut_off)
        with pytest.raises(ConnectionError):
            await letters.replay(message.sequence)
    await letters.replay(message.sequence)
    assert await left_in(admin, stream) == 1
    assert await held(letters) == []


async def test_what_was_not_kept_whole_is_only_dropped(admin: Bus, letters: BusQuarantine) -> None:
    await put_aside(admin, b"x" * (MAX_MESSAGE_BYTES - 500))
    (message,) = await held(letters)
    with pytest.raises(SkillnetError) as refused:
        await letters.replay(message.sequence)
    assert refused.value.code == ErrorCode.INVALID_REQUEST
    await letters.drop(message.sequence)
    assert await held(letters) == []
    for act in (letters.drop, letters.message):
        with pytest.raises(SkillnetError) as gone:
            await act(message.sequence)
        assert gone.value.code == ErrorCode.NOT_FOUND


async def test_gaps_are_stepped_over(admin: Bus, letters: BusQuarantine) -> None:
    for number in range(4):
        await put_aside(admin, str(number).encode())
    first, second, _, _ = await held(letters)
    await letters.drop(second.sequence)
    await letters.drop(first.sequence)
    assert [message.body for message in await held(letters)] == [b"2", b"3"]


@pytest.mark.parametrize("user", ["subscriber", "gateway", "dispatcher"])
async def test_no_other_user_reaches_it(
    nats_server: EmbeddedNats, letters: BusQuarantine, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus_quarantine_module, "_SECONDS", 0.3)
    with pytest.raises(SkillnetError) as refused:
        async with open_bus_quarantine(access_of(nats_server, user)) as quarantine:
            await held(quarantine)
    assert (refused.value.code, "NATS_USER" in refused.value.message) == (ErrorCode.UNAVAILABLE, True)


async def test_a_wrong_password_and_a_dead_server_say_so(nats_server: EmbeddedNats) -> None:
    wrong = {**access_of(nats_server, "admin"), "NATS_PASSWORD": "no"}
    for access, word in ((wrong, "Authorization"), ({"NATS_URL": "nats://127.0.0.1:1"}, "reached")):
        with pytest.raises(SkillnetError) as refused:
            async with open_bus_quarantine(access):
                raise AssertionError("connected")
        assert refused.value.code == ErrorCode.UNAVAILABLE
        assert word.casefold() in refused.value.message.casefold()


async def test_a_refusal_that_a_reset_swallowed_is_asked_for_again() -> None:
    """A server closes the connection of a user that it refuses, often while the client is still writing."""
    connections = 0

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        writer.write(b'INFO {"server_id": "x", "version": "2.12.0", "max_payload": 1048576}\r\n')
        await writer.drain()
        if connections > 2:
            for _ in ("CONNECT", "PING"):
                await reader.readline()
            writer.write(b"-ERR 'Authorization Violation'\r\n")
            await writer.drain()
        else:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(SkillnetError, match=r"(?i)authorization"):
            async with open_bus_quarantine({"NATS_URL": f"nats://127.0.0.1:{port}"}):
                raise AssertionError("connected")
    assert connections == 3


def test_a_server_of_ones_own_is_reached_with_ones_own_user(tmp_path: Path) -> None:
    given = {"NATS_URL": "nats://elsewhere", "NATS_USER": "boss", "NATS_PASSWORD": "p"}
    assert admin_access(tmp_path, given) == given


def test_the_embedded_servers_passwords_are_its_owners_alone(nats_server: EmbeddedNats) -> None:
    assert stat.S_IMODE((nats_server.folder / "passwords.json").stat().st_mode) == 0o600
