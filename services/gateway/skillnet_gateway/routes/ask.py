"""Answers in words, whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from skillnet_common.contracts.answers import AskEvent, AskEventKind, AskReply, AskRequest
from skillnet_gateway.answering import Answering, Grounded
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import fault_of
from skillnet_gateway.routes.retrieval import QUESTION_PROBLEMS

router = APIRouter(prefix=API_PREFIX, tags=["questions"], route_class=BoundedRoute)

_EVENTS = "text/event-stream"
_REPLY: dict[int | str, dict[str, Any]] = {
    200: {
        "model": AskReply,
        "description": "The answer; with `stream`, Server-Sent Events whose data is an `AskEvent`.",
        "content": {_EVENTS: {"schema": {"type": "string"}}},
    }
}
_EXAMPLES: Any = {
    "question": {"value": {"question": "¿Qué alérgenos debo declarar?"}},
    "streamed, within a course": {
        "value": {"question": "¿Qué hago si falta dinero en caja?", "filters": {"course_id": "c1"}, "stream": True}
    },
}


@router.post(
    "/ask",
    response_model=AskReply,
    responses={**_REPLY, **QUESTION_PROBLEMS},
    summary="An answer with checked citations, and the ground it stands on",
)
async def ask(
    http_request: Request,
    request: Annotated[AskRequest, Body(openapi_examples=_EXAMPLES)],
    caller: Reader,
    gateway: TheGateway,
) -> Response:
    """One reply, or, with `stream`, events of which the last has the whole reply."""
    grounded = await gateway.answering.ground(caller, request)
    if request.stream:
        events = _events(gateway.answering, grounded, http_request.url.path)
        return StreamingResponse(events, media_type=_EVENTS, headers={"Cache-Control": "no-store"})
    reply = await gateway.answering.answer(grounded)
    return JSONResponse(reply.model_dump(mode="json"))


async def _events(answering: Answering, grounded: Grounded, path: str) -> AsyncIterator[str]:
    try:
        async for event in answering.stream(grounded):
            yield _written(event)
    except Exception as error:  # the status is sent: the last event is all that can tell
        request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        problem = fault_of(error).problem(instance=path, request_id=request_id)
        yield _written(AskEvent(kind=AskEventKind.ERROR, problem=problem))


def _written(event: AskEvent) -> str:
    # In ASCII, since many a reader takes U+2028 and its like, which documents hold, for the end of a line.
    return f"event: {event.kind}\ndata: {event.model_dump_json(ensure_ascii=True)}\n\n"
