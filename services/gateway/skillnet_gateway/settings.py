"""Settings of the gateway."""

from __future__ import annotations

from typing import Self

from pydantic import Field, SecretStr, model_validator

from skillnet_common.contracts.retrieval import TokenEncoding
from skillnet_common.settings import ChunkSettings, CommonSettings, ObjectStoreSettings


class GatewaySettings(CommonSettings, ObjectStoreSettings, ChunkSettings):
    """The LLM is optional: without `LLM_API_BASE` answers are put together from the documents' own sentences."""

    http_host: str = "127.0.0.1"
    http_port: int = Field(default=0, ge=0, le=65535)
    """0 lets the system choose one."""
    max_upload_bytes: int = Field(default=50 * 1024 * 1024, gt=0)
    upload_idle_seconds: float = Field(default=60.0, gt=0)
    """An upload that sends nothing for this long is given up."""
    bulk_max_bytes: int = Field(default=500 * 1024 * 1024, gt=0)
    """Of an archive as it is sent; it is kept on disk while it is read."""
    bulk_max_files: int = Field(default=10_000, gt=0)
    bulk_max_unpacked_bytes: int = Field(default=2 * 1024 * 1024 * 1024, gt=0)
    """Of all files of an archive together; each of them is limited as any upload."""
    bulk_uploads: int = Field(default=4, gt=0)
    """How many archives a gateway takes in at a time."""
    bulk_uploads_per_organization: int = Field(default=2, gt=0)
    bulk_receive_seconds: float = Field(default=900.0, gt=0)
    """An archive that has not arrived whole after this long is given up."""
    retrieval_timeout_seconds: float = Field(default=30.0, gt=0)

    llm_api_base: str = ""
    """Of an OpenAI-compatible API, up to and including its version: `https://host/v1`."""
    llm_api_key: SecretStr = SecretStr("")
    llm_model: str = ""
    llm_connect_seconds: float = Field(default=5.0, gt=0)
    llm_first_token_seconds: float = Field(default=30.0, gt=0)
    """Of a streamed answer, from the request on; an LLM that takes longer is not asked again."""
    llm_timeout_seconds: float = Field(default=60.0, gt=0)
    """For the whole answer, retries included."""
    llm_rewrite_seconds: float = Field(default=8.0, gt=0)
    """For wording a follow-up question so that it stands alone; after that the topic words of the turn before do."""
    llm_outline_seconds: float = Field(default=8.0, gt=0)
    """For choosing the modules of a course that a question is about; after that their words choose."""
    llm_attempts: int = Field(default=3, ge=1)
    llm_max_tokens: int = Field(default=1_024, ge=1)
    """Of an answer; so much of the window is kept for it."""
    llm_context_tokens: int = Field(default=8_192, ge=512)
    """The model's window: prompt, context, question and answer."""
    llm_encoding: TokenEncoding = TokenEncoding.O200K
    """How the window's tokens are counted: OpenAI's newer models o200k_base, GPT-4 and 3.5 cl100k_base; for others
    the nearer one."""
    ask_heartbeat_seconds: float = Field(default=10.0, gt=0)
    """A stream in which nothing happens for so long sends a sign of life."""
    progress_poll_seconds: float = Field(default=0.5, gt=0)
    """How often a document that is followed is looked at; up to four times rarer while nothing changes."""
    progress_stream_seconds: float = Field(default=300.0, gt=0)
    """A document is followed no longer at a time; the reader comes again, and its key is verified anew."""
    progress_streams: int = Field(default=200, ge=1)
    """How many documents a gateway follows at a time."""
    progress_streams_per_organization: int = Field(default=50, ge=1)

    @model_validator(mode="after")
    def _a_base_needs_a_model(self) -> Self:
        if self.llm_api_base and not self.llm_model:
            raise ValueError("LLM_API_BASE is set, so LLM_MODEL must name the model to use")
        return self
