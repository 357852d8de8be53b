"""Whose key it is, and what its organisation allows."""

from __future__ import annotations

from fastapi import APIRouter

from skillnet_common.contracts.documents import Me
from skillnet_common.contracts.organizations import Organization, OrganizationChange
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Admin, AnyCaller
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["account"], route_class=BoundedRoute)


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


_PROBLEMS = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.UNAVAILABLE)


@router.get("/organization", responses=problem_responses(*_PROBLEMS), summary="The organisation and its consent")
async def get_organization(caller: Admin, gateway: TheGateway) -> Organization:
    """Needs the scope `admin`."""
    return await gateway.organizations.get(caller.principal.org_id)


@router.patch(
    "/organization",
    responses=problem_responses(
        *_PROBLEMS, ErrorCode.MALFORMED_JSON, ErrorCode.PAYLOAD_TOO_LARGE, ErrorCode.INVALID_REQUEST
    ),
    summary="Rename the organisation, or give or withdraw its consent to an LLM",
)
async def change_organization(change: OrganizationChange, caller: Admin, gateway: TheGateway) -> Organization:
    """Needs the scope `admin`. What is left out stays as it is; consent holds from the next question on."""
    return await gateway.organizations.change(caller.principal, change)
