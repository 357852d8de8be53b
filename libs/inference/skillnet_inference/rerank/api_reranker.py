"""Rerankers behind an API: Cohere's v2 and Jina's share one form of request and reply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from http import HTTPStatus

import httpx

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_inference.rerank.settings import RerankProvider, RerankSettings

_SOURCE = "The reranking API"
_PASSING = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}


class ApiReranker:
    """`POST {RERANK_API_BASE}/rerank`. A fault's details carry the HTTP status, never the texts or the key."""

    def __init__(self, settings: RerankSettings) -> None:
        self._model = settings.model
        self._url = settings.api_base.rstrip("/") + "/rerank"
        # Jina sends the documents back unless it is asked not to; Cohere knows no such field.
        self._extra: dict[str, object] = {}
        if settings.provider is RerankProvider.JINA:
            self._extra["return_documents"] = False
        key = settings.api_key.get_secret_value()
        self._client = httpx.AsyncClient(
            timeout=settings.timeout_seconds, headers={"Authorization": f"Bearer {key}"} if key else {}
        )

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        """A score for each passage."""
        body = {"model": self._model, "query": question, "documents": list(passages), "top_n": len(passages)}
        try:
            response = await self._client.post(self._url, json={**body, **self._extra})
        except httpx.TransportError as error:
            raise PassingFault(
                ErrorCode.PROVIDER_FAILED, f"{_SOURCE} cannot be reached: {type(error).__name__}."
            ) from error
        _require_success(response)
        try:
            reply = response.json()
        except (ValueError, RecursionError) as error:
            raise _unexpected("a reply that is no JSON") from error
        return _in_order(reply, len(passages))

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()


def _require_success(response: httpx.Response) -> None:
    if response.is_success:
        return
    status = response.status_code
    passing = status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    kind = PassingFault if passing else PermanentFault
    raise kind(ErrorCode.PROVIDER_FAILED, f"{_SOURCE} answered {status}.", status=status)


def _in_order(reply: object, count: int) -> list[float]:
    """The scores by their index; results come sorted by score."""
    results = reply.get("results") if isinstance(reply, dict) else None
    if not isinstance(results, list):
        raise _unexpected("a reply without a list `results`")
    scores: dict[int, float] = {}
    for result in results:
        fields = result if isinstance(result, dict) else {}
        index, score = fields.get("index"), fields.get("relevance_score")
        if isinstance(index, bool) or isinstance(score, bool):  # Python counts them among the integers
            raise _unexpected("a result whose index or relevance score is no number")
        if not isinstance(index, int) or not isinstance(score, int | float):
            raise _unexpected("a result without an index or a relevance score")
        scores[index] = _finite(score)
    if set(scores) != set(range(count)) or len(results) != count:
        raise _unexpected(f"{len(results)} results whose indexes are not those of {count} passages")
    return [scores[index] for index in range(count)]


def _finite(score: float) -> float:
    try:
        value = float(score)
    except OverflowError as error:  # of an integer of hundreds of digits
        raise _unexpected("a relevance score that no number can hold") from error
    if not math.isfinite(value):
        raise _unexpected("a relevance score that is no number")
    return value


def _unexpected(what: str) -> PermanentFault:
    return PermanentFault(ErrorCode.PROVIDER_FAILED, f"{_SOURCE} gave {what}.")
