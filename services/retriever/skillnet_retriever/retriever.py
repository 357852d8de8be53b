"""Answers to `search`, `context` and `ground`: the domain's decisions over one snapshot of the database."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from skillnet_common.auth import Principal
from skillnet_common.calibration import Calibration
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    Filters,
    Fusion,
    GroundReply,
    GroundRequest,
    OutlineReply,
    OutlineRequest,
    Question,
    SearchReply,
    SearchRequest,
    Strategy,
)
from skillnet_inference.vectors import Vectors
from skillnet_retriever.calibrations import StoredCalibration
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.context import Context, assemble
from skillnet_retriever.domain.context.assembly import TokenCounter
from skillnet_retriever.domain.context.surroundings import Place
from skillnet_retriever.domain.evidence import judge
from skillnet_retriever.domain.follow_ups import standalone
from skillnet_retriever.domain.fusion import Ranked, fuse, keep_leaders
from skillnet_retriever.domain.ground import WholeDocument, choose_ground
from skillnet_retriever.domain.late_interaction import COMPARED, max_sims, with_late_scores
from skillnet_retriever.domain.passages import FoundPassage, passage_out
from skillnet_retriever.domain.remarks import corrections, wording_warnings
from skillnet_retriever.domain.routing import Route, choose_route, declined_route
from skillnet_retriever.domain.variants import merged
from skillnet_retriever.domain.wording import Wording, read_wording
from skillnet_retriever.legs import Found
from skillnet_retriever.metrics import RUNGS
from skillnet_retriever.outlining import Outlined, read_by_outline, show_outline, wants_outline
from skillnet_retriever.questions import EncodedQuestion, QuestionEncoder, normalised
from skillnet_retriever.reading import Findings, findings_of, read_around, read_ground, read_passages
from skillnet_retriever.reranking import NO_RERANKING, MaySend, Reranking
from skillnet_retriever.settings import RetrieverSettings

_CUT = "La pregunta es más larga de lo que lee el modelo: la búsqueda por significado usa solo su comienzo."
_WITHHELD = (
    "La organización no ha autorizado que sus preguntas se envíen al servicio externo de embeddings: se ha buscado "
    "solo por palabras."
)
_NO_TOKENS = "Esta instalación no compara palabra por palabra (LATE_INTERACTION): se ha buscado sin ello."
_NO_WORDS = "La pregunta solo tiene palabras vacías: por palabras no se ha buscado nada."
_TOO_SMALL = "Ningún pasaje cabe en el presupuesto de tokens."
_WHOLE_TOO_LONG = "El documento entero no cabe en el presupuesto de tokens; se han elegido sus mejores pasajes."


class CountTokens(Protocol):
    """Tokens of a text in an encoding of a language model: `count_llm_tokens`."""

    def __call__(self, text: str, encoding: str) -> int:
        """As said above."""
        ...


class Snapshots(Protocol):
    """Where snapshots come from: `Corpus`."""

    def snapshot(self, principal: Principal, filters: Filters) -> AbstractAsyncContextManager[Snapshot]:
        """One transaction's view of what the asker may see."""
        ...


@dataclass(frozen=True, slots=True)
class ServingModel:
    """The embedding model as replies name it. `calibration` holds where none is stored; None: no semantic model."""

    model_id: int
    slug: str
    calibration: Calibration | None


@dataclass(frozen=True, slots=True)
class _Question:
    """A normalised question. `read_as`: where the turn before completed it. `encoded` is None where only words are
    searched; `withheld`: for want of consent."""

    text: str
    wording: Wording
    read_as: str | None = None
    encoded: EncodedQuestion | None = None
    withheld: bool = False


class Retriever:
    """Stateless but for the cache of questions; safe for concurrent requests. `may_send` is asked before a question
    is embedded; None where it does not leave the process."""

    def __init__(
        self,
        corpus: Snapshots,
        questions: QuestionEncoder,
        model: ServingModel,
        settings: RetrieverSettings,
        count_tokens: CountTokens,
        may_send: MaySend | None = None,
        reranking: Reranking = NO_RERANKING,
        stored_calibration: StoredCalibration | None = None,
    ) -> None:
        self._corpus = corpus
        self._questions = questions
        self._model = model
        self._settings = settings
        self._count_tokens = count_tokens
        self._may_send = may_send
        self._reranking = reranking
        self._stored_calibration = stored_calibration

    async def search(self, principal: Principal, request: SearchRequest) -> SearchReply:
        """Ranked passages, best first."""
        started = time.perf_counter()
        async with self._found(principal, request) as (snapshot, question, findings):
            end = request.offset + request.limit
            passages = await read_passages(snapshot, findings, end + 1)
        return SearchReply(
            passages=[passage_out(passage) for passage in passages[request.offset : end]],
            next_offset=end if len(passages) > end else None,
            corrections=corrections(findings.pool),
            strategy=findings.route.strategy,
            strategy_reason=findings.route.reason,
            read_as=question.read_as,
            warnings=findings.warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
        )

    async def context(self, principal: Principal, request: ContextRequest) -> ContextReply:
        """A block of tagged passages within the budget."""
        started = time.perf_counter()
        async with self._found(principal, request) as (snapshot, question, findings):
            passages = await read_passages(snapshot, findings, request.limit)
            around = await read_around(snapshot, passages)
        context, warnings = self._assemble(passages, around, request, findings.route)
        return ContextReply(
            **_context_fields(context, request),
            corrections=corrections(findings.pool),
            strategy=findings.route.strategy,
            strategy_reason=findings.route.reason,
            read_as=question.read_as,
            warnings=findings.warnings + warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
        )

    async def ground(self, principal: Principal, request: GroundRequest) -> GroundReply:
        """The context together with the rung it stands on; without passages on `general` and `none`."""
        started = time.perf_counter()
        calibration = await self._calibration()
        async with self._found(principal, request) as (snapshot, question, findings):
            judgement = findings.judgement or judge(findings.pool, findings.ranking, calibration)
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
            passages = await read_ground(snapshot, findings, ground, request.limit)
            around = await read_around(snapshot, passages)
        RUNGS.labels(ground.rung).inc()
        context, warnings = self._assemble(passages, around, request, findings.route)
        return GroundReply(
            **_context_fields(context, request),
            corrections=corrections(findings.pool),
            strategy=Strategy.FULL_TEXT if ground.document is not None else findings.route.strategy,
            strategy_reason=findings.route.reason,
            read_as=question.read_as,
            warnings=findings.warnings + warnings,
            took_ms=_milliseconds(started),
            embedding_model=self._model.slug,
            rung=ground.rung,
            reason=ground.reason,
            evidence=judgement.evidence,
        )

    async def _calibration(self) -> Calibration | None:
        if self._model.calibration is None or self._stored_calibration is None:
            return self._model.calibration
        return await self._stored_calibration() or self._model.calibration

    async def outline(self, principal: Principal, request: OutlineRequest) -> OutlineReply:
        """The parts that a question by outline chooses from."""
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            return await show_outline(snapshot, self._settings)

    @asynccontextmanager
    async def _found(
        self, principal: Principal, request: Question
    ) -> AsyncIterator[tuple[Snapshot, _Question, Findings]]:
        """A snapshot and what was found in it: by its outline, where that is to be tried and a part of it fits, else
        by searching. Only a search needs the question's vector."""
        question = _read(request)
        declined = None
        if wants_outline(request):
            async with self._corpus.snapshot(principal, request.filters) as snapshot:
                await _narrow(snapshot, question)
                outlined = await read_by_outline(
                    snapshot,
                    question.text,
                    request,
                    self._settings,
                    semantic_model=self._model.calibration is not None,
                )
                if isinstance(outlined, Outlined):
                    yield snapshot, question, findings_of(outlined)
                    return
                declined = outlined.reason if outlined is not None else None
        question = await self._encode(principal, request, question)
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            findings = await self._find(snapshot, question, request, declined)
            if findings.route.document is None:
                findings = await self._widened(principal, snapshot, question, request, findings)
                findings = await self._reranked(principal, snapshot, question, request, findings)
            yield snapshot, question, findings

    async def _encode(self, principal: Principal, request: Question, question: _Question) -> _Question:
        """The question with its vector, before a snapshot is opened."""
        if request.strategy is Strategy.KEYWORD or self._model.calibration is None:
            return question
        if self._may_send is not None and not await self._may_send(principal.org_id):
            return replace(question, withheld=True)
        return replace(question, encoded=await self._questions.encode(question.text))

    async def _find(
        self, snapshot: Snapshot, question: _Question, request: Question, declined: str | None
    ) -> Findings:
        missing = await _narrow(snapshot, question)
        candidates = max(self._settings.search_candidates, request.limit)
        if question.encoded is None:
            found = await snapshot.search_words(question.text, candidates=candidates)
        else:
            found = await snapshot.search(question.text, question.encoded.vector, candidates=candidates)
        pool = found.pool
        route = self._route(request.strategy, found, declined, snapshot, question)
        alpha = _alpha(route.strategy, request.alpha, question.encoded)
        ranking = fuse(pool, request.fusion, alpha)
        warnings = [route.warning] if route.warning else []
        warnings += wording_warnings(question.wording, missing)
        if question.encoded is not None and alpha > 0 and request.late_interaction is not False:
            if question.encoded.tokens is not None:
                compared = await _compare_tokens(snapshot, question.encoded.tokens, ranking, request.fusion)
                ranking = keep_leaders(pool, compared, alpha)
            elif request.late_interaction:
                warnings.append(_NO_TOKENS)
        if question.withheld:
            warnings.append(_WITHHELD)
        if question.encoded is not None and question.encoded.was_cut:
            warnings.append(_CUT)
        if found.documents and not pool.terms:
            warnings.append(_NO_WORDS)
        return Findings(route, pool, ranking, bool(found.documents), warnings)

    async def _widened(
        self, principal: Principal, snapshot: Snapshot, question: _Question, request: Question, findings: Findings
    ) -> Findings:
        """The findings with those of the question's variants, which are searched as it was."""
        candidates = max(self._settings.search_candidates, request.limit)
        others: list[list[Ranked]] = []
        for text in request.variants:
            variant = await self._encode(principal, request, replace(question, text=normalised(text), encoded=None))
            if variant.encoded is None:
                found = await snapshot.search_words(variant.text, candidates=candidates)
            else:
                found = await snapshot.search(variant.text, variant.encoded.vector, candidates=candidates)
            alpha = _alpha(findings.route.strategy, request.alpha, variant.encoded)
            others.append(fuse(found.pool, request.fusion, alpha))
        return replace(findings, ranking=merged(findings.ranking, others))

    async def _reranked(
        self, principal: Principal, snapshot: Snapshot, question: _Question, request: Question, findings: Findings
    ) -> Findings:
        ranking, warnings = await self._reranking.order(
            snapshot, principal.org_id, question.text, findings.ranking, wanted=request.rerank
        )
        return replace(findings, ranking=ranking, warnings=findings.warnings + warnings)

    def _route(
        self, wanted: Strategy, found: Found, declined: str | None, snapshot: Snapshot, question: _Question
    ) -> Route:
        semantic_model, may_embed = self._model.calibration is not None, not question.withheld
        if declined is not None:
            return declined_route(declined, semantic_model=semantic_model, may_embed=may_embed)
        return choose_route(
            wanted,
            [] if snapshot.is_narrowed else found.documents,
            small_pages=self._settings.full_text_pages,
            semantic_model=semantic_model,
            may_embed=may_embed,
        )

    async def _closest_document(self, snapshot: Snapshot, query: str, pool: Pool) -> WholeDocument | None:
        documents = await snapshot.small_documents(query, pages=self._settings.full_text_pages)
        if not documents:
            return None
        document, terms_held = documents[0]
        return WholeDocument(document, terms_held, len(pool.terms))

    def _assemble(
        self,
        passages: Sequence[FoundPassage],
        around: Mapping[Place, FoundPassage],
        request: ContextRequest,
        route: Route,
    ) -> tuple[Context, list[str]]:
        bound = self._settings.context_extract_tokens
        count_tokens: TokenCounter = partial(self._count_tokens, encoding=request.token_encoding)
        context = assemble(passages, request.token_budget, count_tokens, around, extract_tokens=bound)
        warnings = []
        if passages and not context.sources:
            warnings.append(_TOO_SMALL)
        elif context.dropped and route.document is not None:
            warnings.append(_WHOLE_TOO_LONG)
        return context, warnings


def _read(request: Question) -> _Question:
    """The question without its vector."""
    asked = normalised(request.query)
    query = standalone(asked, request.earlier)
    wording = read_wording(query)
    return _Question(wording.text, wording, query if query != asked else None)


async def _narrow(snapshot: Snapshot, question: _Question) -> list[tuple[str, ...]]:
    """Takes the question's operators into account; gives the groups of phrases that nothing holds."""
    return await snapshot.narrow(question.wording) if question.wording.narrows else []


async def _compare_tokens(
    snapshot: Snapshot, question: Vectors, ranking: Sequence[Ranked], fusion: Fusion
) -> list[Ranked]:
    bits = await snapshot.token_bits([ranked.candidate.chunk_id for ranked in ranking[:COMPARED]])
    scores = await asyncio.to_thread(max_sims, question, list(bits.values()))
    return with_late_scores(ranking, dict(zip(bits, scores, strict=True)), fusion)


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
