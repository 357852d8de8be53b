"""What an organisation has used (`/v1/usage`)."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from pydantic import Field

from skillnet_common.contracts.base import Message


class UsageKind(StrEnum):
    """What is counted."""

    SEARCH = "search"
    """Questions to `search` that were answered, over HTTP or the bus; the next three likewise."""
    CONTEXT = "context"
    GROUND = "ground"
    ASK = "ask"
    DOCUMENTS_UPLOADED = "documents_uploaded"
    """Files that became a version; the same bytes again do not count."""
    BYTES_UPLOADED = "bytes_uploaded"
    PAGES_PARSED = "pages_parsed"
    """Of documents without pages, their estimated number."""
    EMBEDDING_TOKENS = "embedding_tokens"
    """Of the model's own tokenizer, of the chunks that were embedded. Reused vectors do not count."""
    LLM_PROMPT_TOKENS = "llm_prompt_tokens"
    """As the LLM's endpoint reports them; the next likewise."""
    LLM_COMPLETION_TOKENS = "llm_completion_tokens"


class UsageCount(Message):
    """One counter of one day. `estimated` is the part of `amount` that the provider did not report."""

    day: date
    kind: UsageKind
    amount: int
    estimated: int = 0


class UsageTotal(Message):
    """A counter over all the days asked for."""

    kind: UsageKind
    amount: int
    estimated: int = 0


class Storage(Message):
    """What is stored now: documents that are not deleted, the chunks of live versions, the originals' bytes of every
    version that is kept."""

    documents: int
    chunks: int
    bytes: int


class Usage(Message):
    """Counters by day, oldest first, from `first_day` through `last_day` (UTC). A day without a counter had none."""

    first_day: date
    last_day: date
    days: list[UsageCount] = Field(default_factory=list)
    totals: list[UsageTotal] = Field(default_factory=list)
    storage: Storage
