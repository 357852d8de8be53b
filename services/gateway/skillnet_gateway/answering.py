"""Answers questions: ground, then an LLM where one is configured and allowed, else the documents' sentences."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog

from skillnet_common.answers import CitationWatch
from skillnet_common.contracts.answers import AskEvent, AskEventKind, AskReply, AskRequest, Expansion
from skillnet_common.contracts.outlines import OutlineRequest
from skillnet_common.contracts.retrieval import GroundReply, GroundRequest
from skillnet_common.contracts.usage import UsageKind
from skillnet_common.errors import SkillnetError
from skillnet_common.usage import UsageMeter
from skillnet_gateway.asking import (
    CITED_RUNGS,
    LLM_CODES,
    Answer,
    citation_of,
    extractive,
    ground_request,
    instead_of_llm,
    language_of,
    prompt_for,
    reply_of,
    written,
)
from skillnet_gateway.authentication import Caller
from skillnet_gateway.budget import Window, within_window
from skillnet_gateway.choosing import (
    Offer,
    choice_remark,
    choosing_prompt,
    chosen_parts,
    is_chosen_from,
    offer_of,
    parts_to_choose_from,
)
from skillnet_gateway.expanding import expanding_prompt, variants_of
from skillnet_gateway.llm import ChatModel
from skillnet_gateway.llm_protocol import Tally
from skillnet_gateway.metrics import LLM_ANSWERS
from skillnet_gateway.organizations import AnswerRules, Organizations
from skillnet_gateway.prompts import ChatMessage
from skillnet_gateway.retrieval import Retrieval
from skillnet_gateway.rewriting import rewriting_prompt, rewritten_question

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Grounded:
    """A question whose ground is known. `question` stands alone: `read_as` where the conversation completed it.
    `language`: what to answer in (ISO 639). `prompt` is None where no LLM is to be asked."""

    org_id: UUID
    question: str
    read_as: str | None
    language: str
    ground: GroundReply
    prompt: list[ChatMessage] | None
    started: float

    def reply(self, answer: Answer) -> AskReply:
        """The reply with this answer."""
        took_ms = round((time.perf_counter() - self.started) * 1000, 1)
        return reply_of(self.ground, answer, read_as=self.read_as, took_ms=took_ms)


class Answering:
    """Without a `model` every answer is extractive; with one, the organisation's consent is needed too.
    `window`: the model's; `rewrite_seconds`: how long the model may take to word a question anew;
    `outline_seconds`: to choose parts of an outline."""

    def __init__(
        self,
        retrieval: Retrieval,
        organizations: Organizations,
        model: ChatModel | None,
        meter: UsageMeter,
        *,
        window: Window,
        rewrite_seconds: float,
        outline_seconds: float,
    ) -> None:
        self._retrieval = retrieval
        self._organizations = organizations
        self._model = model
        self._meter = meter
        self._window = window
        self._rewrite_seconds = rewrite_seconds
        self._outline_seconds = outline_seconds

    async def ground(self, caller: Caller, request: AskRequest) -> Grounded:
        """Finds what an answer can stand on. Raises what `Retrieval.ground` raises."""
        started = time.perf_counter()
        org_id = caller.principal.org_id
        rules = await self._rules_for_model(org_id)
        alone = await self._standing_alone(request, org_id) if rules is not None else request
        wanted = ground_request(
            alone,
            has_model=rules is not None,
            token_budget=within_window(alone, self._window, rules.template) if rules else alone.token_budget,
            token_encoding=self._window.encoding,
        )
        if rules is not None and request.expansion is not Expansion.NONE:
            wanted = await self._with_variants(wanted, request.expansion, org_id)
        offer = None
        if rules is not None and is_chosen_from(wanted):
            wanted, offer = await self._with_parts(wanted, caller)
        ground = await self._retrieval.ground_to_answer(wanted, caller.credential)
        remark = choice_remark(offer, wanted.outline_parts, ground.strategy) if offer is not None else ""
        if remark:
            ground = ground.model_copy(update={"strategy_reason": f"{ground.strategy_reason} {remark}"})
        question = ground.read_as or alone.question
        alone = alone.model_copy(update={"question": question})
        prompt = prompt_for(alone, ground, rules.template) if rules is not None else None
        read_as = question if question != request.question else None
        return Grounded(org_id, question, read_as, language_of(request), ground, prompt, started)

    async def answer(self, grounded: Grounded) -> AskReply:
        """The answer, whole."""
        if self._model is None or grounded.prompt is None:
            return grounded.reply(extractive(grounded.question, grounded.ground, grounded.language))
        with self._counted(grounded.org_id, grounded.prompt) as tally:
            try:
                text = await self._model.complete(grounded.prompt, tally)
            except SkillnetError as fault:
                return grounded.reply(_fall_back(grounded, fault, tally))
        return grounded.reply(_written(self._model, text, grounded, tally))

    async def stream(self, grounded: Grounded) -> AsyncGenerator[AskEvent, None]:
        """The answer as it comes, each source as it is cited, and at the end the whole and checked reply."""
        yield AskEvent(kind=AskEventKind.GROUND, reply=grounded.reply(Answer("", "")))
        watch = CitationWatch()
        if self._model is None or grounded.prompt is None:
            answer = extractive(grounded.question, grounded.ground, grounded.language)
            for event in _said(answer.text, watch, grounded):
                yield event
        else:
            said: list[str] = []
            with self._counted(grounded.org_id, grounded.prompt) as tally:
                try:
                    async with self._model.stream(grounded.prompt, tally) as pieces:
                        async for piece in pieces:
                            said.append(piece)
                            for event in _said(piece, watch, grounded):
                                yield event
                    answer = _written(self._model, "".join(said), grounded, tally)
                except SkillnetError as fault:
                    answer = _fall_back(grounded, fault, tally)
        yield AskEvent(kind=AskEventKind.DONE, reply=grounded.reply(answer))

    async def _standing_alone(self, request: AskRequest, org_id: UUID) -> AskRequest:
        """The question as the LLM words it so that it needs no conversation; as it is where the LLM fails, so that
        the retriever completes it by words."""
        if not request.history:
            return request
        prompt = rewriting_prompt(request.question, request.history)
        reply = await self._told(org_id, prompt, self._rewrite_seconds, failure="question_not_rewritten")
        question = None if reply is None else rewritten_question(reply)
        return request if question is None else request.model_copy(update={"question": question, "history": []})

    async def _with_parts(self, wanted: GroundRequest, caller: Caller) -> tuple[GroundRequest, Offer | None]:
        """The request with the parts of the outline that the LLM chose, and what it was offered; as it is where there
        is nothing to choose from or the LLM fails, so that the retriever chooses by words."""
        outline = await self._retrieval.outline(
            OutlineRequest(query=wanted.query, earlier=wanted.earlier, filters=wanted.filters), caller.credential
        )
        parts = parts_to_choose_from(wanted, outline)
        if not parts:
            return wanted, None
        offer = offer_of(parts, outline.omitted)
        prompt = choosing_prompt(wanted.query, offer)
        org_id = caller.principal.org_id
        reply = await self._told(org_id, prompt, self._outline_seconds, failure="parts_not_chosen")
        if reply is None:
            return wanted, None
        return wanted.model_copy(update={"outline_parts": chosen_parts(reply, offer)}), offer

    async def _with_variants(self, wanted: GroundRequest, expansion: Expansion, org_id: UUID) -> GroundRequest:
        """The request with what the LLM wrote to be searched too; as it is where the LLM fails."""
        prompt = expanding_prompt(wanted.query, expansion)
        reply = await self._told(org_id, prompt, self._rewrite_seconds, failure="question_not_expanded")
        return wanted if reply is None else wanted.model_copy(update={"variants": variants_of(reply, expansion)})

    async def _told(self, org_id: UUID, prompt: Sequence[ChatMessage], seconds: float, *, failure: str) -> str | None:
        """What the LLM replies to a question about the question; None where it fails, which is logged."""
        if self._model is None:
            return None
        try:
            with self._counted(org_id, prompt) as tally:
                return await self._model.complete(prompt, tally, seconds=seconds)
        except SkillnetError as fault:
            if fault.code not in LLM_CODES:
                raise
            log.warning(failure, org_id=str(org_id), code=fault.code, reason=fault.message)
            return None

    async def _rules_for_model(self, org_id: UUID) -> AnswerRules | None:
        """How to ask the LLM; None where there is none, or the organisation has not consented."""
        if self._model is None:
            return None
        rules = await self._organizations.answer_rules(org_id)
        return rules if rules.consents.llm else None

    @contextmanager
    def _counted(self, org_id: UUID, prompt: Sequence[ChatMessage]) -> Iterator[Tally]:
        """Counts the tokens of an answer however it ends, also where the asker has hung up."""
        tally = Tally(prompt)
        try:
            yield tally
        finally:
            if tally.has_begun:
                usage = tally.usage
                for kind, amount in (
                    (UsageKind.LLM_PROMPT_TOKENS, usage.prompt_tokens),
                    (UsageKind.LLM_COMPLETION_TOKENS, usage.completion_tokens),
                ):
                    self._meter.count(org_id, kind, amount, estimated=usage.estimated)


def _said(piece: str, watch: CitationWatch, grounded: Grounded) -> Iterator[AskEvent]:
    """A piece of the answer, then the sources that it is the first to cite."""
    yield AskEvent(kind=AskEventKind.DELTA, text=piece)
    if grounded.ground.rung not in CITED_RUNGS:
        return
    sources = {source.number: source for source in grounded.ground.sources}
    for number in watch.feed(piece):
        if number in sources:
            yield AskEvent(kind=AskEventKind.CITATION, citation=citation_of(sources[number]))


def _written(model: ChatModel, text: str, grounded: Grounded, tally: Tally) -> Answer:
    LLM_ANSWERS.labels("written").inc()
    return written(text, grounded.ground, model=model.name, was_cut=tally.was_cut, usage=tally.usage)


def _fall_back(grounded: Grounded, fault: SkillnetError, tally: Tally) -> Answer:
    if fault.code not in LLM_CODES:
        raise fault
    LLM_ANSWERS.labels(fault.code).inc()
    log.warning("llm_failed", org_id=str(grounded.org_id), code=fault.code, reason=fault.message)
    usage = tally.usage if tally.has_begun else None
    return instead_of_llm(grounded.question, grounded.ground, grounded.language, fault.code, usage)
