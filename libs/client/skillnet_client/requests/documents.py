"""How the calls on documents look on the wire."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypedDict
from uuid import UUID

from skillnet_client.requests.base import ApiRequest, Params
from skillnet_common.contracts.documents import DocumentChange, DocumentStatus
from skillnet_common.contracts.reprocessing import ReprocessRequest


class DocumentFilters(TypedDict, total=False):
    """Which documents to list; every filter that is given must hold.

    `taxonomy_prefix` "a" finds "a" and "a/b"; `title` is a part of it, whatever its case and accents; `language` and
    `file_type` are the live version's; `updated_after` is included, `updated_before` excluded; `metadata` are values
    that the document's metadata holds.
    """

    status: DocumentStatus | None
    course_id: str | None
    subject_id: str | None
    entity_id: str | None
    taxonomy_prefix: str | None
    language: str | None
    file_type: str | None
    source: str | None
    external_key: str | None
    title: str | None
    updated_after: datetime | None
    updated_before: datetime | None
    metadata: Mapping[str, str | int | float | bool] | None


def documents(*, cursor: str | None, limit: int, ids: Sequence[UUID], filters: DocumentFilters) -> ApiRequest:
    """`GET /v1/documents`."""
    params: Params = [("limit", limit)]
    if cursor is not None:
        params.append(("cursor", cursor))
    params += [(name, _text(value)) for name, value in filters.items() if value is not None]
    params += [("document_id", str(one)) for one in ids]
    return ApiRequest("GET", "/v1/documents", params)


def document(document_id: UUID) -> ApiRequest:
    """`GET /v1/documents/{id}`."""
    return ApiRequest("GET", f"/v1/documents/{document_id}")


def change(document_id: UUID, change: DocumentChange) -> ApiRequest:
    """`PATCH /v1/documents/{id}`."""
    return ApiRequest("PATCH", f"/v1/documents/{document_id}", json=change.model_dump_json(exclude_unset=True))


def reprocess(request: ReprocessRequest) -> ApiRequest:
    """`POST /v1/documents/reprocess`; what a lost reply began is not begun again."""
    return ApiRequest("POST", "/v1/documents/reprocess", json=request.model_dump_json(exclude_unset=True))


def delete(document_id: UUID) -> ApiRequest:
    """`DELETE /v1/documents/{id}`."""
    return ApiRequest("DELETE", f"/v1/documents/{document_id}")


def cancel(document_id: UUID, version: int) -> ApiRequest:
    """`POST /v1/documents/{id}/versions/{n}/cancel`."""
    return ApiRequest("POST", f"/v1/documents/{document_id}/versions/{version}/cancel")


def progress(document_id: UUID, last_event_id: str | None) -> ApiRequest:
    """`GET /v1/documents/{id}/progress`, to be replied event by event."""
    headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
    return ApiRequest("GET", f"/v1/documents/{document_id}/progress", headers=headers)


def _text(value: object) -> str:
    match value:
        case datetime():
            return value.isoformat()
        case Mapping():
            return json.dumps(dict(value), ensure_ascii=False)
    return str(value)
