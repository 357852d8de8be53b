"""An LLM behind any OpenAI-compatible API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus

import httpx
import stamina
import structlog

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_common.retry_after import retry_after_seconds
from skillnet_gateway.llm_dialect import Dialect
from skillnet_gateway.llm_protocol import Tally, answer_of, payload_of, pieces_of
from skillnet_gateway.prompts import ChatMessage
from skillnet_gateway.settings import GatewaySettings

log = structlog.get_logger(__name__)

LONGEST_WAIT = 10.0
"""Seconds. An endpoint that asks for a longer pause is not waited for: the asker gets the documents' sentences."""

_FIRST_WAIT = 0.2
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
_PERMANENT = {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}
_REFUSED_OPTION = {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}
_ERROR_BYTES = 4_096
_REPLY_BYTES = 4 * 1024 * 1024
"""The most of a whole reply, or of one line of a stream, that is held in memory."""


class ChatModel:
    """Asks one model.

    Raises PassingFault `provider_failed` (429, 5xx, lost connections: tried again first, as long as nothing of the
    answer has been handed on) or `provider_timeout`, PermanentFault `provider_refused` (other 4xx) or
    `provider_failed` (replies of another form), which are not. Details carry the HTTP status, never the reply.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self.name = settings.llm_model
        self._attempts = settings.llm_attempts
        self._max_tokens = settings.llm_max_tokens
        self._seconds = settings.llm_timeout_seconds
        self._first_token_seconds = settings.llm_first_token_seconds
        self._dialect = Dialect()
        key = settings.llm_api_key.get_secret_value()
        self._http = httpx.AsyncClient(
            base_url=settings.llm_api_base.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            # How long an answer may take is watched below: a read of httpx is one piece, not an answer.
            timeout=httpx.Timeout(settings.llm_timeout_seconds, connect=settings.llm_connect_seconds),
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def complete(self, messages: Sequence[ChatMessage], tally: Tally, *, seconds: float | None = None) -> str:
        """The whole answer, in `seconds` at most (by default as long as the settings allow)."""
        deadline = asyncio.get_running_loop().time() + (self._seconds if seconds is None else seconds)
        async for attempt in self._attempts_until(deadline):
            with attempt:
                async with _within(deadline):
                    response = await self._send(messages, stream=False)
                    try:
                        body = await _whole(response)
                    finally:
                        await response.aclose()
        return answer_of(body, tally)

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], tally: Tally) -> AsyncIterator[AsyncIterator[str]]:
        """The answer in pieces, as they come; leaving the context hangs up."""
        deadline = asyncio.get_running_loop().time() + self._seconds
        async for attempt in self._attempts_until(deadline):
            with attempt:
                response, first, pieces = await self._open(messages, tally, deadline)
        try:
            yield _until(deadline, first, pieces)
        finally:
            await response.aclose()

    async def _open(
        self, messages: Sequence[ChatMessage], tally: Tally, deadline: float
    ) -> tuple[httpx.Response, str, AsyncIterator[str]]:
        """A reply whose first piece is here."""
        first_token = min(deadline, asyncio.get_running_loop().time() + self._first_token_seconds)
        async with _within(first_token):
            response = await self._send(messages, stream=True)
            try:
                pieces = pieces_of(_lines(response), tally)
                first = await anext(pieces)
            except BaseException:
                await response.aclose()
                raise
        return response, first, pieces

    async def _send(self, messages: Sequence[ChatMessage], *, stream: bool) -> httpx.Response:
        """A reply with a status of success; its body is yet to be read."""
        while True:
            options = self._dialect.options(max_tokens=self._max_tokens, stream=stream)
            payload = payload_of(self.name, messages, options)
            request = self._http.build_request("POST", "chat/completions", json=payload)
            response = await self._http.send(request, stream=True)
            if response.is_success:
                return response
            try:
                understood = await self._understand_refusal(response)
            finally:
                await response.aclose()
            if not understood:
                raise _status_fault(response)

    async def _understand_refusal(self, response: httpx.Response) -> bool:
        """Learns from a refusal that names an option of the request: it may be sent again without it."""
        if response.status_code not in _REFUSED_OPTION:
            return False
        dialect = self._dialect.after_refusal(await _beginning(response))
        if dialect is None:
            return False
        log.info("llm_dialect_learnt", status=response.status_code, dialect=str(dialect))
        self._dialect = dialect
        return True

    def _attempts_until(self, deadline: float) -> AsyncIterator[stamina.Attempt]:
        def pause_before_retry(error: Exception) -> bool | float:
            if not isinstance(error, PassingFault) or error.code is not ErrorCode.PROVIDER_FAILED:
                return False
            asked = error.details.get("retry_after")
            if not isinstance(asked, float):
                return True
            left = deadline - asyncio.get_running_loop().time()
            return asked if asked <= min(LONGEST_WAIT, left) else False

        return stamina.retry_context(
            on=pause_before_retry, attempts=self._attempts, timeout=self._seconds, wait_initial=_FIRST_WAIT
        ).__aiter__()


@asynccontextmanager
async def _within(deadline: float) -> AsyncIterator[None]:
    """A limit of time, and faults with codes for what httpx and the limit raise."""
    try:
        async with asyncio.timeout_at(deadline):
            yield
    except httpx.ConnectTimeout as error:
        raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model cannot be reached in time.") from error
    except (httpx.TimeoutException, TimeoutError) as error:
        raise PassingFault(ErrorCode.PROVIDER_TIMEOUT, "The language model did not answer in time.") from error
    except httpx.HTTPError as error:
        raise PassingFault(
            ErrorCode.PROVIDER_FAILED, f"The language model cannot be reached: {type(error).__name__}."
        ) from error


async def _until(deadline: float, first: str, pieces: AsyncIterator[str]) -> AsyncIterator[str]:
    piece: str | None = first
    while piece is not None:
        yield piece
        # The limit never spans a yield: it would cancel the reader, not the model.
        async with _within(deadline):
            piece = await anext(pieces, None)


async def _whole(response: httpx.Response) -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        _extend(body, piece)
    return bytes(body)


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """Lines that end in a line feed; `aiter_lines` would also break them at U+2028 and its like."""
    line = bytearray()
    async for piece in response.aiter_bytes():
        beginning, *others = piece.split(b"\n")
        _extend(line, beginning)
        for other in others:
            yield line.decode("utf-8", "replace")
            line = bytearray(other)
    yield line.decode("utf-8", "replace")


def _extend(body: bytearray, piece: bytes) -> None:
    if len(body) + len(piece) > _REPLY_BYTES:
        raise PermanentFault(ErrorCode.PROVIDER_FAILED, "The language model gave a reply that is too large.")
    body += piece


async def _beginning(response: httpx.Response) -> str:
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) >= _ERROR_BYTES:
            break
    return body[:_ERROR_BYTES].decode("utf-8", "replace")


def _status_fault(response: httpx.Response) -> PassingFault | PermanentFault:
    status = response.status_code
    message = f"The language model's endpoint answered {status}."
    if status in _PASSING or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _PERMANENT):
        pause = retry_after_seconds(response.headers.get("Retry-After"), datetime.now(UTC))
        return PassingFault(ErrorCode.PROVIDER_FAILED, message, status=status, retry_after=pause)
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        message = f"The language model's endpoint answered {status}: it refuses LLM_API_KEY."
    return PermanentFault(ErrorCode.PROVIDER_REFUSED, message, status=status)
