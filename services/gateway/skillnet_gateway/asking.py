"""From the ground of a question to its answer: which prompt, which fallback, which citations. No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from skillnet_common.answers import check_citations, extractive_answer
from skillnet_common.contracts.answers import EXTRACTIVE, AskReply, AskRequest, Citation, TokenUsage
from skillnet_common.contracts.retrieval import GroundReply, GroundRequest, Rung, Source, TokenEncoding
from skillnet_common.errors import ErrorCode
from skillnet_common.text.languages import question_language
from skillnet_gateway.prompts import ChatMessage, general_prompt, grounded_prompt, not_found, says_not_found

CITED_RUNGS = frozenset({Rung.CHUNKS, Rung.DOCUMENT})
"""On these an answer cites sources."""

_NOBODY_KNOWS = "Los documentos no lo recogen, y ningún modelo de lenguaje ha respondido."
_UNCITED = "La respuesta no cita ninguna fuente: compruébala antes de fiarte de ella."
_CUT = "La respuesta está cortada: ha llegado a la longitud máxima permitida."
_INSTEAD = "se muestran frases de los documentos."
_FAILURES = {
    ErrorCode.PROVIDER_FAILED: f"El modelo de lenguaje no ha podido responder: {_INSTEAD}",
    ErrorCode.PROVIDER_TIMEOUT: f"El modelo de lenguaje no ha respondido a tiempo: {_INSTEAD}",
    ErrorCode.PROVIDER_REFUSED: (
        "El modelo de lenguaje ha rechazado la petición, y lo hará hasta que quien administra el sistema lo remedie: "
        f"{_INSTEAD}"
    ),
}
LLM_CODES = frozenset(_FAILURES)
"""Codes of an LLM's failures, after which the documents' own sentences answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The words, the numbers of the sources they cite, and what the reader should know."""

    text: str
    answered_by: str
    citations: Sequence[int] = ()
    warnings: Sequence[str] = field(default=())
    llm_error: ErrorCode | None = None
    usage: TokenUsage | None = None


def ground_request(
    request: AskRequest, *, has_model: bool, token_budget: int, token_encoding: TokenEncoding
) -> GroundRequest:
    """What the retriever is asked for a question.

    Without an LLM nobody has general knowledge to answer from, nor can tell whether a whole document answers: of
    the answers picked from one that no passage spoke for, 6 of 41 were right (docs/retrieval.md).
    """
    return GroundRequest(
        query=request.question,
        earlier=[turn.question for turn in request.history],
        filters=request.filters,
        strategy=request.strategy,
        fusion=request.fusion,
        alpha=request.alpha,
        late_interaction=request.late_interaction,
        rerank=request.rerank,
        limit=request.limit,
        token_budget=token_budget,
        token_encoding=token_encoding,
        allow_general=request.allow_general and has_model,
        allow_document=has_model,
    )


def prompt_for(request: AskRequest, ground: GroundReply, template: str | None) -> list[ChatMessage] | None:
    """What to ask an LLM; None where there is nothing to ask, since nothing was found."""
    if ground.rung is Rung.NONE:
        return None
    if ground.rung is Rung.GENERAL:
        return general_prompt(request.question, language=request.language)
    return grounded_prompt(request.question, ground.context, template=template, language=request.language)


def language_of(request: AskRequest) -> str:
    """What to answer in: the language asked for, else the question's."""
    return request.language or question_language(request.question)


def extractive(question: str, ground: GroundReply, language: str, *, sources_suffice: bool = True) -> Answer:
    """The documents' own sentences, in their own language, or in `language` that nothing was found.

    `sources_suffice`: they were judged to answer, whatever words they say it in. So they were wherever the retriever
    was asked for no document that an LLM alone can tell to answer (`ground_request`).
    """
    text = ""
    if ground.rung in CITED_RUNGS:
        text = extractive_answer(question, ground.sources, sources_suffice=sources_suffice)
    if not text:
        return Answer(not_found(language), EXTRACTIVE)
    return Answer(text, EXTRACTIVE, check_citations(text, ground.sources).citations)


def instead_of_llm(
    question: str, ground: GroundReply, language: str, code: ErrorCode, usage: TokenUsage | None
) -> Answer:
    """What `extractive` says, after an LLM's failure; `code` is one of `LLM_CODES`."""
    answer = extractive(question, ground, language, sources_suffice=ground.rung is Rung.CHUNKS)
    return Answer(answer.text, answer.answered_by, answer.citations, [_FAILURES[code]], code, usage)


def written(text: str, ground: GroundReply, *, model: str, was_cut: bool, usage: TokenUsage) -> Answer:
    """An LLM's answer with its citations checked; on general knowledge it carries none."""
    cut = [_CUT] if was_cut else []
    if ground.rung not in CITED_RUNGS:
        return Answer(check_citations(text, ()).text, model, warnings=cut, usage=usage)
    checked = check_citations(text, ground.sources)
    uncited = not checked.citations and not says_not_found(checked.text)
    warnings = [*checked.warnings, *([_UNCITED] if uncited else []), *cut]
    return Answer(checked.text, model, checked.citations, warnings, usage=usage)


def citation_of(source: Source) -> Citation:
    """Where a citation points to."""
    return Citation(
        number=source.number,
        source_id=source.chunk_ids[0],
        document_id=source.document_id,
        version=source.version,
        document_title=source.document_title,
        section_path=source.section_path,
        page_start=source.page_start,
        page_end=source.page_end,
        page_label_start=source.page_label_start,
        page_label_end=source.page_label_end,
        char_start=source.char_start,
        char_end=source.char_end,
        chunk_ids=source.chunk_ids,
        ocr=source.ocr,
    )


def reply_of(ground: GroundReply, answer: Answer, *, read_as: str | None, took_ms: float) -> AskReply:
    """The reply; sources are listed only where the answer stands on them. `read_as`: see `AskReply`."""
    rung, reason = ground.rung, ground.reason
    if rung is Rung.GENERAL and answer.answered_by == EXTRACTIVE:
        rung, reason = Rung.NONE, _NOBODY_KNOWS
    return AskReply(
        answer=answer.text,
        rung=rung,
        reason=reason,
        answered_by=answer.answered_by,
        citations=list(answer.citations),
        sources=ground.sources if rung in CITED_RUNGS else [],
        strategy=ground.strategy,
        strategy_reason=ground.strategy_reason,
        read_as=read_as,
        warnings=[*ground.warnings, *answer.warnings],
        took_ms=took_ms,
        embedding_model=ground.embedding_model,
        llm_error=answer.llm_error,
        usage=answer.usage,
    )
