"""Settings of reranking."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

DEFAULT_MODEL = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
"""Multilingual; read from the hub where no folder is given."""


class RerankProvider(StrEnum):
    """Who reranks."""

    OFF = "off"
    LOCAL = "local"
    """An ONNX cross-encoder in the retriever's process."""
    COHERE = "cohere"
    """`POST /rerank` as Cohere's v2 has it."""
    JINA = "jina"
    """`POST /rerank` as Jina has it."""


class RerankSettings(BaseSettings):
    """Every field is an environment variable `RERANK_…`."""

    model_config = SettingsConfigDict(env_prefix="RERANK_", extra="ignore", frozen=True)

    provider: RerankProvider = RerankProvider.OFF
    model: str = Field(default=DEFAULT_MODEL, min_length=1)
    """The model's name at the hub or at the API."""
    model_path: Path | None = None
    """A folder with model.onnx (or onnx/model.onnx) and tokenizer.json, instead of the hub."""
    window: int = Field(default=512, ge=32, le=32_768)
    """Tokens of question and passage together that the local model reads; the passage is cut."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """Of the local model; by default one for every core that the process may use."""

    api_base: str = ""
    """For instance `https://api.cohere.com/v2` or `https://api.jina.ai/v1`; `/rerank` is appended."""
    api_key: SecretStr = SecretStr("")

    timeout_seconds: float = Field(default=2.0, gt=0, le=60)
    """After this long the order stays as it was."""
    candidates: int = Field(default=20, ge=2, le=100)
    """How many of the best passages are read."""
    min_candidates: int = Field(default=10, ge=2)
    """From so many candidates on a question is reranked;"""
    close_share: float = Field(default=0.2, ge=0, le=1)
    """below that, where the second is so near the first: their distance as a share of that from first to last."""

    @model_validator(mode="after")
    def _api_has_an_address(self) -> Self:
        if self.sends_text and not self.api_base.startswith(("http://", "https://")):
            raise ValueError(f"RERANK_PROVIDER={self.provider} needs RERANK_API_BASE, for instance https://host/v1")
        return self

    @property
    def sends_text(self) -> bool:
        """Questions and passages leave for somebody else's service: organisations must have consented."""
        return self.provider in {RerankProvider.COHERE, RerankProvider.JINA}
