"""How the calls on documents look on the wire."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from skillnet_client.requests.base import ApiRequest, Params
from skillnet_common.contracts.documents import DocumentStatus


def documents(
    *,
    cursor: str | None,
    limit: int,
    status: DocumentStatus | None,
    course_id: str | None,
    source: str | None,
    external_key: str | None,
    ids: Sequence[UUID],
) -> ApiRequest:
    """`GET /v1/documents`."""
    wanted = {
        "cursor": cursor,
        "status": status,
        "course_id": course_id,
        "source": source,
        "external_key": external_key,
    }
    params: Params = [("limit", limit)]
    params += [(name, value) for name, value in wanted.items() if value is not None]
    params += [("document_id", str(one)) for one in ids]
    return ApiRequest("GET", "/v1/documents", params)


def document(document_id: UUID) -> ApiRequest:
    """`GET /v1/documents/{id}`."""
    return ApiRequest("GET", f"/v1/documents/{document_id}")


def original(document_id: UUID, version: int | None) -> ApiRequest:
    """`GET /v1/documents/{id}/original`."""
    params: Params = [("version", version)] if version is not None else []
    return ApiRequest("GET", f"/v1/documents/{document_id}/original", params)


def delete(document_id: UUID) -> ApiRequest:
    """`DELETE /v1/documents/{id}`."""
    return ApiRequest("DELETE", f"/v1/documents/{document_id}")


def cancel(document_id: UUID, version: int) -> ApiRequest:
    """`POST /v1/documents/{id}/versions/{n}/cancel`."""
    return ApiRequest("POST", f"/v1/documents/{document_id}/versions/{version}/cancel")
