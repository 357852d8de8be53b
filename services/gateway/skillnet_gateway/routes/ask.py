"""Answers in words, whole or streamed."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from skillnet_common.contracts.answers import AskEvent, AskEventKind, AskReply, AskRequest
from skillnet_gateway.answering import Grounded
from skillnet_gateway.authentication import API_PREFIX, Reader
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.examples.questions import STREAMED_ANSWER
from skillnet_gateway.gateway import Gateway, TheGateway
from skillnet_gateway.leaving import unless_left
from skillnet_gateway.problems import fault_of
from skillnet_gateway.routes.retrieval import QUESTION_PROBLEMS
from skillnet_gateway.server_sent import EVENT_STREAM, HEARTBEAT, with_heartbeats, written

router = APIRouter(prefix=API_PREFIX, tags=["questions"], route_class=BoundedRoute)

_STREAM_EXAMPLE = "".join(written(event.kind, event) for event in STREAMED_ANSWER)
_REPLY: dict[int | str, dict[str, Any]] = {
    200: {
        "model": AskReply,
        "description": ("The answer. Streamed: Server-Sent Events, the data of each an `AskEvent`."),
        "content": {EVENT_STREAM: {"schema": {"$ref": "#/components/schemas/AskEvent"}, "example": _STREAM_EXAMPLE}},
    }
}
_EXAMPLES: Any = {
    "question": {"value": {"question": "¿Qué alérgenos debo declarar?"}},
    "streamed, within a course": {
        "value": {"question": "¿Qué hago si falta dinero en caja?", "filters": {"course_id": "c1"}, "stream": True}
    },
    "answered in English": {"value": {"question": "¿Cuándo cierra la tienda?", "language": "en"}},
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
    """One reply, or events of which the last has the whole reply: with `stream`, or where the request accepts
    `text/event-stream` and does not say `stream`."""
    grounded = await gateway.answering.ground(caller, request)
    if _is_streamed(request, http_request):
        events = _events(gateway, grounded, http_request.url.path)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(events, media_type=EVENT_STREAM, headers=headers)
    reply = await unless_left(http_request, gateway.answering.answer(grounded))
    return JSONResponse(reply.model_dump(mode="json"))


def _is_streamed(request: AskRequest, http_request: Request) -> bool:
    if "stream" in request.model_fields_set:
        return request.stream
    accepted = http_request.headers.get("accept", "").lower()
    return EVENT_STREAM in (part.partition(";")[0].strip() for part in accepted.split(","))


async def _events(gateway: Gateway, grounded: Grounded, path: str) -> AsyncGenerator[str, None]:
    events = with_heartbeats(gateway.answering.stream(grounded), gateway.heartbeat_seconds)
    try:
        async for event in events:
            yield HEARTBEAT if event is None else written(event.kind, event)
    except Exception as error:  # the status is sent: the last event is all that can tell
        request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        problem = fault_of(error).problem(instance=path, request_id=request_id)
        yield written(AskEventKind.ERROR, AskEvent(kind=AskEventKind.ERROR, problem=problem))
    finally:
        await events.aclose()
