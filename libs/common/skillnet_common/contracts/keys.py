"""API keys over HTTP (`/v1/keys`)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.base import Message, Request
from skillnet_common.contracts.fields import Group
from skillnet_common.contracts.organizations import ONE_LINE
from skillnet_common.contracts.retrieval import Instant


class Scope(StrEnum):
    """What a key may do."""

    READ = "documents:read"
    WRITE = "documents:write"
    ADMIN = "admin"


class KeyRequest(Request):
    """A key to be made. `audience`: the groups whose documents it sees; None: every document."""

    name: str = Field(max_length=200, pattern=ONE_LINE)
    scopes: list[Scope] = Field(default=[Scope.READ], min_length=1, max_length=len(Scope))
    audience: list[Group] | None = Field(default=None, min_length=1, max_length=100)
    expires_at: Instant | None = None


class Key(Message):
    """What is known of a key: never the key itself. `hint` is its beginning, to tell keys apart."""

    key_id: UUID
    name: str
    hint: str
    scopes: list[str]
    audience: list[str] | None
    """Groups whose documents it sees; null: every document."""
    created_at: datetime
    created_by: UUID | None = None
    """The key that it was made with."""
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    """To about a minute."""


class CreatedKey(Key):
    """A new key. `api_key` is shown this once: only its hash is kept."""

    api_key: str = Field(repr=False)


class KeyList(Message):
    """Every key that the asker may see, revoked and expired ones too, oldest first."""

    keys: list[Key]
