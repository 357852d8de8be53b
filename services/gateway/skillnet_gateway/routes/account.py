"""Whose key it is."""

from __future__ import annotations

from fastapi import APIRouter

from skillnet_common.contracts.documents import Me
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, AnyCaller
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["account"])


@router.get(
    "/me",
    responses=problem_responses(ErrorCode.UNAUTHORIZED, ErrorCode.UNAVAILABLE),
    summary="The organisation of the key, and what the key may do",
)
async def me(caller: AnyCaller, gateway: TheGateway) -> Me:
    """Needs a key, but no scope."""
    principal = caller.principal
    organization = await gateway.organizations.get(principal.org_id)
    return Me(
        org_id=principal.org_id,
        organization=organization.name,
        key_id=principal.key_id,
        scopes=sorted(principal.scopes),
        audience=list(principal.audience) if principal.audience is not None else None,
        llm_consent=organization.llm_consent,
    )
