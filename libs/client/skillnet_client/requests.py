"""How each call looks on the wire; shared by the sync and the async client."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from pydantic import BaseModel

from skillnet_client.content import UploadContent
from skillnet_common.contracts.answers import AskRequest
from skillnet_common.contracts.documents import DocumentStatus
from skillnet_common.contracts.organizations import OrganizationChange
from skillnet_common.contracts.retrieval import ContextRequest, GroundRequest, SearchRequest

Params = list[tuple[str, str | int | float | bool | None]]


@dataclass(frozen=True, slots=True)
class ApiRequest:
    """One call. `repeatable`: sending it twice does no more than sending it once."""

    method: str
    path: str
    params: Params = field(default_factory=list)
    json: str | None = None
    content: UploadContent | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True


def headers_of(request: ApiRequest) -> dict[str, str]:
    """The call's headers, with the length of a file now: it may be refused before it is sent."""
    headers = dict(request.headers)
    if request.json is not None:
        headers["Content-Type"] = "application/json"
    if request.content is not None:
        headers["Content-Length"] = str(request.content.size)
    return headers


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadOptions:
    """What is said about a file; None leaves what the document has.

    `courses` and `audience` replace the document's lists; an empty audience is the whole organisation. `metadata`
    is a JSON object. An `idempotency_key` is made up where none is given, so that a retry within the call is
    harmless.
    """

    filename: str | None = None
    external_key: str | None = None
    source: str | None = None
    title: str | None = None
    language: str | None = None
    subject_id: str | None = None
    entity_id: str | None = None
    taxonomy: str | None = None
    courses: Sequence[str] | None = None
    audience: Sequence[str] | None = None
    metadata: Mapping[str, Any] | None = None
    idempotency_key: str | None = None


def upload(file: Path | bytes, options: UploadOptions) -> ApiRequest:
    """`POST /v1/documents`; `filename` is needed for bytes."""
    filename = options.filename or (file.name if isinstance(file, Path) else None)
    if not filename:
        raise ValueError("give a filename with bytes")
    named: Params = [("filename", filename), *_named(options, "external_key", "source")]
    return _send_file("POST", "/v1/documents", file, options, named)


def upload_version(document_id: UUID, file: Path | bytes, options: UploadOptions) -> ApiRequest:
    """`PUT /v1/documents/{id}/content`; the document keeps its key and source."""
    if options.external_key is not None or options.source is not None:
        raise ValueError("a new version keeps the document's external_key and source")
    filename = options.filename or (file.name if isinstance(file, Path) else None)
    named: Params = [("filename", filename)] if filename else []
    return _send_file("PUT", f"/v1/documents/{document_id}/content", file, options, named)


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


def me() -> ApiRequest:
    """`GET /v1/me`."""
    return ApiRequest("GET", "/v1/me")


def organization() -> ApiRequest:
    """`GET /v1/organization`."""
    return ApiRequest("GET", "/v1/organization")


def change_organization(change: OrganizationChange) -> ApiRequest:
    """`PATCH /v1/organization`."""
    return ApiRequest("PATCH", "/v1/organization", json=change.model_dump_json(exclude_unset=True))


def search(request: SearchRequest | str) -> ApiRequest:
    """`POST /v1/search`."""
    return _post("/v1/search", SearchRequest(query=request) if isinstance(request, str) else request)


def context(request: ContextRequest | str) -> ApiRequest:
    """`POST /v1/context`."""
    return _post("/v1/context", ContextRequest(query=request) if isinstance(request, str) else request)


def ground(request: GroundRequest | str) -> ApiRequest:
    """`POST /v1/ground`."""
    return _post("/v1/ground", GroundRequest(query=request) if isinstance(request, str) else request)


def ask(request: AskRequest | str) -> ApiRequest:
    """`POST /v1/ask`; an LLM's answer costs money, so a lost reply is not asked for again."""
    body = AskRequest(question=request) if isinstance(request, str) else request
    return _post("/v1/ask", body, repeatable=False)


def ask_streamed(request: AskRequest | str) -> ApiRequest:
    """`POST /v1/ask`, to be replied event by event."""
    body = AskRequest(question=request) if isinstance(request, str) else request
    return _post("/v1/ask", AskRequest(**{**dict(body), "stream": True}), repeatable=False)


def _post(path: str, body: BaseModel, *, repeatable: bool = True) -> ApiRequest:
    return ApiRequest("POST", path, json=body.model_dump_json(exclude_unset=True), repeatable=repeatable)


def _send_file(method: str, path: str, file: Path | bytes, options: UploadOptions, named: Params) -> ApiRequest:
    params: Params = [*named, *_named(options, "title", "language", "subject_id", "entity_id", "taxonomy")]
    # An empty value stands for an empty list, which differs from leaving the list alone.
    params += [("course_id", course) for course in _listed(options.courses)]
    params += [("audience", group) for group in _listed(options.audience)]
    if options.metadata is not None:
        params.append(("metadata", json.dumps(dict(options.metadata), ensure_ascii=False)))
    headers = {
        "Idempotency-Key": options.idempotency_key or uuid4().hex,
        "Content-Type": "application/octet-stream",
    }
    return ApiRequest(method, path, params, content=UploadContent(file), headers=headers)


def _named(options: UploadOptions, *names: str) -> Params:
    return [(name, value) for name in names if (value := getattr(options, name)) is not None]


def _listed(values: Sequence[str] | None) -> Sequence[str]:
    return () if values is None else values or ("",)
