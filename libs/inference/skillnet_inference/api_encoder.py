"""The encoder behind any OpenAI-compatible embeddings API (`POST /embeddings`)."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx
import stamina

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_common.retry_after import retry_after_seconds
from skillnet_inference.encoder import PooledEncoder, require_window
from skillnet_inference.identity import ModelIdentity
from skillnet_inference.settings import EmbeddingSettings
from skillnet_inference.tokenizer import Tokenizer
from skillnet_inference.vectors import Vectors, unit_vectors

LONGEST_WAIT = 30.0
"""Seconds. An API that asks for a longer pause gets it from the caller's own retry, not from a sleeping thread."""

_FIRST_WAIT = 0.5
_JITTER = 0.5
_SOURCE = "The embeddings API"
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}
_PERMANENT = {HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.HTTP_VERSION_NOT_SUPPORTED}


class OpenAICompatibleEncoder(PooledEncoder):
    """Sends batches of `EMBEDDING_BATCH_SIZE` texts, a few at once; retries passing faults with growing delays.

    Vectors are put in order by their index, counted, checked and brought to length 1. A fault's details carry the
    HTTP status and the pause the API asked for (`retry_after`, seconds), never the texts or the key.
    """

    def __init__(self, settings: EmbeddingSettings, identity: ModelIdentity, tokenizer: Tokenizer) -> None:
        self._model = settings.api_model_name
        self._attempts = settings.max_retries + 1
        self._sends_input_type = settings.api_input_type
        self._url = settings.api_base.rstrip("/") + "/embeddings"
        key = settings.api_key.get_secret_value()
        self._client = httpx.Client(
            timeout=settings.api_timeout,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            limits=httpx.Limits(max_connections=settings.api_concurrency),
        )
        super().__init__(identity, tokenizer, threads=settings.api_concurrency, group_size=settings.batch_size)

    def close(self) -> None:
        """Waits for requests on their way and closes the connections."""
        super().close()
        self._client.close()

    def _encode_group(self, texts: list[str], is_query: bool) -> Vectors:
        for text in texts:
            require_window(self._tokenizer.count(text), self._identity.window)
        body: dict[str, object] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._sends_input_type:
            body["input_type"] = "query" if is_query else "passage"
        embeddings = _in_order(self._answer(body), len(texts))
        return unit_vectors(embeddings, len(texts), self._identity.dimension, _SOURCE)

    def _answer(self, body: dict[str, object]) -> object:
        """The API's answer to a request, which is repeated after passing faults."""
        attempts = stamina.retry_context(
            on=_delay_before_retry,
            attempts=self._attempts,
            timeout=None,
            wait_initial=_FIRST_WAIT,
            wait_max=LONGEST_WAIT,
            wait_jitter=_JITTER,
        )
        for attempt in attempts:
            with attempt:
                return self._answer_once(body)
        raise AssertionError("retry_context ends by returning or raising")

    def _answer_once(self, body: dict[str, object]) -> object:
        try:
            response = self._client.post(self._url, json=body)
        except httpx.TransportError as error:
            raise PassingFault(
                ErrorCode.PROVIDER_FAILED, f"{_SOURCE} cannot be reached: {type(error).__name__}."
            ) from error
        _require_success(response)
        try:
            return response.json()
        except ValueError as error:
            raise _unexpected("an answer that is no JSON") from error


def _require_success(response: httpx.Response) -> None:
    status = response.status_code
    if response.is_success:
        return
    message = f"{_SOURCE} answered {status}."
    if status in _PASSING or (status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _PERMANENT):
        pause = retry_after_seconds(response.headers.get("Retry-After"), datetime.now(UTC))
        raise PassingFault(ErrorCode.PROVIDER_FAILED, message, status=status, retry_after=pause)
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        message = f"{_SOURCE} answered {status}: it refuses EMBEDDING_API_KEY."
    raise PermanentFault(ErrorCode.PROVIDER_FAILED, message, status=status)


def _delay_before_retry(error: Exception) -> bool | float:
    """Whether to try again, or after how many seconds at least."""
    if not isinstance(error, PassingFault):
        return False
    pause = error.details.get("retry_after")
    if not isinstance(pause, float):
        return True
    return pause + random.uniform(0, _JITTER) if pause <= LONGEST_WAIT else False  # noqa: S311 - spreads callers


def _in_order(answer: object, count: int) -> list[Any]:
    """The embeddings by their index, which need not be the order they come in."""
    items = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise _unexpected("an answer without a list `data`")
    if sorted(str(item.get("index")) for item in items) != sorted(str(position) for position in range(count)):
        raise _unexpected(f"{len(items)} embeddings whose indexes are not those of {count} texts")
    return [item.get("embedding") for item in sorted(items, key=lambda item: int(item["index"]))]


def _unexpected(what: str) -> PermanentFault:
    return PermanentFault(ErrorCode.PROVIDER_FAILED, f"{_SOURCE} gave {what}.")
