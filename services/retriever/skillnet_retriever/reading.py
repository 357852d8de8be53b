"""What was found, with the text of its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from skillnet_common.contracts.retrieval import Rung, Scores
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.context.surroundings import Place, place_of
from skillnet_retriever.domain.evidence import Judgement
from skillnet_retriever.domain.fusion import Ranked
from skillnet_retriever.domain.ground import Ground
from skillnet_retriever.domain.passages import FoundPassage, scores_of
from skillnet_retriever.domain.routing import Route
from skillnet_retriever.outlining import Outlined

_REACH = 4
"""Chunks to either side of a passage that may be read with it."""
_MOST_READ = 1_000
"""Chunks of an outline's parts that are read for one question: more than any budget of tokens holds."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a search of the snapshot gave."""

    route: Route
    pool: Pool
    ranking: list[Ranked]
    has_documents: bool
    warnings: list[str]
    judgement: Judgement | None = None
    """Of what the outline chose: it is judged as it is chosen."""
    searched: Sequence[Ranked] = ()
    """The ranking of the question alone, without variants and reranker: what its evidence is judged by."""
    chunk_ids: Sequence[UUID] = ()
    """All chunks of the parts that are read whole."""


def findings_of(outlined: Outlined, warnings: list[str]) -> Findings:
    """What the parts of an outline hold."""
    return Findings(
        outlined.route,
        outlined.pool,
        outlined.ranking,
        has_documents=True,
        warnings=warnings,
        judgement=outlined.judgement,
        chunk_ids=outlined.chunk_ids[:_MOST_READ],
    )


async def read_passages(snapshot: Snapshot, findings: Findings, limit: int) -> list[FoundPassage]:
    """The best `limit` passages; of a document or of parts of an outline that are read whole, all of them."""
    if findings.route.document is not None:
        return await _whole(snapshot, findings, findings.route.document.document_id)
    if findings.chunk_ids:
        return await _all_of(snapshot, findings, findings.chunk_ids)
    return await _texts(snapshot, findings.ranking[:limit], findings.pool)


async def read_ground(snapshot: Snapshot, findings: Findings, ground: Ground, limit: int) -> list[FoundPassage]:
    """What a context on this ground is made of; nothing on general knowledge."""
    if ground.rung is Rung.CHUNKS:
        return await read_passages(snapshot, findings, limit)
    if ground.document is not None:
        return await _whole(snapshot, findings, ground.document.document_id)
    return []


async def read_around(snapshot: Snapshot, passages: Sequence[FoundPassage]) -> dict[Place, FoundPassage]:
    """What stands around the passages in their sections."""
    if not passages:
        return {}
    texts = await snapshot.around([passage.text.chunk_id for passage in passages], reach=_REACH)
    lowest = min(passage.score for passage in passages)
    found = (FoundPassage(text, lowest, Scores()) for text in texts)
    return {place_of(passage): passage for passage in found}


async def _texts(snapshot: Snapshot, ranking: Sequence[Ranked], pool: Pool) -> list[FoundPassage]:
    texts = await snapshot.texts([ranked.candidate.chunk_id for ranked in ranking])
    return [
        FoundPassage(texts[ranked.candidate.chunk_id], ranked.fused, scores_of(ranked, pool))
        for ranked in ranking
        if ranked.candidate.chunk_id in texts
    ]


async def _whole(snapshot: Snapshot, findings: Findings, document_id: UUID) -> list[FoundPassage]:
    return await _all_of(snapshot, findings, await snapshot.chunks_of(document_id))


async def _all_of(snapshot: Snapshot, findings: Findings, chunk_ids: Sequence[UUID]) -> list[FoundPassage]:
    """These chunks: the ranked ones first, then the others in the order of reading."""
    texts = await snapshot.texts(chunk_ids)
    ranked = {r.candidate.chunk_id: r for r in findings.ranking}
    lowest = min((r.fused for r in findings.ranking), default=0.0)
    found = [
        FoundPassage(texts[chunk_id], ranked[chunk_id].fused, scores_of(ranked[chunk_id], findings.pool))
        for chunk_id in ranked
        if chunk_id in texts
    ]
    rest = [
        FoundPassage(texts[chunk_id], lowest - place, Scores())
        for place, chunk_id in enumerate(chunk_ids, start=1)
        if chunk_id not in ranked
    ]
    return found + rest
