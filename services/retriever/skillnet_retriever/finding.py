"""From a request to what was found: the question read, its scope opened, searched, widened and ranked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Protocol

from skillnet_common.auth import Principal
from skillnet_common.calibration import Calibration
from skillnet_common.contracts.retrieval import Filters, Fusion, Question, Strategy
from skillnet_inference.vectors import Vectors
from skillnet_retriever.corpus import Snapshot
from skillnet_retriever.domain.follow_ups import standalone
from skillnet_retriever.domain.fusion import Ranked, fuse, keep_leaders
from skillnet_retriever.domain.late_interaction import COMPARED, max_sims, with_late_scores
from skillnet_retriever.domain.length import looked_up
from skillnet_retriever.domain.remarks import length_warnings, wording_warnings
from skillnet_retriever.domain.routing import Route, choose_route, declined_route
from skillnet_retriever.domain.variants import merged
from skillnet_retriever.domain.wording import Wording, read_wording
from skillnet_retriever.legs import Found
from skillnet_retriever.outlining import Outlined, read_by_outline, wants_outline
from skillnet_retriever.questions import EncodedQuestion, QuestionEncoder, normalised
from skillnet_retriever.reading import Findings, findings_of
from skillnet_retriever.reranking import MaySend, Reranking
from skillnet_retriever.settings import RetrieverSettings

_CUT = "La pregunta es más larga de lo que lee el modelo: la búsqueda por significado usa solo su comienzo."
_NO_TOKENS = "Esta instalación no compara palabra por palabra (LATE_INTERACTION): se ha buscado sin ello."
_NO_WORDS = "La pregunta solo tiene palabras vacías: por palabras no se ha buscado nada."
_WITHHELD = (
    "La organización no ha autorizado que sus preguntas se envíen al servicio externo de embeddings: se ha buscado "
    "solo por palabras."
)


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
class AskedQuestion:
    """A normalised question. `read_as`: where the turn before completed it. `encoded` is None where only words are
    searched; `withheld`: for want of consent."""

    text: str
    wording: Wording
    read_as: str | None = None
    encoded: EncodedQuestion | None = None
    withheld: bool = False

    @property
    def by_words(self) -> str:
        """As far as it is looked up word by word."""
        return looked_up(self.text)


class Finder:
    """Stateless but for the cache of questions. `may_send` is asked before a question is embedded; None where it does
    not leave the process."""

    def __init__(
        self,
        corpus: Snapshots,
        questions: QuestionEncoder,
        model: ServingModel,
        settings: RetrieverSettings,
        may_send: MaySend | None,
        reranking: Reranking,
    ) -> None:
        self._corpus = corpus
        self._questions = questions
        self._model = model
        self._settings = settings
        self._may_send = may_send
        self._reranking = reranking

    @asynccontextmanager
    async def found(
        self, principal: Principal, request: Question
    ) -> AsyncIterator[tuple[Snapshot, AskedQuestion, Findings]]:
        """A snapshot and what was found in it: by its outline, where that is to be tried and a part of it fits, else
        by searching. Only a search needs the question's vector."""
        question = read_question(request.query, request.earlier)
        declined = None
        if wants_outline(request):
            async with self._corpus.snapshot(principal, request.filters) as snapshot:
                await _narrow(snapshot, question)
                outlined = await read_by_outline(
                    snapshot,
                    question.by_words,
                    request,
                    self._settings,
                    semantic_model=self._model.calibration is not None,
                )
                if isinstance(outlined, Outlined):
                    yield snapshot, question, findings_of(outlined, length_warnings(question.text))
                    return
                declined = outlined.reason if outlined is not None else None
        question = await self._encode(principal, request, question)
        variants = [
            await self._encode(principal, request, replace(question, text=normalised(text), encoded=None))
            for text in request.variants
        ]
        may_rerank = await self._reranking.is_allowed(principal.org_id)
        async with self._corpus.snapshot(principal, request.filters) as snapshot:
            findings = await self._find(snapshot, question, request, declined)
            if findings.route.document is None:
                findings = await self._widened(snapshot, variants, request, findings)
                ranking, warnings = await self._reranking.order(
                    snapshot,
                    principal.org_id,
                    question.text,
                    findings.ranking,
                    wanted=request.rerank,
                    allowed=may_rerank,
                )
                findings = replace(findings, ranking=ranking, warnings=findings.warnings + warnings)
            yield snapshot, question, findings

    async def _encode(self, principal: Principal, request: Question, question: AskedQuestion) -> AskedQuestion:
        """The question with its vector, before a snapshot is opened."""
        if request.strategy is Strategy.KEYWORD or self._model.calibration is None:
            return question
        if self._may_send is not None and not await self._may_send(principal.org_id):
            return replace(question, withheld=True)
        return replace(question, encoded=await self._questions.encode(question.text))

    async def _find(
        self, snapshot: Snapshot, question: AskedQuestion, request: Question, declined: str | None
    ) -> Findings:
        missing = await _narrow(snapshot, question)
        found = await self._search(snapshot, question, request)
        pool = found.pool
        route = self._route(request.strategy, found, declined, snapshot, question)
        alpha = _alpha(route.strategy, request.alpha, question.encoded)
        ranking = fuse(pool, request.fusion, alpha)
        warnings = [route.warning] if route.warning else []
        warnings += wording_warnings(question.wording, missing)
        if route.strategy is not Strategy.SEMANTIC:
            warnings += length_warnings(question.text)
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
        return Findings(route, pool, ranking, bool(found.documents), warnings, searched=ranking)

    async def _search(self, snapshot: Snapshot, question: AskedQuestion, request: Question) -> Found:
        candidates = max(self._settings.search_candidates, request.limit)
        if question.encoded is None:
            return await snapshot.search_words(question.by_words, candidates=candidates)
        return await snapshot.search(question.by_words, question.encoded.vector, candidates=candidates)

    async def _widened(
        self, snapshot: Snapshot, variants: Sequence[AskedQuestion], request: Question, findings: Findings
    ) -> Findings:
        """The findings with those of the question's variants, which are searched as it was. No leader of the question
        itself is buried."""
        if not variants:
            return findings
        others: list[list[Ranked]] = []
        for variant in variants:
            found = await self._search(snapshot, variant, request)
            alpha = _alpha(findings.route.strategy, request.alpha, variant.encoded)
            others.append(fuse(found.pool, request.fusion, alpha))
        ranking = keep_leaders(findings.pool, merged(findings.ranking, others), alpha)
        return replace(findings, ranking=ranking)

    def _route(
        self, wanted: Strategy, found: Found, declined: str | None, snapshot: Snapshot, question: AskedQuestion
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


def read_question(asked: str, earlier: Sequence[str]) -> AskedQuestion:
    """The question without its vector. `earlier`: the conversation's questions before it, oldest first."""
    asked = normalised(asked)
    query = standalone(asked, earlier)
    wording = read_wording(query)
    return AskedQuestion(wording.text, wording, query if query != asked else None)


async def _narrow(snapshot: Snapshot, question: AskedQuestion) -> list[tuple[str, ...]]:
    """Takes the question's operators into account; gives the groups of phrases that nothing holds."""
    return await snapshot.narrow(question.wording) if question.wording.narrows else []


async def _compare_tokens(
    snapshot: Snapshot, question: Vectors, ranking: Sequence[Ranked], fusion: Fusion
) -> list[Ranked]:
    bits = await snapshot.token_bits([ranked.candidate.chunk_id for ranked in ranking[:COMPARED]])
    passages = list(bits.values())
    half = len(passages) // 2
    scores = await asyncio.gather(  # NumPy lets go of the interpreter: two processors take half the time
        asyncio.to_thread(max_sims, question, passages[:half]),
        asyncio.to_thread(max_sims, question, passages[half:]),
    )
    return with_late_scores(ranking, dict(zip(bits, chain.from_iterable(scores), strict=True)), fusion)


def _alpha(strategy: Strategy, alpha: float, question: EncodedQuestion | None) -> float:
    if question is None:
        return 0.0
    return {Strategy.SEMANTIC: 1.0, Strategy.KEYWORD: 0.0}.get(strategy, alpha)
