"""Requests of the bus: the credential is verified, the body read, the retriever asked."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel

from skillnet_common.auth import Authenticator, Principal, Scope
from skillnet_common.contracts import subjects
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchRequest
from skillnet_common.messaging.requester import AUTHORIZATION_HEADER
from skillnet_common.messaging.responder import RequestHandler
from skillnet_retriever.metrics import REQUEST_SECONDS
from skillnet_retriever.retriever import Retriever

AnyRequest = TypeVar("AnyRequest", bound=BaseModel)


def request_handlers(retriever: Retriever, authenticator: Authenticator) -> dict[str, RequestHandler]:
    """A handler for each subject. Tenant and audience come from the credential, never from the body."""
    return {
        subjects.SEARCH: _handler("search", SearchRequest, retriever.search, authenticator),
        subjects.CONTEXT: _handler("context", ContextRequest, retriever.context, authenticator),
        subjects.GROUND: _handler("ground", GroundRequest, retriever.ground, authenticator),
    }


def _handler(
    operation: str,
    request_type: type[AnyRequest],
    answer: Callable[[Principal, AnyRequest], Awaitable[BaseModel]],
    authenticator: Authenticator,
) -> RequestHandler:
    async def handle(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        started = time.perf_counter()
        principal = await authenticator.verify(headers.get(AUTHORIZATION_HEADER))
        principal.require(Scope.READ)
        reply = await answer(principal, request_type.model_validate_json(body))
        REQUEST_SECONDS.labels(operation).observe(time.perf_counter() - started)
        return reply

    return handle
