"""From the ground of a question to its answer: which prompt, which fallback, which citations. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skillnet_common.answers import check_citations, extractive_answer
from skillnet_common.contracts.answers import EXTRACTIVE, AskReply, AskRequest
from skillnet_common.contracts.retrieval import GroundReply, GroundRequest, Rung
from skillnet_gateway.prompts import NOT_FOUND, ChatMessage, general_prompt, grounded_prompt

_CITED_RUNGS = frozenset({Rung.CHUNKS, Rung.DOCUMENT})
_NOBODY_KNOWS = "Los documentos no lo recogen, y ningún modelo de lenguaje ha respondido."
_UNCITED = "La respuesta no cita ninguna fuente: compruébala antes de fiarte de ella."


@dataclass(frozen=True, slots=True)
class Answer:
    """The words, the numbers of the sources they cite, and what the reader should know."""

    text: str
    answered_by: str
    citations: Sequence[int] = ()
    warnings: Sequence[str] = field(default=())


def ground_request(request: AskRequest, *, has_model: bool) -> GroundRequest:
    """What the retriever is asked for a question. Without an LLM nobody has general knowledge to answer from."""
    return GroundRequest(
        query=request.question,
        filters=request.filters,
        strategy=request.strategy,
        fusion=request.fusion,
        alpha=request.alpha,
        limit=request.limit,
        token_budget=request.token_budget,
        allow_general=request.allow_general and has_model,
    )


def prompt_for(question: str, ground: GroundReply) -> list[ChatMessage] | None:
    """What to ask an LLM; None where there is nothing to ask, since nothing was found."""
    if ground.rung is Rung.NONE:
        return None
    if ground.rung is Rung.GENERAL:
        return general_prompt(question)
    return grounded_prompt(question, ground.context)


def extractive(question: str, ground: GroundReply, *, warnings: Sequence[str] = ()) -> Answer:
    """The documents' own sentences, or that nothing was found."""
    text = extractive_answer(question, ground.sources) if ground.rung in _CITED_RUNGS else ""
    if not text:
        return Answer(NOT_FOUND, EXTRACTIVE, warnings=warnings)
    return Answer(text, EXTRACTIVE, check_citations(text, ground.sources).citations, warnings)


def written(text: str, ground: GroundReply, *, model: str) -> Answer:
    """An LLM's answer with its citations checked; on general knowledge it carries none."""
    if ground.rung not in _CITED_RUNGS:
        return Answer(check_citations(text, ()).text, model)
    checked = check_citations(text, ground.sources)
    uncited = not checked.citations and not checked.text.startswith(NOT_FOUND)
    warnings = [*checked.warnings, _UNCITED] if uncited else checked.warnings
    return Answer(checked.text, model, checked.citations, warnings)


def reply_of(ground: GroundReply, answer: Answer, *, took_ms: float) -> AskReply:
    """The reply; sources are listed only where the answer stands on them."""
    rung, reason = ground.rung, ground.reason
    if rung is Rung.GENERAL and answer.answered_by == EXTRACTIVE:
        rung, reason = Rung.NONE, _NOBODY_KNOWS
    return AskReply(
        answer=answer.text,
        rung=rung,
        reason=reason,
        answered_by=answer.answered_by,
        citations=list(answer.citations),
        sources=ground.sources if rung in _CITED_RUNGS else [],
        strategy=ground.strategy,
        strategy_reason=ground.strategy_reason,
        warnings=[*ground.warnings, *answer.warnings],
        took_ms=took_ms,
        embedding_model=ground.embedding_model,
    )
