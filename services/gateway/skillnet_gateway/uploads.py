"""From a request's body to a version: the object is stored first, then one transaction refers to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol
from uuid import UUID

import structlog

from skillnet_common.auth import Principal
from skillnet_common.contracts.fields import MAX_TITLE
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.database import Database, Queries
from skillnet_common.database.pool import Connection
from skillnet_common.errors import PassingFault
from skillnet_common.objects import Originals
from skillnet_common.settings import ChunkSettings
from skillnet_common.usage import add_usage
from skillnet_common.versions import Upload, UploadResult, accept_upload, document_id_for
from skillnet_common.versions.locks import lock_document
from skillnet_gateway.parameters import VersionParameters, file_name_of
from skillnet_gateway.pipelines import current_pipeline
from skillnet_gateway.rights import require_audience_changeable, require_own_groups, require_writable

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "queries.sql")


@dataclass(frozen=True, slots=True)
class Target:
    """The document that a file is for. `must_exist`: it is named by its id, so it may not be created."""

    source: str
    external_key: str
    file_name: str
    must_exist: bool


class Alongside(Protocol):
    """What else is written in an upload's transaction."""

    async def before(self, connection: Connection) -> None:
        """Ahead of the document's lock: other documents are locked here."""
        ...

    async def after(self, connection: Connection, result: UploadResult) -> None:
        """Once the upload is accepted."""
        ...


class Uploads:
    """Takes files in. Whatever goes wrong, no object stays that no version refers to."""

    def __init__(
        self,
        database: Database,
        originals: Originals,
        chunks: ChunkSettings,
        *,
        max_bytes: int,
    ) -> None:
        self._database = database
        self._originals = originals
        self._chunks = chunks
        self._max_bytes = max_bytes

    async def receive(
        self,
        principal: Principal,
        target: Target,
        parameters: VersionParameters,
        body: AsyncIterator[bytes],
        *,
        idempotency_key: str | None,
        alongside: Alongside | None = None,
    ) -> UploadResult:
        """Stores the body and makes it the document's next version, or finds that nothing has changed.

        Raises RequestError `payload_too_large`, `not_found`, `forbidden` or `idempotency_key_reused`, and what the
        body, and what is written alongside, raises.
        """
        require_own_groups(principal, parameters.audience)
        fingerprint = await self._fingerprint(principal.org_id)
        stored = await self._originals.write(principal.org_id, body, max_bytes=self._max_bytes)
        upload = Upload(
            org_id=principal.org_id,
            external_key=target.external_key,
            source=target.source,
            file_name=target.file_name,
            object_key=stored.key,
            sha256=stored.sha256,
            size=stored.size,
            pipeline_fingerprint=fingerprint,
            title=parameters.title,
            default_title=PurePath(target.file_name).stem[:MAX_TITLE],
            language=parameters.language,
            subject_id=parameters.subject_id,
            entity_id=parameters.entity_id,
            taxonomy=parameters.taxonomy,
            metadata=parameters.metadata_object(),
            audience=parameters.audience,
            default_audience=principal.audience,
            courses=parameters.course_id,
            idempotency_key=idempotency_key,
        )
        return await self._record(principal, upload, must_exist=target.must_exist, alongside=alongside)

    async def _fingerprint(self, org_id: UUID) -> str:
        async with self._database.tenant(org_id, readonly=True) as connection:
            return await current_pipeline(connection, org_id, self._chunks)

    async def _record(
        self, principal: Principal, upload: Upload, *, must_exist: bool, alongside: Alongside | None
    ) -> UploadResult:
        keep = False
        try:
            async with self._database.tenant(principal.org_id) as connection:
                document_id = document_id_for(upload.org_id, upload.source, upload.external_key)
                await connection.execute(_SQL.hold_identity, document_id)
                if alongside is not None:
                    await alongside.before(connection)
                await lock_document(connection, upload.org_id, document_id)
                document = await connection.fetchrow(_SQL.audience_of, upload.org_id, document_id)
                require_writable(principal, document, must_exist=must_exist)
                require_audience_changeable(principal, document, upload.audience)
                result = await accept_upload(connection, upload)
                if result.object_kept:
                    await add_usage(
                        connection,
                        upload.org_id,
                        {UsageKind.DOCUMENTS_UPLOADED: 1, UsageKind.BYTES_UPLOADED: upload.size},
                    )
                if alongside is not None:
                    await alongside.after(connection, result)
                # From here on the commit may happen although its reply is lost: an object too many is harmless,
                # a version without its object is not.
                keep = True
            keep = result.object_kept
        finally:
            if not keep:
                await self._discard(upload.object_key)
        return result

    async def _discard(self, object_key: str) -> None:
        try:
            await self._originals.delete(object_key)
        except PassingFault as fault:
            log.warning("unreferenced_object_left", object_key=object_key, reason=fault.message)


def new_target(source: str, external_key: str | None, filename: str) -> Target:
    """The target of an upload by key."""
    return Target(source, external_key or filename, file_name_of(filename), must_exist=False)


def known_target(source: str, external_key: str, file_name: str) -> Target:
    """The target of a new version of a document that is named by its id."""
    return Target(source, external_key, file_name, must_exist=True)


def links_of(document_id: UUID) -> dict[str, str]:
    """Where to go on from a document."""
    base = f"/v1/documents/{document_id}"
    parts = ("content", "original", "outline", "chunks", "progress")
    return {"self": base, **{part: f"{base}/{part}" for part in parts}}
