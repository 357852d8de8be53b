"""An organisation's consent to each way its text may leave the system. Whoever sends text asks here first."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode, PermanentFault


class Consent(StrEnum):
    """To whom text may be sent. None is given unless the organisation says so."""

    LLM = "llm"
    """Questions and passages, to the language model that words answers."""
    EMBEDDING = "embedding"
    """Text of documents and questions, to an embeddings API."""
    RERANK = "rerank"
    """Questions and passages, to a reranking API."""


_HAS = "SELECT settings -> $2 = 'true'::jsonb FROM organizations WHERE org_id = $1"

_SENTENCES = {
    Consent.LLM: "La organización no ha autorizado que sus textos se envíen a un modelo de lenguaje.",
    Consent.EMBEDDING: "La organización no ha autorizado que sus textos se envíen al servicio externo de embeddings.",
    Consent.RERANK: "La organización no ha autorizado que sus textos se envíen al servicio externo de reordenación.",
}


async def has_consent(connection: Connection, org_id: UUID, consent: Consent) -> bool:
    """Whether the organisation of the open tenant transaction lets its text go there, as of now."""
    return bool(await connection.fetchval(_HAS, org_id, f"{consent}_consent"))


async def require_consent(connection: Connection, org_id: UUID, consent: Consent) -> None:
    """Raises PermanentFault `consent_required`, with what to do, where the organisation has not consented."""
    if not await has_consent(connection, org_id, consent):
        raise PermanentFault(
            ErrorCode.CONSENT_REQUIRED,
            f"{_SENTENCES[consent]} Quien administra la organización puede autorizarlo (skillnet organization"
            f" --{consent}-consent); después se repite lo que ha quedado pendiente.",
            consent=consent,
        )
