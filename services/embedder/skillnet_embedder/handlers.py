"""From a batch of chunks to vectors; the last batch of a version makes it live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from pgvector import HalfVector

from skillnet_common.consent import Consent, require_consent
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.database.pool import Connection, Database
from skillnet_common.documents.chunk import model_text
from skillnet_common.usage import add_usage
from skillnet_common.versions import finish_version, lock_version
from skillnet_common.versions.locks import DocumentGone
from skillnet_common.work.claims import Claim, settle
from skillnet_embedder.encoding import Encode
from skillnet_inference.token_vectors import EncodedPassages

_LOAD = (
    "SELECT chunk_id, header, body, token_count FROM document_chunks"
    " WHERE org_id = $1 AND chunk_id = ANY ($2::uuid[]) ORDER BY chunk_index"
)
_INSERT = (
    "INSERT INTO chunk_embeddings (org_id, model_id, chunk_id, document_id, version, embedding)"
    " SELECT $1, $2, v.chunk_id, $3, $4, v.embedding"
    " FROM unnest($5::uuid[], $6::halfvec[]) AS v (chunk_id, embedding)"
    " ON CONFLICT DO NOTHING"
)
_INSERT_SIGN_BITS = (
    "INSERT INTO chunk_token_bits (org_id, model_id, chunk_id, token_bits)"
    " SELECT $1, $2, v.chunk_id, v.token_bits FROM unnest($3::uuid[], $4::bytea[]) AS v (chunk_id, token_bits)"
    " ON CONFLICT DO NOTHING"
)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Chunks to encode. `tokens`: of all of them together."""

    ids: list[UUID]
    texts: list[str]
    tokens: int


class EmbedHandler:
    """Encodes off the event loop, then writes what came of it, settles, and finishes the version if it is whole.

    `sends_text`: `encode` sends it to somebody else's service, which the organisation must have consented to.
    """

    def __init__(self, database: Database, encode: Encode, *, sends_text: bool = False) -> None:
        self._database = database
        self._encode = encode
        self._sends_text = sends_text

    async def __call__(self, claim: Claim) -> None:
        """Does one claimed batch. Raises DocumentGone where chunks are gone, PermanentFault `consent_required`, and
        whatever `encode` raises."""
        batch = await self._load(claim)
        encoded = await self._encode(batch.texts)
        await self._save(claim, batch, encoded)

    async def _load(self, claim: Claim) -> _Batch:
        async with self._database.tenant(claim.org_id) as connection:
            if self._sends_text:
                await require_consent(connection, claim.org_id, Consent.EMBEDDING)
            rows = await connection.fetch(_LOAD, claim.org_id, list(claim.chunk_ids))
        if len(rows) != len(claim.chunk_ids):
            raise DocumentGone
        return _Batch(
            ids=[row["chunk_id"] for row in rows],
            texts=[model_text(row["header"], row["body"]) for row in rows],
            tokens=sum(row["token_count"] for row in rows),
        )

    async def _save(self, claim: Claim, batch: _Batch, encoded: EncodedPassages) -> None:
        async with self._database.tenant(claim.org_id) as connection:
            await lock_version(connection, claim.org_id, claim.document_id, claim.version, expect="embedding")
            await settle(connection, claim)
            await _insert(connection, claim, batch.ids, encoded)
            await finish_version(connection, claim.org_id, claim.document_id, claim.version)
            await add_usage(connection, claim.org_id, {UsageKind.EMBEDDING_TOKENS: batch.tokens})


async def _insert(connection: Connection, claim: Claim, ids: list[UUID], encoded: EncodedPassages) -> None:
    halves: list[Any] = [HalfVector(vector) for vector in encoded.vectors]
    await connection.execute(_INSERT, claim.org_id, claim.model_id, claim.document_id, claim.version, ids, halves)
    if encoded.token_bits is not None:
        await connection.execute(_INSERT_SIGN_BITS, claim.org_id, claim.model_id, ids, encoded.token_bits)
