"""Questions on the bus (`retrieval.v1.*`) and over HTTP: the same models serve both."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field

from skillnet_common.contracts.base import Message, Request

MAX_QUERY_CHARS = 4_000
MAX_PAGE = 1_000_000
MAX_TURNS = 20
MIN_TOKEN_BUDGET = 100
MAX_VARIANTS = 4
MAX_OFFSET = 1_000


def _in_utc(value: datetime) -> datetime:
    """A time without a zone is UTC; one that UTC has no year for is refused."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("a time outside the years 1 to 9999 in UTC") from error


Instant = Annotated[datetime, AfterValidator(_in_utc)]
"""A point in time, in UTC."""


class Strategy(StrEnum):
    """How passages are found. AUTO lets the router choose."""

    AUTO = "auto"
    SEMANTIC = "semantic"
    KEYWORD = "keyword"
    HYBRID = "hybrid"
    FULL_TEXT = "full_text"
    OUTLINE = "outline"


class Fusion(StrEnum):
    """How the two legs' candidates are merged (see docs/retrieval.md)."""

    COVERAGE = "coverage"
    RRF = "rrf"
    STANDARDISED = "standardised"


class TokenEncoding(StrEnum):
    """How the tokens of a budget are counted: as the chosen LLM does, or nearly so."""

    O200K = "o200k_base"
    CL100K = "cl100k_base"


class Filters(Request):
    """Narrows the search. The organisation and what the asker may see are not filters: they come from the
    credential and always apply. Every field that is set must hold; within a list any value may."""

    document_ids: list[UUID] | None = Field(default=None, min_length=1, max_length=500)
    course_id: str | None = None
    subject_id: str | None = None
    entity_id: str | None = None
    taxonomy_prefix: str | None = None
    language: str | None = None
    file_type: str | None = None
    section_path: list[str] | None = Field(default=None, min_length=1)
    page_from: int | None = Field(default=None, ge=1, le=MAX_PAGE)
    page_to: int | None = Field(default=None, ge=1, le=MAX_PAGE)
    updated_after: Instant | None = None
    updated_before: Instant | None = None
    metadata: dict[str, str | int | float | bool] | None = None


Asked = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS)]


PartId = Annotated[str, Field(min_length=1, max_length=100)]


class Question(Request):
    """What a search, a context and a ground are asked by. `alpha`: 0 keyword only, 1 semantic only.

    In `query`, `"a phrase"` and `«a phrase»` are required, `-word` and `-"a phrase"` excluded, and
    `"one" OR "another"` are alternatives.

    `earlier`: the questions of the conversation so far, oldest first. A question that leans on the one before
    ("¿y si es online?") is searched with its topic words; the reply's `read_as` says how.
    """

    query: Asked
    earlier: list[Asked] = Field(default_factory=list, max_length=MAX_TURNS)
    filters: Filters = Filters()
    strategy: Strategy = Strategy.AUTO
    fusion: Fusion = Fusion.COVERAGE
    alpha: float = Field(default=0.5, ge=0, le=1)
    limit: int = Field(default=8, ge=1, le=100)
    late_interaction: bool | None = None
    """Whether the first passages are ordered by their tokens too; null: where the deployment keeps them."""
    rerank: bool | None = None
    """Whether a reranker orders the first passages; null: where the deployment has one and its rule says so."""
    variants: list[Asked] = Field(default_factory=list, max_length=MAX_VARIANTS)
    """Other wordings of the question, or passages that would answer it: searched too, and the rankings merged."""

    outline_parts: list[PartId] | None = Field(default=None, max_length=50)
    """Parts of the outline to read, as `retrieval.v1.outline` names them, in place of those that words choose;
    unknown ones are dropped. Empty: none of them fits."""


class SearchRequest(Question):
    """`retrieval.v1.search`. `offset` leaves out so many of the best: with the same question, filters and limit the
    pages are parts of one ranking, which ends with the candidates of the two legs."""

    offset: int = Field(default=0, ge=0, le=MAX_OFFSET)


class ContextRequest(Question):
    """`retrieval.v1.context`. `token_budget` bounds the whole context block, tags and separators included."""

    token_budget: int = Field(default=4_000, ge=MIN_TOKEN_BUDGET, le=200_000)
    token_encoding: TokenEncoding = TokenEncoding.O200K


class GroundRequest(ContextRequest):
    """`retrieval.v1.ground`: on what an answer can stand."""

    allow_general: bool = True
    allow_document: bool = True
    """Whether a small document may be read whole where no passage answers clearly. An LLM can tell whether it holds
    the answer; sentences chosen by their words cannot."""


class BoxOut(Message):
    """A line's place on its page, corners as fractions (0 to 1) of the visible page, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class Scores(Message):
    """Every score has a name; one that was not computed is null."""

    fused: float | None = None
    semantic: float | None = None
    """Cosine similarity, -1 to 1 (e5: unrelated texts lie near 0.8)."""
    semantic_rank: int | None = None
    keyword: float | None = None
    """BM25 over the asker's scope."""
    keyword_rank: int | None = None
    coverage: float | None = None
    """BM25 divided by the summed idf of all query terms."""
    late: float | None = None
    """Late interaction: the mean, over the question's tokens, of the best similarity to any token of the passage."""
    rerank: float | None = None
    """The reranker's, on a scale of its own."""


class Passage(Message):
    """A found chunk, ready to be cited."""

    chunk_id: UUID
    document_id: UUID
    version: int
    document_title: str
    file_type: str
    section_id: str
    section_path: list[str]
    text: str
    """The body without the text that repeats the chunk before; a table that goes on keeps its header row."""
    chunk_index: int
    page_start: int | None
    page_end: int | None
    page_label_start: str | None = None
    page_label_end: str | None = None
    char_start: int
    char_end: int
    boxes: list[BoxOut] = Field(default_factory=list)
    language: str
    ocr: bool = False
    """Whether a part of the text came by character recognition (OCR) of a scanned page: it may hold errors."""
    scores: Scores


class Correction(Message):
    """A word of the question that no document of the scope holds, and the words, one typing error away, that it was
    read as: each as a document writes it, in lower case."""

    typed: str
    read_as: list[str]


class SearchReply(Message):
    """Best first; ties are broken by chunk id."""

    passages: list[Passage]
    next_offset: int | None = None
    """Where the next page begins; null on the last one."""
    corrections: list[Correction] = Field(default_factory=list)
    strategy: Strategy
    strategy_reason: str
    read_as: str | None = None
    """The question as it was searched, where the turn before completed it."""
    warnings: list[str] = Field(default_factory=list)
    took_ms: float
    embedding_model: str | None = None


class Source(Message):
    """What `[Fuente N]` stands for. `number` is given by the server and counts from 1."""

    number: int
    label: str
    """`Fuente 1: Manual > Devoluciones, pág. 3`: without the brackets."""
    document_id: UUID
    version: int
    document_title: str
    section_path: list[str]
    page_start: int | None
    page_end: int | None
    page_label_start: str | None = None
    page_label_end: str | None = None
    chunk_ids: list[UUID]
    char_start: int
    char_end: int
    boxes: list[BoxOut] = Field(default_factory=list)
    text: str
    ocr: bool = False
    """Whether a part of the text came by character recognition (OCR) of a scanned page: it may hold errors."""
    score: float | None = None


class ContextReply(Message):
    """A block of tagged passages within the budget, and what each number stands for."""

    context: str
    sources: list[Source]
    token_count: int
    token_budget: int
    dropped: int
    """Passages that were found but did not fit the budget."""
    corrections: list[Correction] = Field(default_factory=list)
    strategy: Strategy
    strategy_reason: str
    read_as: str | None = None
    """The question as it was searched, where the turn before completed it."""
    warnings: list[str] = Field(default_factory=list)
    took_ms: float
    embedding_model: str | None = None


class Rung(StrEnum):
    """On what ground an answer stands."""

    CHUNKS = "chunks"
    DOCUMENT = "document"
    GENERAL = "general"
    NONE = "none"


class Evidence(Message):
    """Why the rung was chosen: figures of the query's own score distribution."""

    top_similarity: float | None = None
    similarity_margin: float | None = None
    """Best cosine minus the median of the pool's."""
    term_coverage: float | None = None
    """Share of the query's idf that the best of the first passages covers, 0 to 1."""
    missing_terms: list[str] = Field(default_factory=list)
    terms: int = 0
    """How many terms the question was searched by."""
    other_language: bool = False
    """Whether the nearest passage is in another language than the question."""
    late_interaction: float | None = None
    """The best of the first passages; null where no tokens were compared."""
    late_margin: float | None = None
    """That minus the median of the compared passages."""
    semantic_model: bool = True


class GroundReply(ContextReply):
    """The context together with the rung it stands on."""

    rung: Rung
    reason: str
    evidence: Evidence


class ErrorReply(Message):
    """What a `retrieval.v1.*` request gets instead of a result; header `Skillnet-Error: <code>` marks it."""

    code: str
    message: str
    details: dict[str, object] = Field(default_factory=dict)
