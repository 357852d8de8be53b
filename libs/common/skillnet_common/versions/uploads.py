"""An upload becomes a version, once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

import asyncpg

from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.versions.locks import SQL, lock_known_document
from skillnet_common.versions.metadata import MetadataChange, apply_metadata, retitle_standing_version
from skillnet_common.versions.redo import begin_version


class UploadOutcome(StrEnum):
    """What an upload did."""

    CREATED = "created"
    NEW_VERSION = "new_version"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in the object store that is to become a document's next version.

    Fields that are None leave what the document has; `courses` given replaces the list, and so does `audience`:
    empty, it opens the document to the whole organisation. `default_audience` is what a new document gets without it.
    """

    org_id: UUID
    external_key: str
    file_name: str
    object_key: str
    sha256: bytes
    size: int
    pipeline_fingerprint: str
    source: str = "upload"
    title: str | None = None
    language: str | None = None
    subject_id: str | None = None
    entity_id: str | None = None
    taxonomy: str | None = None
    metadata: Mapping[str, Any] | None = None
    audience: Sequence[str] | None = None
    courses: Sequence[str] | None = None
    idempotency_key: str | None = None
    default_title: str = field(default="")
    default_audience: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class UploadResult:
    """`replayed`: the same Idempotency-Key was seen before, and this is what it did then.

    `object_kept` is False where the uploaded object is not referenced and must be deleted by the caller.
    """

    document_id: UUID
    version: int
    outcome: UploadOutcome
    replayed: bool
    object_kept: bool


def document_id_for(org_id: UUID, source: str, external_key: str) -> UUID:
    """The id of the document with this identity: the same key always names the same document."""
    return uuid5(NAMESPACE_URL, f"skillnet:{org_id}:{source}\0{external_key}")


async def accept_upload(connection: Connection, upload: Upload) -> UploadResult:
    """Makes the upload the next version, or finds that nothing has changed.

    Same bytes and pipeline as the newest version that has not failed: only metadata is applied. Raises
    RequestError `idempotency_key_reused` where the key came with another request before.
    """
    document_id = document_id_for(upload.org_id, upload.source, upload.external_key)
    title = upload.title or upload.default_title or upload.file_name
    await connection.execute(
        SQL.insert_document, upload.org_id, document_id, upload.source, upload.external_key, title
    )
    document = await lock_known_document(connection, upload.org_id, document_id)

    earlier = await _replay(connection, upload)
    if earlier is not None:
        return earlier

    standing: asyncpg.Record | None = await connection.fetchrow(
        SQL.newest_standing_version, upload.org_id, document_id
    )
    unchanged = False
    if standing is not None and document["deleted_at"] is None and _same_content(standing, upload):
        unchanged = True
        version, outcome = standing["version"], UploadOutcome.UNCHANGED
        if upload.title is not None:
            await retitle_standing_version(connection, upload.org_id, document_id, upload.title)
        said = replace(_said(upload), title=upload.title)
    else:
        version = document["newest_version"] + 1
        outcome = (
            UploadOutcome.CREATED if document["promoted_version"] == 0 and version == 1 else UploadOutcome.NEW_VERSION
        )
        same_file = standing if standing is not None and _is_same_file(standing, upload) else None
        await _open_version(connection, upload, document, version, title, like=same_file)
        said = _said(upload)
        if version == 1 and upload.audience is None:
            said = replace(said, audience=upload.default_audience)
    await apply_metadata(connection, upload.org_id, document_id, said, announce=document["live_version"])

    if upload.idempotency_key is not None:
        try:
            await connection.execute(
                SQL.insert_idempotency_key,
                upload.org_id,
                upload.idempotency_key,
                _request_hash(upload),
                document_id,
                version,
                outcome,
            )
        except asyncpg.UniqueViolationError as error:  # taken meanwhile by a request for another document
            raise _key_reused() from error
    return UploadResult(document_id, version, outcome, replayed=False, object_kept=not unchanged)


def _said(upload: Upload) -> MetadataChange:
    """All but the title, which a new version brings along when it becomes live."""
    return MetadataChange(
        subject_id=upload.subject_id,
        entity_id=upload.entity_id,
        taxonomy=upload.taxonomy,
        metadata=upload.metadata,
        audience=upload.audience,
        courses=upload.courses,
    )


def _same_content(version: asyncpg.Record, upload: Upload) -> bool:
    return bool(
        version["content_sha256"] == upload.sha256 and version["pipeline_fingerprint"] == upload.pipeline_fingerprint
    )


def _is_same_file(version: asyncpg.Record, upload: Upload) -> bool:
    """Its name tells how some formats are read."""
    return bool(version["content_sha256"] == upload.sha256 and version["file_name"] == upload.file_name)


async def _replay(connection: Connection, upload: Upload) -> UploadResult | None:
    if upload.idempotency_key is None:
        return None
    row = await connection.fetchrow(SQL.find_idempotency_key, upload.org_id, upload.idempotency_key)
    if row is None:
        return None
    if row["request_hash"] != _request_hash(upload):
        raise _key_reused()
    return UploadResult(
        row["document_id"], row["version"], UploadOutcome(row["outcome"]), replayed=True, object_kept=False
    )


def _key_reused() -> RequestError:
    return RequestError(
        ErrorCode.IDEMPOTENCY_KEY_REUSED,
        "This Idempotency-Key was used for a different upload. Take a new key.",
    )


def _request_hash(upload: Upload) -> bytes:
    parts = (
        upload.source,
        upload.external_key,
        upload.file_name,
        upload.sha256.hex(),
        upload.title,
        upload.language,
        upload.subject_id,
        upload.entity_id,
        upload.taxonomy,
        dict(upload.metadata) if upload.metadata is not None else None,
        list(upload.audience) if upload.audience is not None else None,
        list(upload.courses) if upload.courses is not None else None,
    )
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest()


async def _open_version(
    connection: Connection,
    upload: Upload,
    document: asyncpg.Record,
    version: int,
    title: str,
    *,
    like: asyncpg.Record | None,
) -> None:
    if upload.title is None and document["newest_version"] > 0:
        title = document["title"]
    org_id, document_id = upload.org_id, document["document_id"]
    await connection.execute(
        SQL.insert_version,
        org_id,
        document_id,
        version,
        upload.file_name,
        upload.object_key,
        upload.sha256,
        upload.size,
        upload.pipeline_fingerprint,
        title,
        upload.language,
    )
    await connection.execute(SQL.open_version, org_id, document_id, version, title, upload.title is not None)
    await begin_version(connection, org_id, document_id, version, like=like)
