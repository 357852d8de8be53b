"""How a file is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from skillnet_client.content import UploadContent
from skillnet_client.requests.base import ApiRequest, Params


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


def upload_archive(file: Path | bytes, options: UploadOptions) -> ApiRequest:
    """`POST /v1/documents/bulk`; every file of the archive has its own name, key and title."""
    own = (options.filename, options.external_key, options.title, options.idempotency_key)
    if any(value is not None for value in own):
        raise ValueError("give no filename, external_key, title or idempotency_key: they differ by file")
    request = _send_file("POST", "/v1/documents/bulk", file, options, _named(options, "source"))
    return replace(request, headers={"Content-Type": "application/zip"})


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
