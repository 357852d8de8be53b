"""Questions that are answered in words (`/v1/ask`)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.problems import Problem
from skillnet_common.contracts.retrieval import MAX_QUERY_CHARS, Filters, Fusion, Rung, Source, Strategy

EXTRACTIVE = "extractive"
"""`answered_by` of an answer put together from the documents' own sentences, without an LLM."""


class AskRequest(Request):
    """A question and where to look for its answer; see `GroundRequest` for the fields they share.

    `stream`: reply as Server-Sent Events, each an `AskEvent`.
    """

    question: str = Field(min_length=1, max_length=MAX_QUERY_CHARS)
    filters: Filters = Filters()
    strategy: Strategy = Strategy.AUTO
    fusion: Fusion = Fusion.COVERAGE
    alpha: float = Field(default=0.5, ge=0, le=1)
    limit: int = Field(default=8, ge=1, le=100)
    token_budget: int = Field(default=4_000, ge=100, le=200_000)
    allow_general: bool = True
    stream: bool = False


class AskReply(Message):
    """An answer, the ground it stands on, and its sources.

    `citations` lists the numbers of the sources the answer names as `[Fuente N]`, in order of first use; the
    rungs `general` and `none` have none. `answered_by` is `extractive` or the name of the LLM.
    """

    answer: str
    rung: Rung
    reason: str
    answered_by: str
    citations: list[int] = Field(default_factory=list)
    sources: list[Source] = Field(default_factory=list)
    strategy: Strategy
    strategy_reason: str
    warnings: list[str] = Field(default_factory=list)
    took_ms: float
    embedding_model: str | None = None


class AskEventKind(StrEnum):
    """What an event of a streamed answer brings."""

    GROUND = "ground"
    """First: `reply` with rung and sources; its answer is still empty."""
    DELTA = "delta"
    """`text`: the next piece of the answer, not checked yet."""
    DONE = "done"
    """Last: the whole `reply`, its citations checked. Its answer replaces what the pieces said."""
    ERROR = "error"
    """Last: `problem`."""


class AskEvent(Message):
    """One Server-Sent Event of `/v1/ask` with `stream`: `event` is the kind, `data` this as JSON."""

    kind: AskEventKind
    text: str = ""
    reply: AskReply | None = None
    problem: Problem | None = None
