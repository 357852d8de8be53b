"""How the calls on what a version holds look on the wire."""

from __future__ import annotations

from uuid import UUID

from skillnet_client.requests.base import ApiRequest, Params


def outline(document_id: UUID, version: int | None) -> ApiRequest:
    """`GET /v1/documents/{id}/outline`."""
    return ApiRequest("GET", f"/v1/documents/{document_id}/outline", _of(version))


def chunks(document_id: UUID, version: int | None, *, cursor: str | None, limit: int) -> ApiRequest:
    """`GET /v1/documents/{id}/chunks`."""
    params: Params = [("limit", limit), *_of(version)]
    if cursor is not None:
        params.append(("cursor", cursor))
    return ApiRequest("GET", f"/v1/documents/{document_id}/chunks", params)


def chunk(document_id: UUID, chunk_id: UUID) -> ApiRequest:
    """`GET /v1/documents/{id}/chunks/{chunk}`."""
    return ApiRequest("GET", f"/v1/documents/{document_id}/chunks/{chunk_id}")


def original(document_id: UUID, version: int | None, *, start: int = 0, etag: str | None = None) -> ApiRequest:
    """`GET /v1/documents/{id}/original`; from `start` on where the file still has this tag, else whole."""
    headers = {"Accept-Encoding": "identity"}
    if start and etag is not None:
        headers |= {"Range": f"bytes={start}-", "If-Range": etag}
    return ApiRequest("GET", f"/v1/documents/{document_id}/original", _of(version), headers=headers)


def _of(version: int | None) -> Params:
    return [] if version is None else [("version", version)]
