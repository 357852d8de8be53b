"""Questions over the bus: every one is answered, errors too, and a rolling stop loses none."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from nats.aio.client import Client
from pydantic import BaseModel
from tests.integration.messaging.conftest import settings_for

from skillnet_cli.local.nats import EmbeddedNats
from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, PassingFault, RequestError
from skillnet_common.messaging import responder as responder_module
from skillnet_common.messaging.connection import Bus
from skillnet_common.messaging.requester import ask
from skillnet_common.messaging.responder import RequestHandler, Responder


class Question(BaseModel):
    text: str


class Answer(BaseModel):
    text: str


async def echo(body: bytes, headers: Mapping[str, str]) -> BaseModel:
    question = Question.model_validate_json(body)
    await asyncio.sleep(random.uniform(0.01, 0.15))  # noqa: S311
    return Answer(text=f"{question.text} {headers['Authorization']}")


@pytest.fixture
async def gateway(nats_server: EmbeddedNats) -> AsyncIterator[Client]:
    bus = await Bus.connect(settings_for(nats_server, "gateway"), "gateway")
    yield bus.client
    await bus.close()


@asynccontextmanager
async def answering(
    nats_server: EmbeddedNats, subject: str, handler: RequestHandler, concurrency: int = 64
) -> AsyncIterator[Responder]:
    bus = await Bus.connect(settings_for(nats_server, "retriever"), "retriever")
    responder = Responder(
        bus.client, queue=subjects.RETRIEVAL_QUEUE, handlers={subject: handler}, concurrency=concurrency
    )
    await responder.start()
    try:
        yield responder
    finally:
        await responder.stop()
        await bus.close()


@pytest.fixture
def subject() -> str:
    return f"retrieval.v1.test{uuid4().hex[:8]}"


async def put(client: Client, subject: str, text: str = "hola", timeout: float = 5) -> Answer:
    return await ask(client, subject, Question(text=text), Answer, credential="key", timeout=timeout)


async def test_the_first_request_after_the_start_is_answered(
    nats_server: EmbeddedNats, gateway: Client, subject: str
) -> None:
    async with answering(nats_server, subject, echo):
        assert (await put(gateway, subject)).text == "hola Bearer key"


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [
        (RequestError(ErrorCode.NOT_FOUND, "There is no such document."), RequestError, "not_found"),
        (PassingFault(ErrorCode.UNAVAILABLE, "The database is away."), PassingFault, "unavailable"),
        (RuntimeError("a secret detail"), PassingFault, "internal_error"),
    ],
)
async def test_errors_are_answers_with_their_code(
    nats_server: EmbeddedNats,
    gateway: Client,
    subject: str,
    fault: Exception,
    kind: type[RequestError | PassingFault],
    code: str,
) -> None:
    async def failing(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        raise fault

    async with answering(nats_server, subject, failing):
        with pytest.raises(kind) as raised:
            await put(gateway, subject, timeout=20)
    assert raised.value.code == code
    assert "secret" not in raised.value.message


async def test_a_request_of_the_wrong_form_is_refused(
    nats_server: EmbeddedNats, gateway: Client, subject: str
) -> None:
    async with answering(nats_server, subject, echo):
        for body in (b"", b"{", b'{"txt": 1}', b"\xff\xfe"):
            reply = await gateway.request(subject, body, timeout=20, headers={"Authorization": "Bearer key"})
            assert reply.headers is not None
            assert reply.headers["Skillnet-Error"] == "invalid_request"


async def test_a_reply_over_the_limit_is_an_error_and_the_connection_stays(
    nats_server: EmbeddedNats, gateway: Client, subject: str
) -> None:
    async def verbose(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        length = int(Question.model_validate_json(body).text)
        return Answer(text="x" * length)

    async with answering(nats_server, subject, verbose):
        for length in (responder_module.MAX_REPLY_BYTES, 2_000_000):
            with pytest.raises(RequestError) as raised:
                await put(gateway, subject, str(length))
            assert raised.value.code == "payload_too_large"
        largest = responder_module.MAX_REPLY_BYTES - 50
        assert len((await put(gateway, subject, str(largest))).text) == largest


async def test_nobody_listening_and_a_late_answer_are_told_apart(
    nats_server: EmbeddedNats, gateway: Client, subject: str
) -> None:
    with pytest.raises(PassingFault) as raised:
        await put(gateway, subject)
    assert raised.value.code == "unavailable"

    async def late(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        await asyncio.sleep(0.5)
        return Answer(text="too late")

    async with answering(nats_server, subject, late):
        with pytest.raises(PassingFault) as raised:
            await put(gateway, subject, timeout=0.1)
        assert raised.value.code == "timeout"


async def test_a_rolling_stop_loses_no_request(nats_server: EmbeddedNats, gateway: Client, subject: str) -> None:
    faults: list[Exception] = []
    answered = 0
    asking: set[asyncio.Task[None]] = set()
    over = asyncio.Event()

    async def one() -> None:
        nonlocal answered
        try:
            await put(gateway, subject, timeout=20)
            answered += 1
        except (PassingFault, RequestError) as fault:
            faults.append(fault)

    async def crowd() -> None:
        while not over.is_set():
            task = asyncio.create_task(one())
            asking.add(task)
            task.add_done_callback(asking.discard)
            await asyncio.sleep(0.015)

    async with answering(nats_server, subject, echo, concurrency=8):
        crowding = asyncio.create_task(crowd())
        for _ in range(4):  # one after another comes and goes, with requests waiting in its queue
            async with answering(nats_server, subject, echo, concurrency=8):
                await asyncio.sleep(0.3)
        over.set()
        await crowding
        await asyncio.gather(*asking)
    assert faults == []
    assert answered > 50


async def test_no_more_than_allowed_are_at_work_together(
    nats_server: EmbeddedNats, gateway: Client, subject: str
) -> None:
    at_work = most = 0

    async def counting(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work)
        await asyncio.sleep(0.02)
        at_work -= 1
        return Answer(text="")

    async with answering(nats_server, subject, counting, concurrency=3):
        await asyncio.gather(*(put(gateway, subject) for _ in range(20)))
    assert most == 3
