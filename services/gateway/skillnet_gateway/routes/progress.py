"""How a document comes along, event by event."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Annotated, Any
from uuid import UUID

import structlog
from fastapi import APIRouter, Header
from fastapi.responses import Response, StreamingResponse

from skillnet_common.auth import Principal, Scope
from skillnet_common.contracts.progress import ProgressEvent, ProgressKind
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Caller, Reader
from skillnet_gateway.gateway import Gateway, TheGateway
from skillnet_gateway.problems import fault_of, problem_responses
from skillnet_gateway.rights import document_not_found
from skillnet_gateway.server_sent import EVENT_STREAM, HEARTBEAT, PlacedStream, with_heartbeats, written

router = APIRouter(prefix=API_PREFIX, tags=["documents"])

_ID = "0195f6b0-3f2a-5c41-8f43-1f2d9b1c7a10"
_STREAM_EXAMPLE = f"""\
id: 3.embedding.2.9.4
event: progress
data: {{"kind": "progress", "event_id": "3.embedding.2.9.4", "document_id": "{_ID}", "version": 3, \
"state": "embedding", "progress": {{"stage": "embed", "batches_done": 2, "batches_total": 9, "waiting_ahead": 4}}}}

id: 3.ready
event: ended
data: {{"kind": "ended", "event_id": "3.ready", "document_id": "{_ID}", "version": 3, "state": "ready", \
"ending": "ready"}}
"""
_REPLIES: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-Sent Events, the data of each a `ProgressEvent` (here with fields left out).",
        "content": {
            EVENT_STREAM: {"schema": {"$ref": "#/components/schemas/ProgressEvent"}, "example": _STREAM_EXAMPLE}
        },
    },
    204: {"description": "`Last-Event-ID` names the end: there is nothing more to come."},
}


@router.get(
    "/documents/{document_id}/progress",
    response_class=StreamingResponse,
    responses={
        **_REPLIES,
        **problem_responses(
            ErrorCode.UNAUTHORIZED,
            ErrorCode.FORBIDDEN,
            ErrorCode.NOT_FOUND,
            ErrorCode.INVALID_REQUEST,
            ErrorCode.UNAVAILABLE,
        ),
    },
    summary="How far a document is, event by event, until its newest version has ended",
)
async def follow_progress(
    document_id: UUID,
    caller: Reader,
    gateway: TheGateway,
    last_event_id: Annotated[
        str | None, Header(max_length=200, description="The last event that was read, to go on from it.")
    ] = None,
) -> Response:
    """The first event tells the state at once, later ones each change; comments are signs of life. A stream that
    ends without `ended` is to be asked for again. With `Last-Event-ID` a state is not told twice."""
    progress = gateway.progress
    first = await progress.look(caller.principal, document_id)
    if first.version is None:
        raise document_not_found()
    if first.kind is ProgressKind.ENDED and first.event_id == last_event_id:
        return Response(status_code=204)
    with ExitStack() as stack:
        stack.enter_context(progress.place(caller.principal.org_id))
        return PlacedStream(_events(gateway, caller, first, last_event_id), stack.pop_all(), EVENT_STREAM)


async def _events(
    gateway: Gateway, caller: Caller, first: ProgressEvent, last_event_id: str | None
) -> AsyncGenerator[str, None]:
    async def verify() -> Principal:
        principal = await gateway.authenticator.verify(caller.authorization)
        principal.require(Scope.READ)
        return principal

    states = gateway.progress.follow(verify, first, last_event_id)
    events = with_heartbeats(states, gateway.heartbeat_seconds)
    try:
        async for event in events:
            yield HEARTBEAT if event is None else written(event.kind, event, event_id=event.event_id)
    except Exception as error:  # the status is sent: the last event is all that can tell
        request_id = str(structlog.contextvars.get_contextvars().get("request_id", ""))
        path = f"{API_PREFIX}/documents/{first.document_id}/progress"
        problem = fault_of(error).problem(instance=path, request_id=request_id)
        event = ProgressEvent(kind=ProgressKind.ERROR, document_id=first.document_id, problem=problem)
        yield written(event.kind, event)
    finally:
        await events.aclose()
