"""How questions look on the wire."""

from __future__ import annotations

from skillnet_client.requests.base import ApiRequest, post
from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchRequest


def search(request: SearchRequest | str) -> ApiRequest:
    """`POST /v1/search`."""
    return post("/v1/search", SearchRequest(query=request) if isinstance(request, str) else request)


def context(request: ContextRequest | str) -> ApiRequest:
    """`POST /v1/context`."""
    return post("/v1/context", ContextRequest(query=request) if isinstance(request, str) else request)


def ground(request: GroundRequest | str) -> ApiRequest:
    """`POST /v1/ground`."""
    return post("/v1/ground", GroundRequest(query=request) if isinstance(request, str) else request)


def ask(request: AskRequest | str) -> ApiRequest:
    """`POST /v1/ask`; an LLM's answer costs money, so a lost reply is not asked for again."""
    body = AskRequest(question=request) if isinstance(request, str) else request
    return post("/v1/ask", body, repeatable=False)


def ask_streamed(request: AskRequest | str) -> ApiRequest:
    """`POST /v1/ask`, to be replied event by event."""
    body = AskRequest(question=request) if isinstance(request, str) else request
    return post("/v1/ask", AskRequest(**{**dict(body), "stream": True}), repeatable=False)
