"""What the organisation has used."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from skillnet_common.contracts.usage import Usage
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Admin
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["account"])

_EXAMPLE = {
    "first_day": "2027-03-01",
    "last_day": "2027-03-31",
    "days": [
        {"day": "2027-03-02", "kind": "ask", "amount": 41, "estimated": 0},
        {"day": "2027-03-02", "kind": "llm_prompt_tokens", "amount": 90_210, "estimated": 1_400},
    ],
    "totals": [
        {"kind": "ask", "amount": 41, "estimated": 0},
        {"kind": "llm_prompt_tokens", "amount": 90_210, "estimated": 1_400},
    ],
    "storage": {"documents": 16, "chunks": 310, "bytes": 2_410_332},
}


@router.get(
    "/usage",
    responses={
        200: {"content": {"application/json": {"example": _EXAMPLE}}},
        **problem_responses(
            ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE
        ),
    },
    summary="Questions, uploads, pages and tokens by day, and what is stored now",
)
async def usage(
    caller: Admin,
    gateway: TheGateway,
    first: Annotated[date | None, Query(alias="from", description="First day, in UTC; 30 days up to `to`.")] = None,
    last: Annotated[date | None, Query(alias="to", description="Last day, included; today.")] = None,
) -> Usage:
    """Needs the scope `admin`. Questions and an LLM's tokens appear some seconds after they were asked."""
    return await gateway.usage.report(caller.principal.org_id, first, last)
