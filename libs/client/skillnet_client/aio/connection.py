"""The connection that every call of the asynchronous client goes through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self

import httpx

from skillnet_client.requests import ApiRequest, authorization_of, headers_of
from skillnet_client.responses import Reply, is_repeated_delete, raise_for_problem, read_reply, unreachable
from skillnet_client.retries import RetryPolicy


class AsyncConnection:
    """Sends calls and reads replies. `timeout` is in seconds for each read or write."""

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 60.0, retry: RetryPolicy | None = None
    ) -> None:
        self._http = httpx.AsyncClient(
            base_url=base_url,
            headers={"Authorization": authorization_of(api_key)},
            timeout=httpx.Timeout(timeout, connect=5.0),
        )
        self._retry = retry or RetryPolicy()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply:
        return read_reply(await self._send(request), reply_type)

    async def _send(self, request: ApiRequest) -> httpx.Response:
        attempt = 0
        while True:
            outcome = await self._attempt(request)
            delay = self._retry.delay_after(request, attempt, outcome)
            if delay is None:
                break
            await asyncio.sleep(delay)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise unreachable(outcome, self._http.base_url) from outcome
        if not is_repeated_delete(request, outcome, attempt):
            raise_for_problem(outcome)
        return outcome

    @asynccontextmanager
    async def _stream(self, request: ApiRequest) -> AsyncIterator[httpx.Response]:
        """The reply while it arrives, its status checked; a connection that breaks is raised as `unavailable`."""
        try:
            async with self._http.stream(
                request.method,
                request.path,
                params=request.params,
                headers=headers_of(request),
                content=request.content.pieces_async() if request.content else request.json,
            ) as response:
                if not response.is_success:
                    await response.aread()
                raise_for_problem(response)
                yield response
        except httpx.TransportError as error:
            raise unreachable(error, self._http.base_url) from error

    async def _attempt(self, request: ApiRequest) -> httpx.Response | httpx.TransportError:
        try:
            return await self._http.request(
                request.method,
                request.path,
                params=request.params,
                headers=headers_of(request),
                content=request.content.pieces_async() if request.content else request.json,
            )
        except httpx.TransportError as error:
            return error
