"""Passages, context, ground and answers."""

from __future__ import annotations

from pydantic import BaseModel

from skillnet_common.contracts.answers import EXTRACTIVE, AskEvent, AskEventKind, AskReply
from skillnet_common.contracts.retrieval import (
    BoxOut,
    ContextReply,
    Evidence,
    GroundReply,
    Passage,
    Rung,
    Scores,
    SearchReply,
    Source,
    Strategy,
)
from skillnet_gateway.asking import citation_of
from skillnet_gateway.examples.documents import CHUNK_ID, DOCUMENT_ID

_OWN_TEXT = "Sin recibo se entrega un vale."
_BOXES = [BoxOut(page=2, x0=0.11, y0=0.2, x1=0.88, y1=0.22)]
_TITLE = "Política de devoluciones"
_MODEL = "multilingual-e5-small"
_REASON = "La pregunta lleva palabras y sentido: se buscan ambos."

_SEARCH = SearchReply(
    passages=[
        Passage(
            chunk_id=CHUNK_ID,
            document_id=DOCUMENT_ID,
            version=2,
            document_title=_TITLE,
            file_type="pdf",
            section_id="9f3c1a2b7d10",
            section_path=["Devoluciones"],
            text=_OWN_TEXT,
            chunk_index=4,
            page_start=2,
            page_end=2,
            page_label_start="ii",
            page_label_end="ii",
            char_start=330,
            char_end=360,
            boxes=_BOXES,
            language="es",
            scores=Scores(fused=0.91, semantic=0.88, semantic_rank=1, keyword=7.4, keyword_rank=2, coverage=0.83),
        )
    ],
    strategy=Strategy.HYBRID,
    strategy_reason=_REASON,
    took_ms=21.4,
    embedding_model=_MODEL,
)
_SOURCE = Source(
    number=1,
    label="Fuente 1: Política de devoluciones > Devoluciones, pág. 2",
    document_id=DOCUMENT_ID,
    version=2,
    document_title=_TITLE,
    section_path=["Devoluciones"],
    page_start=2,
    page_end=2,
    page_label_start="ii",
    page_label_end="ii",
    chunk_ids=[CHUNK_ID],
    char_start=330,
    char_end=360,
    boxes=_BOXES,
    text=_OWN_TEXT,
    score=0.91,
)
_CONTEXT = ContextReply(
    context=f"[{_SOURCE.label}]\n{_OWN_TEXT}",
    sources=[_SOURCE],
    token_count=29,
    token_budget=2_000,
    dropped=0,
    strategy=Strategy.HYBRID,
    strategy_reason=_REASON,
    took_ms=24.0,
    embedding_model=_MODEL,
)

_ANSWER = AskReply(
    answer="Sin recibo se entrega un vale [Fuente 1].",
    rung=Rung.CHUNKS,
    reason="Los pasajes cubren los términos de la pregunta.",
    answered_by=EXTRACTIVE,
    citations=[1],
    sources=[_SOURCE],
    strategy=Strategy.HYBRID,
    strategy_reason=_REASON,
    took_ms=25.1,
    embedding_model=_MODEL,
)

STREAMED_ANSWER: tuple[AskEvent, ...] = (
    AskEvent(kind=AskEventKind.GROUND, reply=_ANSWER.model_copy(update={"answer": "", "citations": []})),
    AskEvent(kind=AskEventKind.DELTA, text=_ANSWER.answer),
    AskEvent(kind=AskEventKind.CITATION, citation=citation_of(_SOURCE)),
    AskEvent(kind=AskEventKind.DONE, reply=_ANSWER),
)

QUESTIONS: tuple[BaseModel, ...] = (
    _SEARCH,
    _CONTEXT,
    GroundReply(
        **dict(_CONTEXT),
        rung=Rung.CHUNKS,
        reason="Los pasajes cubren los términos de la pregunta.",
        evidence=Evidence(top_similarity=0.88, similarity_margin=0.06, term_coverage=0.83),
    ),
    _ANSWER,
)
