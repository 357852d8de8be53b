"""How the calls on quarantined work look on the wire."""

from __future__ import annotations

from uuid import UUID

from skillnet_client.requests.base import ApiRequest, Params

_PATH = "/v1/quarantine"


def page(cursor: str | None, limit: int) -> ApiRequest:
    """`GET /v1/quarantine`."""
    params: Params = [("limit", limit)]
    if cursor is not None:
        params.append(("cursor", cursor))
    return ApiRequest("GET", _PATH, params)


def one(work_id: UUID) -> ApiRequest:
    """`GET /v1/quarantine/{id}`."""
    return ApiRequest("GET", f"{_PATH}/{work_id}")


def replay(work_id: UUID) -> ApiRequest:
    """`POST /v1/quarantine/{id}/replay`; a second one would be refused though the first did it."""
    return ApiRequest("POST", f"{_PATH}/{work_id}/replay", repeatable=False)
