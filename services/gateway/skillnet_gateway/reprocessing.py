"""Documents that another pipeline made are read or cut anew, a portion at a time."""

from __future__ import annotations

from uuid import UUID

import structlog

from skillnet_common.auth import Principal
from skillnet_common.contracts.reprocessing import ReprocessedDocument, ReprocessReply, ReprocessRequest
from skillnet_common.database import Database
from skillnet_common.settings import ChunkSettings
from skillnet_common.versions import Outdated, Redone, find_outdated, redo_document
from skillnet_gateway.pipelines import current_pipeline

log = structlog.get_logger(__name__)


class Reprocessing:
    """A document a transaction, so that none waits for the others."""

    def __init__(self, database: Database, chunks: ChunkSettings) -> None:
        self._database = database
        self._chunks = chunks

    async def run(self, principal: Principal, request: ReprocessRequest) -> ReprocessReply:
        """Opens a new version of outdated documents that the key sees, or only counts them."""
        fingerprint, outdated = await self._find(principal, request)
        if request.dry_run:
            return ReprocessReply(started=[], outdated=outdated.total)
        redone = [await self._redo(principal, document_id, fingerprint) for document_id in outdated.document_ids]
        started = [
            ReprocessedDocument(document_id=one.document_id, version=one.version, stage=one.stage)
            for one in redone
            if one is not None
        ]
        log.info("reprocessing", org_id=str(principal.org_id), key_id=str(principal.key_id), documents=len(started))
        return ReprocessReply(started=started, outdated=outdated.total - len(outdated.document_ids))

    async def _find(self, principal: Principal, request: ReprocessRequest) -> tuple[str, Outdated]:
        org_id = principal.org_id
        async with self._database.tenant(org_id, audience=principal.audience, readonly=True) as connection:
            fingerprint = await current_pipeline(connection, org_id, self._chunks)
            outdated = await find_outdated(
                connection, org_id, fingerprint, only=request.document_ids, limit=request.limit
            )
        return fingerprint, outdated

    async def _redo(self, principal: Principal, document_id: UUID, fingerprint: str) -> Redone | None:
        async with self._database.tenant(principal.org_id, audience=principal.audience) as connection:
            return await redo_document(connection, principal.org_id, document_id, fingerprint)
