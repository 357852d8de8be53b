"""The LLM's client against real HTTP endpoints that hang, break off, refuse, garble, and count or do not."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault, SkillnetError
from skillnet_gateway.llm import ChatModel
from skillnet_gateway.llm_protocol import MAX_ANSWER_CHARS, Tally
from skillnet_gateway.prompts import ChatMessage
from skillnet_gateway.settings import GatewaySettings

PROMPT = [ChatMessage("system", "r" * 30), ChatMessage("user", "u" * 10)]
PROMPT_ESTIMATE = 10
USAGE = {"prompt_tokens": 123, "completion_tokens": 45, "total_tokens": 168}

Reply = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Endpoint:
    """A server that speaks raw HTTP by a script, one connection a request."""

    url: str = ""
    script: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(next(line for line in head.lower().splitlines() if b"content-length" in line).split()[1])
            self.requests.append(json.loads(await reader.readexactly(length)))
            self.times.append(time.monotonic())
            await self.script.pop(0)(writer)
            await writer.drain()
            if not writer.is_closing() and await reader.read(1) == b"":
                self.hung_up.set()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.hung_up.set()
        finally:
            writer.close()


@asynccontextmanager
async def serving() -> AsyncIterator[Endpoint]:
    endpoint = Endpoint()
    server = await asyncio.start_server(endpoint.serve, "127.0.0.1", 0)
    endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server:
        yield endpoint


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    async with serving() as running:
        yield running


def status(code: int, body: str = "{}", **headers: str) -> Reply:
    async def reply(writer: asyncio.StreamWriter) -> None:
        lines = [f"HTTP/1.1 {code} X", f"Content-Length: {len(body.encode())}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n" + body).encode())

    return reply


def whole(text: str, **more: Any) -> Reply:
    return status(200, json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}))


def chunk(text: str | None = None, *, finish: str | None = None, **more: Any) -> str:
    delta = {} if text is None else {"content": text}
    return f"data: {json.dumps({'choices': [{'delta': delta, 'finish_reason': finish}], **more})}\n\n"


DONE = "data: [DONE]\n\n"
COUNTED = f"data: {json.dumps({'choices': [], 'usage': USAGE})}\n\n"


def streamed(*parts: str | float, ends: bool = True) -> Reply:
    """Parts of a stream, with pauses between; without `ends` the connection is cut in its midst."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for part in parts:
            if isinstance(part, float):
                await writer.drain()
                await asyncio.sleep(part)
            else:
                data = part.encode()
                writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        if ends:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        if not ends:
            writer.close()

    return reply


async def hang(_: asyncio.StreamWriter) -> None:
    """Says nothing, until the client hangs up."""


@asynccontextmanager
async def model(endpoint: Endpoint, **settings: Any) -> AsyncIterator[ChatModel]:
    given = {"llm_first_token_seconds": 5, "llm_timeout_seconds": 10, **settings}
    chat = ChatModel(GatewaySettings(llm_api_base=endpoint.url, llm_model="m", **given))
    try:
        yield chat
    finally:
        await chat.close()


async def pieces(chat: ChatModel, tally: Tally | None = None) -> list[str]:
    async with chat.stream(PROMPT, tally or Tally(PROMPT)) as stream:
        return [piece async for piece in stream]


async def fault_of(chat: ChatModel, *, stream: bool) -> SkillnetError:
    with pytest.raises(SkillnetError) as caught:
        await (pieces(chat) if stream else chat.complete(PROMPT, Tally(PROMPT)))
    return caught.value


BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@BOTH
async def test_a_permanent_refusal_is_not_repeated(endpoint: Endpoint, stream: bool) -> None:
    for code in (400, 401, 403, 404, 422, 501):
        endpoint.script, endpoint.requests = [status(code, '{"error": "secreto"}')], []
        async with model(endpoint) as chat:
            fault = await fault_of(chat, stream=stream)
        assert isinstance(fault, PermanentFault)
        assert (fault.code, fault.details["status"]) == (ErrorCode.PROVIDER_REFUSED, code)
        assert "secreto" not in fault.message
        assert len(endpoint.requests) == 1


@BOTH
async def test_passing_failures_are_repeated_and_then_told(endpoint: Endpoint, stream: bool) -> None:
    good = streamed(chunk("sí"), DONE) if stream else whole("sí")
    for code in (408, 429, 500, 502, 503, 504):
        endpoint.script, endpoint.requests = [status(code, Retry_After="0"), status(code, Retry_After="0"), good], []
        async with model(endpoint) as chat:
            answer = "".join(await pieces(chat)) if stream else await chat.complete(PROMPT, Tally(PROMPT))
        assert (answer, len(endpoint.requests)) == ("sí", 3)
    endpoint.script, endpoint.requests = [status(503, Retry_After="0")] * 3, []
    async with model(endpoint) as chat:
        fault = await fault_of(chat, stream=stream)
    assert isinstance(fault, PassingFault)
    assert (fault.code, len(endpoint.requests)) == (ErrorCode.PROVIDER_FAILED, 3)


@BOTH
async def test_the_pause_that_is_asked_for_is_kept(endpoint: Endpoint, stream: bool) -> None:
    good = streamed(chunk("sí"), DONE) if stream else whole("sí")
    endpoint.script = [status(429, Retry_After="1"), good]
    async with model(endpoint) as chat:
        await (pieces(chat) if stream else chat.complete(PROMPT, Tally(PROMPT)))
    assert endpoint.times[1] - endpoint.times[0] >= 1


async def test_a_pause_that_is_too_long_is_not_waited_for(endpoint: Endpoint) -> None:
    for pause in ("3600", format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)):
        endpoint.script, endpoint.requests = [status(429, Retry_After=pause)], []
        async with model(endpoint) as chat:
            fault = await fault_of(chat, stream=True)
        assert (fault.code, len(endpoint.requests)) == (ErrorCode.PROVIDER_FAILED, 1)


async def test_an_endpoint_that_hangs_before_the_first_token(endpoint: Endpoint) -> None:
    for reply in (hang, streamed(chunk(), 30.0)):
        endpoint.script, endpoint.requests = [reply], []
        endpoint.hung_up.clear()
        started = time.monotonic()
        async with model(endpoint, llm_first_token_seconds=0.2) as chat:
            fault = await fault_of(chat, stream=True)
        assert (fault.code, len(endpoint.requests)) == (ErrorCode.PROVIDER_TIMEOUT, 1)
        assert time.monotonic() - started < 20


@BOTH
async def test_an_endpoint_that_never_ends(endpoint: Endpoint, stream: bool) -> None:
    endpoint.script = [streamed(chunk("El"), 30.0) if stream else hang]
    async with model(endpoint, llm_timeout_seconds=0.3) as chat:
        assert (await fault_of(chat, stream=stream)).code is ErrorCode.PROVIDER_TIMEOUT
    async with asyncio.timeout(30):
        if not stream:
            await endpoint.hung_up.wait()


async def test_nothing_is_repeated_once_a_piece_is_out(endpoint: Endpoint) -> None:
    endpoint.script = [streamed(chunk("El plazo"), ends=False)]
    async with model(endpoint) as chat, chat.stream(PROMPT, Tally(PROMPT)) as stream:
        assert await anext(stream) == "El plazo"
        with pytest.raises(PassingFault) as caught:
            await anext(stream)
    assert (caught.value.code, len(endpoint.requests)) == (ErrorCode.PROVIDER_FAILED, 1)


async def test_a_connection_cut_before_the_first_piece_is_tried_again(endpoint: Endpoint) -> None:
    endpoint.script = [streamed(chunk(), ends=False), streamed(chunk("sí"), DONE)]
    async with model(endpoint) as chat:
        assert await pieces(chat) == ["sí"]


async def test_a_stream_that_ends_without_its_end_is_broken_off(endpoint: Endpoint) -> None:
    endpoint.script = [streamed(chunk("El plazo"))]
    async with model(endpoint) as chat:
        assert (await fault_of(chat, stream=True)).code is ErrorCode.PROVIDER_FAILED
    endpoint.script = [streamed(chunk("Sí."), chunk(finish="stop"))]
    async with model(endpoint) as chat:
        assert await pieces(chat) == ["Sí."]


@pytest.mark.parametrize(
    "garbage",
    [
        "data: {roto\n\n",
        "data: [1]\n\n",
        'data: {"error": {"message": "no"}}\n\n',
        chunk(3),  # type: ignore[arg-type]
        DONE,
        chunk(" ") + DONE,
        "<html>",
    ],
)
async def test_garbage_in_a_stream(endpoint: Endpoint, garbage: str) -> None:
    endpoint.script = [streamed(garbage, chunk(finish="stop"), DONE)]
    async with model(endpoint) as chat:
        fault = await fault_of(chat, stream=True)
    assert (fault.code, len(endpoint.requests)) == (ErrorCode.PROVIDER_FAILED, 1)


async def test_nobody_listens() -> None:
    async with model(Endpoint("http://127.0.0.1:1/v1"), llm_attempts=2) as chat:
        assert (await fault_of(chat, stream=True)).code is ErrorCode.PROVIDER_FAILED


@BOTH
async def test_tokens_are_the_endpoints_own_where_it_says(endpoint: Endpoint, stream: bool) -> None:
    endpoint.script = [
        streamed(chunk("sí"), chunk(finish="stop"), COUNTED, DONE) if stream else whole("sí", usage=USAGE)
    ]
    tally = Tally(PROMPT)
    async with model(endpoint) as chat:
        await (pieces(chat, tally) if stream else chat.complete(PROMPT, tally))
    assert (tally.usage.prompt_tokens, tally.usage.completion_tokens, tally.usage.estimated) == (123, 45, False)
    assert endpoint.requests[0].get("stream_options") == ({"include_usage": True} if stream else None)


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        {"prompt_tokens": "3", "completion_tokens": 1},
        {"prompt_tokens": -1},
        {"prompt_tokens": 9 * 10**18, "completion_tokens": 1},
        {"prompt_tokens": 1, "completion_tokens": 1e30},
        {"prompt_tokens": 1, "completion_tokens": 10**30},
        7,
    ],
)
@BOTH
async def test_tokens_are_estimated_where_it_does_not(endpoint: Endpoint, stream: bool, usage: Any) -> None:
    text = "a" * 9
    endpoint.script = [streamed(chunk(text, usage=usage), DONE) if stream else whole(text, usage=usage)]
    tally = Tally(PROMPT)
    async with model(endpoint) as chat:
        await (pieces(chat, tally) if stream else chat.complete(PROMPT, tally))
    assert (tally.usage.prompt_tokens, tally.usage.completion_tokens) == (PROMPT_ESTIMATE, 3)
    assert tally.usage.estimated


async def test_an_endpoint_that_knows_no_stream_options_is_asked_without(endpoint: Endpoint) -> None:
    refusal = status(400, '{"error": {"message": "Unrecognized request argument: stream_options"}}')
    endpoint.script = [refusal, streamed(chunk("sí"), DONE), streamed(chunk("no"), DONE)]
    async with model(endpoint) as chat:
        assert [await pieces(chat), await pieces(chat)] == [["sí"], ["no"]]
    assert ["stream_options" in request for request in endpoint.requests] == [True, False, False]


@pytest.mark.parametrize("streams", [False, True])
async def test_an_endpoint_with_other_names_for_options_is_understood(endpoint: Endpoint, streams: bool) -> None:
    refusals = [
        status(400, '{"error": {"message": "Use \'max_completion_tokens\' instead.", "param": "max_tokens"}}'),
        status(400, '{"error": {"message": "Unsupported value", "param": "temperature"}}'),
    ]
    good = streamed(chunk("sí"), DONE) if streams else whole("sí")
    endpoint.script = [*refusals, good, good]
    async with model(endpoint, llm_max_tokens=77) as chat:
        for _ in range(2):
            await (pieces(chat) if streams else chat.complete(PROMPT, Tally(PROMPT)))
    assert len(endpoint.requests) == 4
    last = endpoint.requests[-1]
    assert (last["max_completion_tokens"], "max_tokens" in last, "temperature" in last) == (77, False, False)


async def test_a_refusal_that_goes_on_ends(endpoint: Endpoint) -> None:
    endpoint.script = [status(400, "stream_options, temperature, max_completion_tokens")] * 4
    async with model(endpoint) as chat:
        assert (await fault_of(chat, stream=True)).code is ErrorCode.PROVIDER_REFUSED
    assert len(endpoint.requests) == 4


async def test_chunks_without_text_are_passed_over(endpoint: Endpoint) -> None:
    bodies: list[dict[str, Any]] = [
        {"choices": [], "prompt_filter_results": []},
        {"choices": [{"content_filter_offsets": {}}]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"reasoning_content": "mmm"}}]},
        {"usage": USAGE},
    ]
    silent = [f"data: {json.dumps(body)}\n\n" for body in bodies]
    endpoint.script = [streamed(*silent, ": PROCESSING\n\n", chunk("sí").replace("\n", "\r\n"), *silent, DONE)]
    async with model(endpoint) as chat:
        assert await pieces(chat) == ["sí"]


async def test_an_answer_at_the_limit_of_its_length_is_known_to_be_cut(endpoint: Endpoint) -> None:
    endpoint.script = [streamed(chunk("El pla"), chunk(finish="length"), DONE)]
    tally = Tally(PROMPT)
    async with model(endpoint) as chat:
        await pieces(chat, tally)
    assert tally.was_cut


async def test_a_reader_that_leaves_hangs_up(endpoint: Endpoint) -> None:
    endpoint.script = [streamed(chunk("El"), chunk(" plazo"), 0.0)]
    async with model(endpoint) as chat, chat.stream(PROMPT, Tally(PROMPT)) as stream:
        assert await anext(stream) == "El"
    async with asyncio.timeout(30):
        await endpoint.hung_up.wait()


def endless(beginning: str) -> Reply:
    """Writes blanks for as long as somebody reads."""

    async def reply(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n" + beginning.encode())
        while True:
            writer.write(b" " * 65_536)
            await writer.drain()

    return reply


@BOTH
async def test_a_reply_that_is_too_large_is_not_held_in_memory(endpoint: Endpoint, stream: bool) -> None:
    endpoint.script = [endless("data: ")]
    async with model(endpoint) as chat:
        fault = await fault_of(chat, stream=stream)
    assert (type(fault), fault.code) == (PermanentFault, ErrorCode.PROVIDER_FAILED)
    async with asyncio.timeout(30):
        await endpoint.hung_up.wait()


@BOTH
async def test_json_that_is_nested_too_deeply_is_none(endpoint: Endpoint, stream: bool) -> None:
    deep = "[" * 200_000
    endpoint.script = [streamed(f"data: {deep}\n\n") if stream else status(200, deep)]
    async with model(endpoint) as chat:
        fault = await fault_of(chat, stream=stream)
    assert (type(fault), fault.code) == (PermanentFault, ErrorCode.PROVIDER_FAILED)


@BOTH
async def test_half_a_character_is_replaced(endpoint: Endpoint, stream: bool) -> None:
    text = "Sí\ud800, 30 😀"
    endpoint.script = [streamed(chunk(text), DONE) if stream else whole(text)]
    async with model(endpoint) as chat:
        answer = "".join(await pieces(chat)) if stream else await chat.complete(PROMPT, Tally(PROMPT))
    assert answer == "Sí\ufffd, 30 😀"


@BOTH
async def test_an_answer_without_end_is_cut(endpoint: Endpoint, stream: bool) -> None:
    text = "Son 30 días. " * 10_000
    endpoint.script = [streamed(chunk(text), chunk(text), 30.0) if stream else whole(text * 2)]
    tally = Tally(PROMPT)
    async with model(endpoint) as chat:
        answer = "".join(await pieces(chat, tally)) if stream else await chat.complete(PROMPT, tally)
    assert (answer, tally.was_cut) == ((text * 2)[:MAX_ANSWER_CHARS], True)


async def test_an_answer_that_has_ended_does_not_wait_for_the_connections_end(endpoint: Endpoint) -> None:
    for last, estimated in ((COUNTED, False), ("", True)):
        end = [last] if last else []
        endpoint.script = [streamed(chunk("Sí"), chunk(".", finish="stop"), 0.3, *end, 30.0)]
        tally = Tally(PROMPT)
        async with model(endpoint, llm_timeout_seconds=5) as chat:
            assert "".join(await pieces(chat, tally)) == "Sí."
        assert tally.usage.estimated is estimated


async def test_words_behind_an_end_that_was_told_too_early_are_read(endpoint: Endpoint) -> None:
    words = [part for word in ("uno", " dos", " tres") for part in (chunk(word, finish="stop"), 0.6)]
    endpoint.script = [streamed(*words, chunk(" y."), DONE)]
    async with model(endpoint) as chat:
        assert "".join(await pieces(chat)) == "uno dos tres y."
