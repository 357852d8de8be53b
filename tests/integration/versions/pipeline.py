"""Small workers that take a version through its stages with the real claims and the real version functions.

Only what the services compute is left out: a version's content is a list of chunk bodies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from pgvector import HalfVector

from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database import Database
from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode
from skillnet_common.versions import (
    DocumentGone,
    Upload,
    UploadResult,
    accept_upload,
    cancel_version,
    delete_document,
    fail_version,
    finish_version,
    lock_version,
)
from skillnet_common.versions.locks import lock_document
from skillnet_common.work import Claim, LostClaim, WorkTable
from skillnet_common.work.claims import add_embed_batches, add_work, settle


class Pipeline:
    """Everything that can befall the documents of one organisation, as single steps."""

    def __init__(
        self,
        database: Database,
        org_id: UUID,
        *,
        lease_seconds: float = 60,
        max_attempts: int = 5,
        chunks: int = 2,
        retry_seconds: float = 0,
    ) -> None:
        self.database = database
        self.org_id = org_id
        self.chunks = chunks
        self.table = WorkTable(
            database,
            instance="test",
            lease_seconds=lease_seconds,
            max_attempts=max_attempts,
            retry_seconds=retry_seconds,
        )

    # -- what users do

    async def upload(self, key: str, content: str, **fields: object) -> UploadResult:
        """Uploads a text as a new version of the document `key`."""
        values: dict[str, Any] = {
            "org_id": self.org_id,
            "external_key": key,
            "file_name": f"{key}.txt",
            "object_key": f"originals/{self.org_id}/{uuid4().hex}",
            "sha256": hashlib.sha256(content.encode()).digest(),
            "size": len(content),
            "pipeline_fingerprint": "test",
        }
        upload = Upload(**{**values, **fields})
        async with self.database.tenant(self.org_id) as connection:
            return await accept_upload(connection, upload)

    async def delete(self, document_id: UUID) -> int:
        """Deletes the document; returns the newest version there was, none of which may ever be live again."""
        async with self.database.tenant(self.org_id) as connection:
            await delete_document(connection, self.org_id, document_id)
            newest = await connection.fetchval(
                "SELECT newest_version FROM documents"
                " WHERE org_id = $1 AND document_id = $2 AND deleted_at IS NOT NULL",
                self.org_id,
                document_id,
            )
        return int(newest or 0)

    async def cancel(self, document_id: UUID, version: int) -> bool:
        """Cancels a version under way."""
        async with self.database.tenant(self.org_id) as connection:
            return await cancel_version(connection, self.org_id, document_id, version)

    # -- what workers do

    async def due(self, document_id: UUID | None = None) -> list[WorkMessage]:
        """A message for each piece of work that waits or is out, oldest first."""
        async with self.database.tenant(self.org_id) as connection:
            rows = await connection.fetch(
                "SELECT work_id, stage FROM work WHERE org_id = $1 AND state IN ('waiting', 'released')"
                " AND ($2::uuid IS NULL OR document_id = $2) ORDER BY work_id",
                self.org_id,
                document_id,
            )
        return [
            WorkMessage(org_id=self.org_id, work_id=row["work_id"], stage=Stage(row["stage"]), release=1)
            for row in rows
        ]

    async def deliver(self, message: WorkMessage) -> str:
        """A whole delivery: claim, do, settle. Says how it ended; `ignored` where there is nothing to claim."""
        claim = await self.table.claim(message)
        return "ignored" if claim is None else await self.complete(claim)

    async def complete(self, claim: Claim) -> str:
        """The rest of a delivery after its claim: `done`, or `dropped` where the result is not wanted."""
        steps = {Stage.PARSE: self._parse, Stage.CHUNK: self._chunk, Stage.EMBED: self._embed}
        try:
            async with self.database.tenant(self.org_id) as connection:
                await steps[claim.stage](connection, claim)
        except LostClaim:
            return "dropped"
        except DocumentGone:
            await self._drop(claim)
            return "dropped"
        return "done"

    async def fail(self, claim: Claim) -> str:
        """A permanent fault of the claimed work."""
        try:
            async with self.database.tenant(self.org_id) as connection:
                await lock_document(connection, self.org_id, claim.document_id)
                await settle(connection, claim, "failed", "test")
                await fail_version(
                    connection,
                    self.org_id,
                    claim.document_id,
                    claim.version,
                    stage=claim.stage,
                    code=ErrorCode.CORRUPT_FILE,
                    message="The file is broken.",
                )
        except LostClaim:
            return "dropped"
        return "failed"

    async def give_up(self, claim: Claim, reason: str = "it hurts") -> UUID:
        """What a worker does after the last attempt; the id of the quarantined work."""
        async with self.database.tenant(self.org_id) as connection:
            await lock_document(connection, self.org_id, claim.document_id)
            await settle(connection, claim, "quarantined", reason)
            await fail_version(
                connection,
                self.org_id,
                claim.document_id,
                claim.version,
                stage=claim.stage,
                code=ErrorCode.ATTEMPTS_EXHAUSTED,
                message="Given up.",
            )
        return claim.work_id

    async def drain(self, document_id: UUID | None = None) -> None:
        """Does all work that is left."""
        while messages := await self.due(document_id):
            for message in messages:
                await self.deliver(message)

    async def _drop(self, claim: Claim) -> None:
        try:
            async with self.database.tenant(self.org_id) as connection:
                await settle(connection, claim, "cancelled")
        except LostClaim:
            return

    async def _parse(self, connection: Connection, claim: Claim) -> None:
        key = (claim.org_id, claim.document_id, claim.version)
        await lock_version(connection, *key, expect="uploaded")
        await settle(connection, claim)
        await connection.execute(
            "UPDATE document_versions SET state = 'parsed', page_count = 1, file_type = 'txt', language = 'es'"
            " WHERE org_id = $1 AND document_id = $2 AND version = $3",
            *key,
        )
        await add_work(connection, claim.org_id, Stage.CHUNK, claim.document_id, claim.version, 1)

    async def _chunk(self, connection: Connection, claim: Claim) -> None:
        key = (claim.org_id, claim.document_id, claim.version)
        await lock_version(connection, *key, expect="parsed")
        await settle(connection, claim)
        chunk_ids = [chunk_id_for(claim.document_id, claim.version, index) for index in range(self.chunks)]
        await insert_chunks(connection, *key, chunk_ids)
        await connection.execute(
            "UPDATE document_versions SET state = 'embedding', expected_chunks = $4"
            " WHERE org_id = $1 AND document_id = $2 AND version = $3",
            *key,
            self.chunks,
        )
        model_id = await connection.fetchval("SELECT model_id FROM serving_model")
        await add_embed_batches(connection, *key, model_id, [([chunk_id], 10) for chunk_id in chunk_ids])

    async def _embed(self, connection: Connection, claim: Claim) -> None:
        key = (claim.org_id, claim.document_id, claim.version)
        await lock_version(connection, *key, expect="embedding")
        await settle(connection, claim)
        await connection.execute(
            "INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)"
            " SELECT $1, $2, unnest($3::uuid[]), $4, $5, $6 ON CONFLICT DO NOTHING",
            claim.org_id,
            claim.model_id,
            list(claim.chunk_ids),
            claim.document_id,
            claim.version,
            HalfVector([1, 0, 0, 0]),
        )
        await finish_version(connection, *key)


def chunk_id_for(document_id: UUID, version: int, index: int) -> UUID:
    """The derived id of a chunk."""
    return uuid5(NAMESPACE_URL, f"test:{document_id}:{version}:{index}")


async def insert_chunks(
    connection: Connection, org_id: UUID, document_id: UUID, version: int, chunk_ids: Sequence[UUID]
) -> None:
    """Chunks whose body names their version, so that a mixture would show."""
    await connection.executemany(
        "INSERT INTO document_chunks (org_id, chunk_id, document_id, version, chunk_index, chunk_total, kind,"
        " section_index, section_id, section_path, heading, header, body, char_start, char_end, token_count,"
        " language, content_hash, embed_hash)"
        " VALUES ($1, $2, $3, $4, $5, $6, 'text', 0, 's', '{}', '', '', $7, 0, 9, 3, 'es', $8, $8)",
        [
            (
                org_id,
                chunk_id,
                document_id,
                version,
                index,
                len(chunk_ids),
                f"version {version} chunk {index}",
                hashlib.sha256(chunk_id.bytes).digest(),
            )
            for index, chunk_id in enumerate(chunk_ids)
        ],
    )
