"""Answers to `search`, `context` and `ground`: the domain's decisions over one snapshot of the database."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Protocol

from skillnet_common.auth import Principal
from skillnet_common.calibration import Calibration
from skillnet_common.contracts.outlines import OutlineReply, OutlineRequest
from skillnet_common.contracts.retrieval import (
    ContextReply,
    ContextRequest,
    GroundReply,
    GroundRequest,
    SearchReply,
    SearchRequest,
    Strategy,
)
from skillnet_retriever.calibrations import StoredCalibration
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.candidates import Pool
from skillnet_retriever.domain.context import Context, assemble
from skillnet_retriever.domain.context.assembly import TokenCounter
from skillnet_retriever.domain.context.surroundings import Place
from skillnet_retriever.domain.evidence import judge
from skillnet_retriever.domain.ground import WholeDocument, choose_ground
from skillnet_retriever.domain.passages import FoundPassage, passage_out
from skillnet_retriever.domain.remarks import corrections
from skillnet_retriever.domain.routing import Route
from skillnet_retriever.finding import Finder, ServingModel, Snapshots, read_question
from skillnet_retriever.metrics import RUNGS
from skillnet_retriever.outlining import show_outline
from skillnet_retriever.questions import QuestionEncoder
from skillnet_retriever.reading import read_around, read_ground, read_passages
from skillnet_retriever.reranking import NO_RERANKING, MaySend, Reranking
from skillnet_retriever.settings import RetrieverSettings

_TOO_SMALL = "Ningún pasaje cabe en el presupuesto de tokens."
_WHOLE_TOO_LONG = "El documento entero no cabe en el presupuesto de tokens; se han elegido sus mejores pasajes."


class CountTokens(Protocol):
    """Tokens of a text in an encoding of a language model: `count_llm_tokens`."""

    def __call__(self, text: str, encoding: str) -> int:
        """As said above."""
        ...


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
        self._finder = Finder(corpus, questions, model, settings, may_send, reranking)
        self._model = model
        self._settings = settings
        self._count_tokens = count_tokens
        self._stored_calibration = stored_calibration

    async def search(self, principal: Principal, request: SearchRequest) -> SearchReply:
        """Ranked passages, best first."""
        started = time.perf_counter()
        async with self._finder.found(principal, request) as (snapshot, question, findings):
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
        async with self._finder.found(principal, request) as (snapshot, question, findings):
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
        async with self._finder.found(principal, request) as (snapshot, question, findings):
            judgement = findings.judgement or judge(findings.pool, findings.searched, calibration)
            closest = None
            if request.allow_document and not judgement.sufficient and not snapshot.is_narrowed:
                closest = await self._closest_document(snapshot, question.by_words, findings.pool)
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

    async def outline(self, principal: Principal, request: OutlineRequest) -> OutlineReply:
        """The parts that a question by outline chooses from."""
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            query = read_question(request.query, request.earlier).by_words if request.query is not None else None
            return await show_outline(snapshot, query, self._settings)

    async def _calibration(self) -> Calibration | None:
        if self._model.calibration is None or self._stored_calibration is None:
            return self._model.calibration
        return await self._stored_calibration() or self._model.calibration

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
