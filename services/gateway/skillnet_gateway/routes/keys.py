"""API keys of the organisation."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Body, Query, Response

from skillnet_common.contracts.keys import CreatedKey, Key, KeyList, KeyRequest
from skillnet_common.errors import ErrorCode
from skillnet_gateway.authentication import API_PREFIX, Admin, ChangingAdmin
from skillnet_gateway.bounded import BoundedRoute
from skillnet_gateway.gateway import TheGateway
from skillnet_gateway.problems import problem_responses

router = APIRouter(prefix=API_PREFIX, tags=["keys"], route_class=BoundedRoute)

_COMMON = (ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INVALID_REQUEST, ErrorCode.UNAVAILABLE)
_EXAMPLES: Any = {
    "read-only, of every group": {"value": {"name": "Intranet"}},
    "limited": {
        "value": {
            "name": "Sincronización de la tienda",
            "scopes": ["documents:read", "documents:write"],
            "audience": ["tienda"],
            "expires_at": "2027-12-31T00:00:00Z",
        }
    },
}


@router.post(
    "/keys",
    status_code=201,
    responses=problem_responses(*_COMMON, ErrorCode.MALFORMED_JSON, ErrorCode.PAYLOAD_TOO_LARGE),
    summary="Make a key",
)
async def create_key(
    request: Annotated[KeyRequest, Body(openapi_examples=_EXAMPLES)],
    caller: ChangingAdmin,
    gateway: TheGateway,
    response: Response,
) -> CreatedKey:
    """Needs the scope `admin`. The key is shown this once. It reaches no further than the key it is made with, in
    scopes, groups and time: `forbidden` otherwise."""
    response.headers["Cache-Control"] = "no-store"
    return await gateway.keys.create(caller.principal, request)


@router.get("/keys", responses=problem_responses(*_COMMON), summary="List keys")
async def list_keys(caller: Admin, gateway: TheGateway) -> KeyList:
    """Needs the scope `admin`. Oldest first, revoked and expired ones too; a key limited to groups sees those that
    are limited to groups of its own."""
    return KeyList(keys=await gateway.keys.all(caller.principal))


@router.get(
    "/keys/{key_id}", responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND), summary="What is known of a key"
)
async def get_key(key_id: UUID, caller: Admin, gateway: TheGateway) -> Key:
    """Needs the scope `admin`."""
    return await gateway.keys.get(caller.principal, key_id)


@router.delete(
    "/keys/{key_id}",
    status_code=204,
    responses=problem_responses(*_COMMON, ErrorCode.NOT_FOUND, ErrorCode.LAST_ADMIN_KEY),
    summary="Revoke a key for good",
)
async def revoke_key(
    key_id: UUID,
    caller: ChangingAdmin,
    gateway: TheGateway,
    force: Annotated[bool, Query(description="Also the last usable administrator's key.")] = False,
) -> None:
    """Needs the scope `admin`. It changes nothing of the organisation from now on, and services forget it within
    seconds. The last usable administrator's key is kept, with `last_admin_key`, unless with `force`: one that expires
    sooner does not take its place."""
    await gateway.keys.revoke(caller.principal, key_id, force=force)
