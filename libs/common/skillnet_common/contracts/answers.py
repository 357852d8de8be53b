"""Questions that are answered in words (`/v1/ask`)."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.problems import Problem
from skillnet_common.contracts.retrieval import (
    MAX_QUERY_CHARS,
    MAX_TURNS,
    MIN_TOKEN_BUDGET,
    Filters,
    Fusion,
    Rung,
    Source,
    Strategy,
)

EXTRACTIVE = "extractive"
"""`answered_by` of an answer put together from the documents' own sentences, without an LLM."""


class Turn(Request):
    """A turn of the conversation before the question: what was asked and, if it is at hand, what was answered."""

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    answer: str = Field(default="", max_length=20_000)


class Expansion(StrEnum):
    """What an LLM writes to be searched beside the question."""

    NONE = "none"
    MULTI_QUERY = "multi_query"
    """The same question in other words."""
    HYDE = "hyde"
    """A passage that would answer it (hypothetical document embeddings)."""


class AskRequest(Request):
    """A question and where to look for its answer; see `GroundRequest` for the fields they share.

    `history`: the conversation so far, oldest turn first. A question that leans on it ("¿y si es online?") is
    rewritten by the LLM so that it stands alone, and without one gets the topic words of the turn before; the reply's
    `read_as` is what was asked in the end. `expansion` takes an LLM and its time. `language` (ISO 639): of an LLM's
    answer, and of saying that nothing was found; without it, the question's. `stream`: reply as Server-Sent Events,
    each an `AskEvent`; `Accept: text/event-stream` asks for the same.
    """

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    history: list[Turn] = Field(default_factory=list, max_length=MAX_TURNS)
    filters: Filters = Filters()
    strategy: Strategy = Strategy.AUTO
    fusion: Fusion = Fusion.COVERAGE
    alpha: float = Field(default=0.5, ge=0, le=1)
    late_interaction: bool | None = None
    rerank: bool | None = None
    expansion: Expansion = Expansion.NONE
    limit: int = Field(default=8, ge=1, le=100)
    token_budget: int = Field(default=4_000, ge=MIN_TOKEN_BUDGET, le=200_000)
    allow_general: bool = True
    language: str | None = Field(default=None, pattern=r"^[a-z]{2,3}$")
    stream: bool = False


class TokenUsage(Message):
    """Tokens of an LLM's answer. `estimated`: its endpoint reported none, so they were counted here."""

    prompt_tokens: int
    completion_tokens: int
    estimated: bool


class AskReply(Message):
    """An answer, the ground it stands on, and its sources.

    `citations` lists the numbers of the sources the answer names as `[Fuente N]`, in order of first use; the
    rungs `general` and `none` have none. `answered_by` is `extractive` or the name of the LLM. `llm_error`: the code
    of why the LLM, though it was asked, did not word the answer: `provider_failed`, `provider_timeout`, or
    `provider_refused`, which trying again does not mend.
    """

    answer: str
    rung: Rung
    reason: str
    answered_by: str
    citations: list[int] = Field(default_factory=list)
    sources: list[Source] = Field(default_factory=list)
    strategy: Strategy
    strategy_reason: str
    read_as: str | None = None
    """The question as it was searched, where the conversation completed it."""
    warnings: list[str] = Field(default_factory=list)
    took_ms: float
    embedding_model: str | None = None
    llm_error: str | None = None
    usage: TokenUsage | None = None


class Citation(Message):
    """What an answer's `[Fuente N]` points to. `source_id` is the first of the passage's chunks."""

    number: int
    source_id: UUID
    document_id: UUID
    version: int
    document_title: str
    section_path: list[str]
    page_start: int | None
    page_end: int | None
    page_label_start: str | None = None
    page_label_end: str | None = None
    char_start: int
    char_end: int
    chunk_ids: list[UUID]
    ocr: bool = False
    """Whether a part of the text came by character recognition (OCR) of a scanned page: it may hold errors."""


class AskEventKind(StrEnum):
    """What an event of a streamed answer brings."""

    GROUND = "ground"
    """First: `reply` with rung and sources; its answer is still empty."""
    DELTA = "delta"
    """`text`: the next piece of the answer, not checked yet."""
    CITATION = "citation"
    """`citation`: the source that the pieces so far have just cited for the first time."""
    DONE = "done"
    """Last: the whole `reply`, its citations checked. Its answer replaces what the pieces said."""
    ERROR = "error"
    """Last: `problem`."""


class AskEvent(Message):
    """One Server-Sent Event of a streamed `/v1/ask`: `event` is the kind, `data` this as JSON. Between events, lines
    that begin with a colon keep the connection open while the LLM thinks."""

    kind: AskEventKind
    text: str = ""
    citation: Citation | None = None
    reply: AskReply | None = None
    problem: Problem | None = None
