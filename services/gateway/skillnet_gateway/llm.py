"""An LLM behind any OpenAI-compatible API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
import stamina

from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_gateway.prompts import ChatMessage
from skillnet_gateway.settings import GatewaySettings

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_LONGEST_WAIT = 10.0
_DONE = "[DONE]"


class ChatModel:
    """Asks one model. Every failure is a PassingFault `provider_failed`: the caller falls back.

    429, 5xx and lost connections are tried again, as long as nothing of the answer has been handed on.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self.name = settings.llm_model
        self._attempts = settings.llm_attempts
        self._max_tokens = settings.llm_max_tokens
        self._seconds = settings.llm_timeout_seconds
        key = settings.llm_api_key.get_secret_value()
        self._http = httpx.AsyncClient(
            base_url=settings.llm_api_base.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(settings.llm_timeout_seconds, connect=settings.llm_connect_seconds),
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def complete(self, messages: Sequence[ChatMessage]) -> str:
        """The whole answer."""
        try:
            async with asyncio.timeout(self._seconds):
                response = await self._send(messages, stream=False)
                body = await _json_of(response)
        except (httpx.HTTPError, TimeoutError) as error:
            raise _failed(error) from error
        text = _first(body, "message")
        if not text.strip():
            raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model gave an empty answer.")
        return text

    async def stream(self, messages: Sequence[ChatMessage]) -> AsyncIterator[str]:
        """The answer in pieces, as they come."""
        deadline = asyncio.get_running_loop().time() + self._seconds
        try:
            async with asyncio.timeout_at(deadline):
                response = await self._send(messages, stream=True)
            try:
                pieces = _pieces(response)
                async with asyncio.timeout_at(deadline):
                    piece = await anext(pieces, None)
                if piece is None:
                    raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model gave an empty answer.")
                while piece is not None:
                    yield piece
                    # The limit never spans a yield: it would cancel the reader, not the model.
                    async with asyncio.timeout_at(deadline):
                        piece = await anext(pieces, None)
            finally:
                await response.aclose()
        except (httpx.HTTPError, TimeoutError) as error:
            raise _failed(error) from error

    async def _send(self, messages: Sequence[ChatMessage], *, stream: bool) -> httpx.Response:
        payload = {
            "model": self.name,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": 0,
            "max_tokens": self._max_tokens,
            "stream": stream,
        }
        async for attempt in stamina.retry_context(
            on=_worth_another_try, attempts=self._attempts, timeout=self._seconds, wait_initial=0.2
        ):
            with attempt:
                request = self._http.build_request("POST", "chat/completions", json=payload)
                response = await self._http.send(request, stream=True)
                if response.is_error:
                    await response.aclose()
                response.raise_for_status()
        return response


def _worth_another_try(error: Exception) -> bool | float:
    if isinstance(error, httpx.HTTPStatusError):
        asked = error.response.headers.get("retry-after", "")
        wanted = error.response.status_code in _PASSING
        return min(float(asked), _LONGEST_WAIT) if wanted and asked.isdigit() else wanted
    return isinstance(error, httpx.TransportError)


async def _json_of(response: httpx.Response) -> Any:
    try:
        return json.loads(await response.aread())
    except ValueError as error:
        raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model's reply is not JSON.") from error
    finally:
        await response.aclose()


async def _pieces(response: httpx.Response) -> AsyncIterator[str]:
    """The `data:` lines of a stream of chat completion chunks."""
    async for line in _lines(response):
        if not line.startswith("data:"):
            continue
        data = line.removeprefix("data:").strip()
        if data == _DONE:
            return
        try:
            chunk = json.loads(data)
        except ValueError as error:
            raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model's stream is not JSON.") from error
        if isinstance(chunk, dict) and chunk.get("choices") == []:
            continue  # usage figures
        piece = _first(chunk, "delta")
        if piece:
            yield piece


async def _lines(response: httpx.Response) -> AsyncIterator[str]:
    """Lines that end in a line feed; `aiter_lines` would also break them at U+2028 and its like."""
    rest = b""
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.decode("utf-8", "replace")
    yield rest.decode("utf-8", "replace")


def _first(body: Any, part: str) -> str:
    try:
        content = body["choices"][0][part].get("content") or ""
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise PassingFault(
            ErrorCode.PROVIDER_FAILED, "The language model's reply does not have the form of a chat completion."
        ) from error
    if not isinstance(content, str):
        raise PassingFault(ErrorCode.PROVIDER_FAILED, "The language model's answer is not text.")
    return content


def _failed(error: Exception) -> PassingFault:
    if isinstance(error, httpx.HTTPStatusError):
        reason = f"it answered {error.response.status_code}"
    elif isinstance(error, TimeoutError | httpx.TimeoutException):
        reason = "it did not answer in time"
    else:
        reason = type(error).__name__
    return PassingFault(ErrorCode.PROVIDER_FAILED, f"The language model failed: {reason}.")
