"""Asks a reranker for the order of the best passages, within its time and with the organisation's consent."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

import structlog

from skillnet_common.errors import SkillnetError
from skillnet_inference.rerank.reranker import Reranker
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.fusion import Ranked
from skillnet_retriever.domain.passages import ChunkText
from skillnet_retriever.domain.reranking import RerankRule, reranked
from skillnet_retriever.metrics import RERANKS

log = structlog.get_logger(__name__)

_NONE = "Esta instalación no tiene reordenador (RERANK_PROVIDER): el orden es el de la búsqueda."
_WITHHELD = (
    "La organización no ha autorizado que sus textos se envíen al servicio externo de reordenación: el orden es el "
    "de la búsqueda."
)
_FAILED = "El reordenador no ha respondido a tiempo o ha fallado: el orden es el de la búsqueda."

MaySend = Callable[[UUID], Awaitable[bool]]
"""Whether an organisation's text may be sent to a service."""


class Reranking:
    """`may_send` says whether an organisation's text may go to the reranker; None where it stays in the process."""

    def __init__(
        self, reranker: Reranker | None, rule: RerankRule, *, seconds: float, may_send: MaySend | None = None
    ) -> None:
        self._reranker = reranker
        self._rule = rule
        self._seconds = seconds
        self._may_send = may_send

    async def is_allowed(self, org_id: UUID) -> bool:
        """Whether the organisation's text may be reranked. Asked before a snapshot is opened: whoever holds one
        connection and waits for another can wait for ever."""
        return self._reranker is None or self._may_send is None or await self._may_send(org_id)

    async def order(
        self,
        snapshot: Snapshot,
        org_id: UUID,
        question: str,
        ranking: Sequence[Ranked],
        *,
        wanted: bool | None,
        allowed: bool,
    ) -> tuple[list[Ranked], list[str]]:
        """The ranking, reranked where the rule or the request wants it, and warnings. A reranker that fails or takes
        too long changes nothing. `allowed` is what `is_allowed` said."""
        unchanged = list(ranking)
        if wanted is False or not unchanged:
            return unchanged, []
        if self._reranker is None:
            return unchanged, [_NONE] if wanted else []
        if not wanted and not self._rule.applies_to(unchanged):
            return unchanged, []
        if not allowed:
            return unchanged, [_WITHHELD]
        best = unchanged[: self._rule.candidates]
        texts = await snapshot.texts([ranked.candidate.chunk_id for ranked in best])
        passages = [_read(texts[ranked.candidate.chunk_id]) for ranked in best]
        try:
            async with asyncio.timeout(self._seconds):
                scores = await self._reranker.scores(question, passages)
        except (SkillnetError, TimeoutError) as fault:
            RERANKS.labels("failed").inc()
            log.warning("rerank_failed", org_id=str(org_id), model=self._reranker.name, reason=repr(fault))
            return unchanged, [_FAILED]
        RERANKS.labels("reranked").inc()
        return reranked(unchanged, scores), []


NO_RERANKING = Reranking(None, RerankRule(candidates=2, min_candidates=2, close_share=0), seconds=1)
"""The order of the search stands."""


def _read(text: ChunkText) -> str:
    return " > ".join([text.document_title, *text.section_path]) + "\n" + text.shown_text
