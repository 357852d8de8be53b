"""The connection that every call of the synchronous client goes through."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import httpx

from skillnet_client.requests import ApiRequest, authorization_of, headers_of
from skillnet_client.responses import Reply, is_repeated_delete, raise_for_problem, read_reply, unreachable
from skillnet_client.retries import RetryPolicy


class Connection:
    """Sends calls and reads replies. `timeout` is in seconds for each read or write."""

    def __init__(
        self, base_url: str, api_key: str, *, timeout: float = 60.0, retry: RetryPolicy | None = None
    ) -> None:
        self._http = httpx.Client(
            base_url=base_url,
            headers={"Authorization": authorization_of(api_key)},
            timeout=httpx.Timeout(timeout, connect=5.0),
        )
        self._retry = retry or RetryPolicy()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply:
        return read_reply(self._send(request), reply_type)

    def _send(self, request: ApiRequest) -> httpx.Response:
        attempt = 0
        while True:
            outcome = self._attempt(request)
            delay = self._retry.delay_after(request, attempt, outcome)
            if delay is None:
                break
            time.sleep(delay)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise unreachable(outcome, self._http.base_url) from outcome
        if not is_repeated_delete(request, outcome, attempt):
            raise_for_problem(outcome)
        return outcome

    @contextmanager
    def _stream(self, request: ApiRequest) -> Iterator[httpx.Response]:
        """The reply while it arrives, its status checked; a connection that breaks is raised as `unavailable`."""
        try:
            with self._http.stream(
                request.method,
                request.path,
                params=request.params,
                headers=headers_of(request),
                content=request.content.pieces() if request.content else request.json,
            ) as response:
                if not response.is_success:
                    response.read()
                raise_for_problem(response)
                yield response
        except httpx.TransportError as error:
            raise unreachable(error, self._http.base_url) from error

    def _attempt(self, request: ApiRequest) -> httpx.Response | httpx.TransportError:
        try:
            return self._http.request(
                request.method,
                request.path,
                params=request.params,
                headers=headers_of(request),
                content=request.content.pieces() if request.content else request.json,
            )
        except httpx.TransportError as error:
            return error
