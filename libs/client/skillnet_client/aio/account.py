"""Calls on the organisation, its keys, its usage and its prompt's template."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from skillnet_client.aio.connection import AsyncConnection
from skillnet_client.requests import account as requests
from skillnet_common.contracts.documents import Me
from skillnet_common.contracts.keys import CreatedKey, Key, KeyList, KeyRequest
from skillnet_common.contracts.organizations import (
    Organization,
    OrganizationChange,
    PromptHistory,
    PromptTemplate,
)
from skillnet_common.contracts.usage import Usage


class AsyncAccountCalls(AsyncConnection):
    """What administrators do: all but `me` need a key with the scope `admin`."""

    async def me(self) -> Me:
        """Whose key this is."""
        return await self._call(requests.me(), Me)

    async def organization(self) -> Organization:
        """The key's organisation; needs the scope `admin`."""
        return await self._call(requests.organization(), Organization)

    async def change_organization(self, change: OrganizationChange) -> Organization:
        """Changes name, consents or sizes of chunks, and returns what holds now; needs the scope `admin`."""
        return await self._call(requests.change_organization(change), Organization)

    async def create_key(self, request: KeyRequest | str) -> CreatedKey:
        """A new key, shown this once; of a name alone, read-only and of every group."""
        return await self._call(requests.create_key(request), CreatedKey)

    async def keys(self) -> list[Key]:
        """Every key, revoked and expired ones too, oldest first."""
        return (await self._call(requests.keys(), KeyList)).keys

    async def key(self, key_id: UUID) -> Key:
        """What is known of a key."""
        return await self._call(requests.key(key_id), Key)

    async def revoke_key(self, key_id: UUID, *, force: bool = False) -> None:
        """Revokes it for good; with `force` also the last usable administrator's (else `last_admin_key`)."""
        await self._send(requests.revoke_key(key_id, force=force))

    async def usage(self, *, first: date | None = None, last: date | None = None) -> Usage:
        """What was used from `first` through `last` (UTC; by default the last 30 days), and what is stored now."""
        return await self._call(requests.usage(first, last), Usage)

    async def prompt_template(self) -> PromptTemplate:
        """The template of prompts that holds."""
        return await self._call(requests.prompt_template(), PromptTemplate)

    async def set_prompt_template(self, template: str) -> PromptTemplate:
        """Sets it; `invalid_template` where a placeholder is missing or unknown."""
        return await self._call(requests.set_prompt_template(template), PromptTemplate)

    async def reset_prompt_template(self) -> PromptTemplate:
        """Goes back to the system's own."""
        return await self._call(requests.reset_prompt_template(), PromptTemplate)

    async def prompt_history(self) -> PromptHistory:
        """The changes of the template, last first."""
        return await self._call(requests.prompt_history(), PromptHistory)
