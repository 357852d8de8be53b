"""Settings of the retriever; `EMBEDDING_*` are those of `EmbeddingSettings`."""

from __future__ import annotations

from pydantic import Field

from skillnet_common.settings import CommonSettings, LateInteractionSettings


class RetrieverSettings(CommonSettings, LateInteractionSettings):
    """Names of variables are the fields' in capitals."""

    database_pool_size: int = Field(default=8, ge=1, le=100)
    retriever_concurrency: int = Field(default=16, ge=1, le=256)
    """Requests at work at a time; more wait."""
    search_timeout_seconds: float = Field(default=5.0, gt=0, le=60)
    """Longest time of one statement."""
    search_candidates: int = Field(default=50, ge=10, le=500)
    """Candidates of each leg before fusion."""
    query_cache_size: int = Field(default=1_000, ge=1)
    """Questions whose vectors are remembered."""
    full_text_pages: int = Field(default=3, ge=1, le=5)
    """A scope of one document of up to so many pages is read whole instead of searched."""
    context_extract_tokens: int = Field(default=1_000, ge=0)
    """How far a passage of a context grows by what stands around it in its section, in tokens of the LLM; 0: not."""
    outline_max_parts: int = Field(default=3, ge=1, le=20)
    """Modules of a course, or sections, that a question by outline reads."""
    outline_share: float = Field(default=0.5, gt=0, le=1)
    """A second part is read where it reaches this share of the best one's score."""
    outline_max_chunks: int = Field(default=5_000, ge=1, le=50_000)
    """A scope of more chunks has no outline to choose from: it is searched."""
