"""Work that was given up: looked through, and replayed once its cause is mended."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from skillnet_common.contracts.quarantine import QuarantinedWork, QuarantinePage, ReplayReply
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Admin, ChangingAdmin
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["quarantine"])

_COMMON = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE)


@router.get("/quarantine", responses=problem_responses(*_COMMON), summary="List work that was given up")
async def list_quarantine(
    caller: Admin,
    gateway: TheGateway,
    cursor: Annotated[UUID | None, Query(description="`next_cursor` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> QuarantinePage:
    """Needs the scope `admin`. Newest first; what belongs to a deleted document is left out."""
    return await gateway.quarantine.page(caller.principal, cursor, limit)


@router.get(
    "/quarantine/{work_id}",
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND),
    summary="A piece of work that was given up, and why",
)
async def get_quarantined(work_id: UUID, caller: Admin, gateway: TheGateway) -> QuarantinedWork:
    """Needs the scope `admin`."""
    return await gateway.quarantine.get(caller.principal, work_id)


@router.post(
    "/quarantine/{work_id}/replay",
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND, ErrorCode.NOT_QUARANTINED, ErrorCode.VERSION_OUTRUN),
    summary="Try it again",
)
async def replay(work_id: UUID, caller: ChangingAdmin, gateway: TheGateway) -> ReplayReply:
    """Needs the scope `admin`. The failed version is under way again, from the stage that failed. `not_quarantined`
    where it was replayed before, `version_outrun` where a newer version has been live."""
    return await gateway.quarantine.replay(caller.principal, work_id)
