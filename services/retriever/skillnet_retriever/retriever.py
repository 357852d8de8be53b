"""Answers to `search`, `context` and `ground`: the domain's decisions over one snapshot of the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from skillnet_common.auth import Principal
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    Filters,
    GroundReply,
    GroundRequest,
    Rung,
    Scores,
    SearchReply,
    SearchRequest,
    Strategy,
)
from skillnet_inference.vectors import Vectors
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.context import Context, assemble
from skillnet_retriever.domain.context.assembly import TokenCounter
from skillnet_retriever.domain.evidence import Calibration, judge
from skillnet_retriever.domain.fusion import Ranked, fuse, keep_leaders
from skillnet_retriever.domain.ground import Ground, WholeDocument, choose_ground
from skillnet_retriever.domain.late_interaction import COMPARED, max_sims, with_late_scores
from skillnet_retriever.domain.passages import FoundPassage, passage_out, scores_of
from skillnet_retriever.domain.routing import Route, choose_route
from skillnet_retriever.metrics import RUNGS
from skillnet_retriever.questions import EncodedQuestion, QuestionEncoder, normalised
from skillnet_retriever.settings import RetrieverSettings

_CUT = "La pregunta es más larga de lo que lee el modelo: la búsqueda por significado usa solo su comienzo."
_WITHHELD = (
    "La organización no ha autorizado que sus preguntas se envíen al servicio externo de embeddings: se ha buscado "
    "solo por palabras."
)
_NO_TOKENS = "Esta instalación no compara palabra por palabra (LATE_INTERACTION): se ha buscado sin ello."
_NO_WORDS = "La pregunta solo tiene palabras vacías: no hay ninguna que buscar."
_TOO_SMALL = "Ningún pasaje cabe en el presupuesto de tokens."
_WHOLE_TOO_LONG = "El documento entero no cabe en el presupuesto de tokens; se han elegido sus mejores pasajes."


MaySend = Callable[[UUID], Awaitable[bool]]
"""Whether the organisation's questions may be sent to the service that embeds them."""


class Snapshots(Protocol):
    """Where snapshots come from: `Corpus`."""

    def snapshot(self, principal: Principal, filters: Filters) -> AbstractAsyncContextManager[Snapshot]:
        """One transaction's view of what the asker may see."""
        ...


@dataclass(frozen=True, slots=True)
class ServingModel:
    """The embedding model as replies name it. `calibration` is None where it is not a semantic one."""

    model_id: int
    slug: str
    calibration: Calibration | None


@dataclass(frozen=True, slots=True)
class _Question:
    """A normalised question. `encoded` is None where only words are searched; `withheld`: for want of consent."""

    text: str
    encoded: EncodedQuestion | None = None
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class _Findings:
    """What a search of the snapshot gave."""

    route: Route
    pool: Pool
    ranking: list[Ranked]
    has_documents: bool
    warnings: list[str]


class Retriever:
    """Stateless but for the cache of questions; safe for concurrent requests. `may_send` is asked before a question
    is embedded; None where it does not leave the process."""

    def __init__(
        self,
        corpus: Snapshots,
        questions: QuestionEncoder,
        model: ServingModel,
        settings: RetrieverSettings,
        count_tokens: TokenCounter,
        may_send: MaySend | None = None,
    ) -> None:
        self._corpus = corpus
        self._questions = questions
        self._model = model
        self._settings = settings
        self._count_tokens = count_tokens
        self._may_send = may_send

    async def search(self, principal: Principal, request: SearchRequest) -> SearchReply:
        """Ranked passages, best first."""
        started = time.perf_counter()
        question = await self._encode(principal, request)
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            findings = await self._find(snapshot, question, request)
            passages = (await self._passages(snapshot, findings, request.limit))[: request.limit]
        return SearchReply(
            passages=[passage_out(passage) for passage in passages],
            strategy=findings.route.strategy,
            strategy_reason=findings.route.reason,
            warnings=findings.warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
        )

    async def context(self, principal: Principal, request: ContextRequest) -> ContextReply:
        """A block of tagged passages within the budget."""
        started = time.perf_counter()
        question = await self._encode(principal, request)
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            findings = await self._find(snapshot, question, request)
            passages = await self._passages(snapshot, findings, request.limit)
        context, warnings = self._assemble(passages, request, findings.route)
        return ContextReply(
            **_context_fields(context, request),
            strategy=findings.route.strategy,
            strategy_reason=findings.route.reason,
            warnings=findings.warnings + warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
        )

    async def ground(self, principal: Principal, request: GroundRequest) -> GroundReply:
        """The context together with the rung it stands on; without passages on `general` and `none`."""
        started = time.perf_counter()
        question = await self._encode(principal, request)
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            findings = await self._find(snapshot, question, request)
            judgement = judge(findings.pool, findings.ranking, self._model.calibration)
            closest = None
            if request.allow_document and not judgement.sufficient and not snapshot.is_narrowed:
                closest = await self._closest_document(snapshot, question.text, findings.pool)
            ground = choose_ground(
                judgement,
                has_documents=findings.has_documents,
                read_whole=findings.route.document,
                closest=closest,
                allow_general=request.allow_general,
            )
            passages = await self._ground_passages(snapshot, findings, ground, request.limit)
        RUNGS.labels(ground.rung).inc()
        context, warnings = self._assemble(passages, request, findings.route)
        return GroundReply(
            **_context_fields(context, request),
            strategy=Strategy.FULL_TEXT if ground.document is not None else findings.route.strategy,
            strategy_reason=findings.route.reason,
            warnings=findings.warnings + warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
            rung=ground.rung,
            reason=ground.reason,
            evidence=judgement.evidence,
        )

    async def _encode(self, principal: Principal, request: SearchRequest) -> _Question:
        """The question and its vector, before a snapshot is opened."""
        query = normalised(request.query)
        if request.strategy is Strategy.KEYWORD or self._model.calibration is None:
            return _Question(query)
        if self._may_send is not None and not await self._may_send(principal.org_id):
            return _Question(query, withheld=True)
        return _Question(query, await self._questions.encode(query))

    async def _find(self, snapshot: Snapshot, question: _Question, request: SearchRequest) -> _Findings:
        candidates = max(self._settings.search_candidates, request.limit)
        if question.encoded is None:
            found = await snapshot.search_words(question.text, candidates=candidates)
        else:
            found = await snapshot.search(question.text, question.encoded.vector, candidates=candidates)
        pool = found.pool
        route = choose_route(
            request.strategy,
            [] if snapshot.is_narrowed else found.documents,
            small_pages=self._settings.full_text_pages,
            semantic_model=self._model.calibration is not None,
            may_embed=not question.withheld,
        )
        alpha = _alpha(route.strategy, request.alpha, question.encoded)
        ranking = fuse(pool, request.fusion, alpha)
        warnings = [route.warning] if route.warning else []
        if question.encoded is not None and alpha > 0 and request.late_interaction is not False:
            if question.encoded.tokens is not None:
                ranking = keep_leaders(pool, await _compare_tokens(snapshot, question.encoded.tokens, ranking), alpha)
            elif request.late_interaction:
                warnings.append(_NO_TOKENS)
        if question.withheld:
            warnings.append(_WITHHELD)
        if question.encoded is not None and question.encoded.was_cut:
            warnings.append(_CUT)
        if found.documents and not pool.terms:
            warnings.append(_NO_WORDS)
        return _Findings(route, pool, ranking, bool(found.documents), warnings)

    async def _passages(self, snapshot: Snapshot, findings: _Findings, limit: int) -> list[FoundPassage]:
        """The best `limit` passages; of a document that is read whole, all of them."""
        if findings.route.document is None:
            return await self._texts(snapshot, findings.ranking[:limit], findings.pool)
        return await self._whole(snapshot, findings, findings.route.document.document_id)

    async def _ground_passages(
        self, snapshot: Snapshot, findings: _Findings, ground: Ground, limit: int
    ) -> list[FoundPassage]:
        if ground.rung is Rung.CHUNKS:
            return await self._texts(snapshot, findings.ranking[:limit], findings.pool)
        if ground.document is not None:
            return await self._whole(snapshot, findings, ground.document.document_id)
        return []

    async def _texts(self, snapshot: Snapshot, ranking: Sequence[Ranked], pool: Pool) -> list[FoundPassage]:
        texts = await snapshot.texts([ranked.candidate.chunk_id for ranked in ranking])
        return [
            FoundPassage(texts[ranked.candidate.chunk_id], ranked.fused, scores_of(ranked, pool))
            for ranked in ranking
            if ranked.candidate.chunk_id in texts
        ]

    async def _whole(self, snapshot: Snapshot, findings: _Findings, document_id: UUID) -> list[FoundPassage]:
        """Every chunk of the document: the ranked ones first, then the others in the order of reading."""
        chunk_ids = await snapshot.chunks_of(document_id)
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

    async def _closest_document(self, snapshot: Snapshot, query: str, pool: Pool) -> WholeDocument | None:
        documents = await snapshot.small_documents(query, pages=self._settings.full_text_pages)
        if not documents:
            return None
        document, terms_held = documents[0]
        return WholeDocument(document, terms_held, len(pool.terms))

    def _assemble(
        self, passages: Sequence[FoundPassage], request: ContextRequest, route: Route
    ) -> tuple[Context, list[str]]:
        context = assemble(passages, request.token_budget, self._count_tokens)
        warnings = []
        if passages and not context.sources:
            warnings.append(_TOO_SMALL)
        elif context.dropped and route.document is not None:
            warnings.append(_WHOLE_TOO_LONG)
        return context, warnings


async def _compare_tokens(snapshot: Snapshot, question: Vectors, ranking: Sequence[Ranked]) -> list[Ranked]:
    bits = await snapshot.token_bits([ranked.candidate.chunk_id for ranked in ranking[:COMPARED]])
    scores = await asyncio.to_thread(max_sims, question, list(bits.values()))
    return with_late_scores(ranking, dict(zip(bits, scores, strict=True)))


def _alpha(strategy: Strategy, alpha: float, question: EncodedQuestion | None) -> float:
    if question is None:
        return 0.0
    return {Strategy.SEMANTIC: 1.0, Strategy.KEYWORD: 0.0}.get(strategy, alpha)


def _context_fields(context: Context, request: ContextRequest) -> dict[str, object]:
    return {
        "context": context.text,
        "sources": list(context.sources),
        "token_count": context.token_count,
        "token_budget": request.token_budget,
        "dropped": context.dropped,
    }


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 2)
