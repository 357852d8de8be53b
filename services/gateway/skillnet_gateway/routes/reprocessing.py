"""Documents are redone after a change of the parser, the chunker or its sizes."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from skillnet_common.contracts.reprocessing import ReprocessReply, ReprocessRequest
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, ChangingAdmin
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["documents"], route_class=BoundedRoute)

_REQUESTS: Any = {
    "how many": {"value": {"dry_run": True}},
    "the first hundred": {"value": {"limit": 100}},
}


@router.post(
    "/documents/reprocess",
    responses=problem_responses(
        ErrorCode.UNAUTHORIZED,
        ErrorCode.FORBIDDEN,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.MALFORMED_JSON,
        ErrorCode.PAYLOAD_TOO_LARGE,
        ErrorCode.UNAVAILABLE,
    ),
    summary="Read or cut anew what an older parser, chunker or size of chunks made",
)
async def reprocess(
    request: Annotated[ReprocessRequest, Body(openapi_examples=_REQUESTS)],
    caller: ChangingAdmin,
    gateway: TheGateway,
) -> ReprocessReply:
    """Needs the scope `admin`. Each becomes a new version from its own original, and serves as it is until then. Ask
    again until `outdated` is 0."""
    return await gateway.reprocessing.run(caller.principal, request)
