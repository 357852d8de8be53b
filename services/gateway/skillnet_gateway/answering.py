"""Answers questions: ground, then an LLM where one is configured and allowed, else the documents' sentences."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

import structlog

from skillnet_common.contracts.answers import AskEvent, AskEventKind, AskReply, AskRequest
from skillnet_common.contracts.retrieval import GroundReply
from skillnet_common.errors import ErrorCode, PassingFault
from skillnet_gateway.asking import Answer, extractive, ground_request, prompt_for, reply_of, written
from skillnet_gateway.authentication import Caller
from skillnet_gateway.llm import ChatModel
from skillnet_gateway.organizations import Organizations
from skillnet_gateway.prompts import ChatMessage
from skillnet_gateway.retrieval import Retrieval

log = structlog.get_logger(__name__)

_FELL_BACK = "El modelo de lenguaje no ha podido responder: se muestran frases de los documentos."


@dataclass(frozen=True, slots=True)
class Grounded:
    """A question whose ground is known. `prompt` is None where no LLM is to be asked."""

    question: str
    ground: GroundReply
    prompt: list[ChatMessage] | None
    started: float

    def reply(self, answer: Answer) -> AskReply:
        """The reply with this answer."""
        return reply_of(self.ground, answer, took_ms=round((time.perf_counter() - self.started) * 1000, 1))


class Answering:
    """Without a `model` every answer is extractive; with one, the organisation's consent is needed too."""

    def __init__(self, retrieval: Retrieval, organizations: Organizations, model: ChatModel | None) -> None:
        self._retrieval = retrieval
        self._organizations = organizations
        self._model = model

    async def ground(self, caller: Caller, request: AskRequest) -> Grounded:
        """Finds what an answer can stand on. Raises what `Retrieval.ground` raises."""
        started = time.perf_counter()
        has_model = await self._may_ask_model(caller)
        ground = await self._retrieval.ground(ground_request(request, has_model=has_model), caller.credential)
        prompt = prompt_for(request.question, ground) if has_model else None
        return Grounded(request.question, ground, prompt, started)

    async def answer(self, grounded: Grounded) -> AskReply:
        """The answer, whole."""
        if self._model is None or grounded.prompt is None:
            return grounded.reply(extractive(grounded.question, grounded.ground))
        try:
            text = await self._model.complete(grounded.prompt)
        except PassingFault as fault:
            return grounded.reply(_fall_back(grounded, fault))
        return grounded.reply(written(text, grounded.ground, model=self._model.name))

    async def stream(self, grounded: Grounded) -> AsyncIterator[AskEvent]:
        """The answer as it comes, and at the end whole and checked."""
        yield AskEvent(kind=AskEventKind.GROUND, reply=grounded.reply(Answer("", "")))
        if self._model is None or grounded.prompt is None:
            answer = extractive(grounded.question, grounded.ground)
            yield AskEvent(kind=AskEventKind.DELTA, text=answer.text)
        else:
            pieces: list[str] = []
            try:
                async for piece in self._model.stream(grounded.prompt):
                    pieces.append(piece)
                    yield AskEvent(kind=AskEventKind.DELTA, text=piece)
                answer = written("".join(pieces), grounded.ground, model=self._model.name)
            except PassingFault as fault:
                answer = _fall_back(grounded, fault)
        yield AskEvent(kind=AskEventKind.DONE, reply=grounded.reply(answer))

    async def _may_ask_model(self, caller: Caller) -> bool:
        if self._model is None:
            return False
        return (await self._organizations.get(caller.principal.org_id)).llm_consent


def _fall_back(grounded: Grounded, fault: PassingFault) -> Answer:
    if fault.code is not ErrorCode.PROVIDER_FAILED:
        raise fault
    log.warning("llm_failed", reason=fault.message)
    return extractive(grounded.question, grounded.ground, warnings=[_FELL_BACK])
