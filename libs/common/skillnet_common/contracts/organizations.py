"""The organisation over HTTP (`/v1/organization`): what the gateway replies and its clients send."""

from __future__ import annotations

from uuid import UUID

from pydantic import Field, StrictBool

from skillnet_common.contracts.base import Message, Request


class Organization(Message):
    """An organisation. `llm_consent`: its text may be sent to the configured LLM; not unless it says so."""

    org_id: UUID
    name: str
    llm_consent: bool


class OrganizationChange(Request):
    """What is to change; None leaves it as it is."""

    name: str | None = Field(
        default=None, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"
    )
    """One line with something to read on it."""
    llm_consent: StrictBool | None = None
