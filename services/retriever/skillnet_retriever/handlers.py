"""Requests of the bus: the credential is verified, the body read, the retriever asked."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from pydantic import BaseModel

from skillnet_common.auth import Authenticator, Principal, Scope
from skillnet_common.contracts import subjects
from skillnet_common.contracts.outlines import OutlineRequest
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchRequest
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.messaging.requester import AUTHORIZATION_HEADER, PURPOSE_HEADER
from skillnet_common.messaging.responder import RequestHandler
from skillnet_common.usage import UsageMeter
from skillnet_retriever.metrics import REQUEST_SECONDS
from skillnet_retriever.retriever import Retriever

AnyRequest = TypeVar("AnyRequest", bound=BaseModel)


def request_handlers(
    retriever: Retriever, authenticator: Authenticator, meter: UsageMeter
) -> dict[str, RequestHandler]:
    """A handler for each subject. Tenant and audience come from the credential, never from the body. Every question
    that is answered is counted, but not a look at an outline, whether it came over the bus or through the gateway."""
    return {
        subjects.SEARCH: _handler(UsageKind.SEARCH, SearchRequest, retriever.search, authenticator, meter),
        subjects.CONTEXT: _handler(UsageKind.CONTEXT, ContextRequest, retriever.context, authenticator, meter),
        subjects.GROUND: _handler(UsageKind.GROUND, GroundRequest, retriever.ground, authenticator, meter),
        subjects.OUTLINE: _handler(None, OutlineRequest, retriever.outline, authenticator, meter),
    }


def _handler(
    operation: UsageKind | None,
    request_type: type[AnyRequest],
    answer: Callable[[Principal, AnyRequest], Awaitable[BaseModel]],
    authenticator: Authenticator,
    meter: UsageMeter,
) -> RequestHandler:
    async def handle(body: bytes, headers: Mapping[str, str]) -> BaseModel:
        started = time.perf_counter()
        principal = await authenticator.verify(headers.get(AUTHORIZATION_HEADER))
        principal.require(Scope.READ)
        reply = await answer(principal, request_type.model_validate_json(body))
        REQUEST_SECONDS.labels(operation or "outline").observe(time.perf_counter() - started)
        if operation is not None:
            meter.count(principal.org_id, _counted_as(operation, headers))
        return reply

    return handle


def _counted_as(operation: UsageKind, headers: Mapping[str, str]) -> UsageKind:
    """The ground of an answer in words is no question of its own."""
    is_for_answer = operation is UsageKind.GROUND and headers.get(PURPOSE_HEADER) == UsageKind.ASK
    return UsageKind.ASK if is_for_answer else operation
