"""Passages, context and ground: the retriever's replies as they are."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
)
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["questions"], route_class=BoundedRoute)

QUESTION_PROBLEMS = problem_responses(
    ErrorCode.MALFORMED_JSON,
    ErrorCode.UNAUTHORIZED,
    ErrorCode.FORBIDDEN,
    ErrorCode.PAYLOAD_TOO_LARGE,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.QUERY_EMPTY,
    ErrorCode.UNAVAILABLE,
    ErrorCode.TIMEOUT,
)

_QUESTION = "¿Cuántos días tengo para devolver un producto?"


def _example(**more: Any) -> Any:
    return Body(openapi_examples={"question": {"value": {"query": _QUESTION, **more}}})


@router.post("/search", responses=QUESTION_PROBLEMS, summary="The passages that answer best, with named scores")
async def search(
    request: Annotated[SearchRequest, _example(filters={"course_id": "onboarding"}, limit=5)],
    caller: Reader,
    gateway: TheGateway,
) -> SearchReply:
    """Only of documents that the key may see."""
    return await gateway.retrieval.search(request, caller.credential)


@router.post("/context", responses=QUESTION_PROBLEMS, summary="A tagged context block within a token budget")
async def context(
    request: Annotated[ContextRequest, _example(token_budget=2_000)], caller: Reader, gateway: TheGateway
) -> ContextReply:
    """Each passage stands under a tag `[Fuente N]` to cite it by."""
    return await gateway.retrieval.context(request, caller.credential)


@router.post("/ground", responses=QUESTION_PROBLEMS, summary="The context, and on what ground an answer can stand")
async def ground(
    request: Annotated[GroundRequest, _example(allow_general=False)], caller: Reader, gateway: TheGateway
) -> GroundReply:
    """The ground is a rung: from the documents, from general knowledge, or none."""
    return await gateway.retrieval.ground(request, caller.credential)
