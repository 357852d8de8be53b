"""The organisation over HTTP (`/v1/organization`): what the gateway replies and its clients send."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, StrictBool, computed_field, model_validator

from skillnet_common.contracts.base import Message, Request

ONE_LINE = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
"""One line with something to read on it."""

MAX_TEMPLATE_CHARS = 8_000


class Consents(Message):
    """To whom the organisation lets its text go; to nobody unless it says so.

    `llm`: questions and passages to the configured language model. `embedding`: documents and questions to an
    embeddings API, where one is configured. `rerank`: questions and passages to a reranking API.
    """

    llm: bool = False
    embedding: bool = False
    rerank: bool = False


class ConsentsChange(Request):
    """Consents to give or withdraw; None leaves one as it is."""

    llm: StrictBool | None = None
    embedding: StrictBool | None = None
    rerank: StrictBool | None = None


_Tokens = Annotated[int, Field(strict=True, ge=0, le=32_768)]


class ChunkLimits(Message):
    """How documents are cut, in tokens of the embedding model: no chunk is larger than `max_tokens`, header included;
    a text below `min_tokens` is merged with its neighbour; a chunk repeats up to `overlap_sentences` of the one
    before. `own` names those that the organisation chose; the others are the deployment's."""

    max_tokens: int
    min_tokens: int
    overlap_sentences: int
    model_window: int
    """The most that `max_tokens` can be."""
    own: list[str] = Field(default_factory=list)


class ChunkLimitsChange(Request):
    """Limits to set; null goes back to the deployment's, what is left out stays."""

    max_tokens: Annotated[_Tokens, Field(ge=128)] | None = None
    min_tokens: _Tokens | None = None
    overlap_sentences: Annotated[int, Field(strict=True, ge=0, le=10)] | None = None


class Organization(Message):
    """An organisation, its consents and how its documents are cut."""

    org_id: UUID
    name: str
    consents: Consents = Consents()
    chunks: ChunkLimits

    @computed_field(description="The same as `consents.llm`.")  # type: ignore[prop-decorator]
    @property
    def llm_consent(self) -> bool:
        """The same as `consents.llm`."""
        return self.consents.llm


class OrganizationChange(Request):
    """What is to change; None leaves it as it is. `llm_consent` is another word for `consents.llm`."""

    name: str | None = Field(default=None, max_length=200, pattern=ONE_LINE)
    llm_consent: StrictBool | None = None
    consents: ConsentsChange = ConsentsChange()
    chunks: ChunkLimitsChange = ChunkLimitsChange()

    @model_validator(mode="after")
    def _one_word_for_the_llm(self) -> Self:
        if None not in (self.llm_consent, self.consents.llm) and self.llm_consent != self.consents.llm:
            raise ValueError("llm_consent and consents.llm contradict each other")
        return self

    @property
    def consent_to_llm(self) -> bool | None:
        """The change of `consents.llm`, by either of its words."""
        return self.consents.llm if self.llm_consent is None else self.llm_consent


class PromptChange(Request):
    """A template for the prompt of answers from documents. See `docs/answers.md` for its placeholders."""

    template: str = Field(min_length=1, max_length=MAX_TEMPLATE_CHARS)


class PromptTemplate(Message):
    """The template that holds. `version` counts the organisation's changes; 0: it never made one."""

    template: str
    version: int
    is_default: bool
    """The template is the system's own."""
    created_at: datetime | None = None
    created_by: UUID | None = None
    """The key that set it."""


class PromptVersion(Message):
    """A change of the template; `template` null: back to the system's own."""

    version: int
    template: str | None
    created_at: datetime
    created_by: UUID


class PromptHistory(Message):
    """The changes of the template, last first; at most the last 100."""

    versions: list[PromptVersion]
