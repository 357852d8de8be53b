"""How the calls on keys, usage and the organisation look on the wire."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from skillnet_client.requests.base import ApiRequest, Params
from skillnet_common.contracts.keys import KeyRequest
from skillnet_common.contracts.organizations import OrganizationChange, PromptChange

_PROMPT = "/v1/organization/prompt"


def me() -> ApiRequest:
    """`GET /v1/me`."""
    return ApiRequest("GET", "/v1/me")


def organization() -> ApiRequest:
    """`GET /v1/organization`."""
    return ApiRequest("GET", "/v1/organization")


def change_organization(change: OrganizationChange) -> ApiRequest:
    """`PATCH /v1/organization`."""
    return ApiRequest("PATCH", "/v1/organization", json=change.model_dump_json(exclude_unset=True))


def create_key(request: KeyRequest | str) -> ApiRequest:
    """`POST /v1/keys`; a lost reply holds a key that nobody could read, so it is not asked for again."""
    body = KeyRequest(name=request) if isinstance(request, str) else request
    return ApiRequest("POST", "/v1/keys", json=body.model_dump_json(exclude_unset=True), repeatable=False)


def keys() -> ApiRequest:
    """`GET /v1/keys`."""
    return ApiRequest("GET", "/v1/keys")


def key(key_id: UUID) -> ApiRequest:
    """`GET /v1/keys/{id}`."""
    return ApiRequest("GET", f"/v1/keys/{key_id}")


def revoke_key(key_id: UUID, *, force: bool) -> ApiRequest:
    """`DELETE /v1/keys/{id}`."""
    params: Params = [("force", True)] if force else []
    return ApiRequest("DELETE", f"/v1/keys/{key_id}", params)


def usage(first: date | None, last: date | None) -> ApiRequest:
    """`GET /v1/usage`."""
    params: Params = [(name, day.isoformat()) for name, day in (("from", first), ("to", last)) if day is not None]
    return ApiRequest("GET", "/v1/usage", params)


def prompt_template() -> ApiRequest:
    """`GET /v1/organization/prompt`."""
    return ApiRequest("GET", _PROMPT)


def set_prompt_template(template: str) -> ApiRequest:
    """`PUT /v1/organization/prompt`."""
    return ApiRequest("PUT", _PROMPT, json=PromptChange(template=template).model_dump_json())


def reset_prompt_template() -> ApiRequest:
    """`DELETE /v1/organization/prompt`."""
    return ApiRequest("DELETE", _PROMPT)


def prompt_history() -> ApiRequest:
    """`GET /v1/organization/prompt/versions`."""
    return ApiRequest("GET", f"{_PROMPT}/versions")
