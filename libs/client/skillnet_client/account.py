"""Calls on keys, usage and the prompt's template: the part of both clients that administrators use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import date
from uuid import UUID

import httpx

from skillnet_client import account_requests as requests
from skillnet_client.requests import ApiRequest
from skillnet_client.responses import Reply
from skillnet_common.contracts.keys import CreatedKey, Key, KeyList, KeyRequest
from skillnet_common.contracts.organizations import PromptHistory, PromptTemplate
from skillnet_common.contracts.usage import Usage


class AccountCalls(ABC):
    """Of the synchronous client. All need a key with the scope `admin`."""

    @abstractmethod
    def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply: ...

    @abstractmethod
    def _send(self, request: ApiRequest) -> httpx.Response: ...

    def create_key(self, request: KeyRequest | str) -> CreatedKey:
        """A new key, shown this once; of a name alone, read-only and of every group."""
        return self._call(requests.create_key(request), CreatedKey)

    def keys(self) -> list[Key]:
        """Every key, revoked and expired ones too, oldest first."""
        return self._call(requests.keys(), KeyList).keys

    def key(self, key_id: UUID) -> Key:
        """What is known of a key."""
        return self._call(requests.key(key_id), Key)

    def revoke_key(self, key_id: UUID, *, force: bool = False) -> None:
        """Revokes it for good; with `force` also the last usable administrator's (else `last_admin_key`)."""
        self._send(requests.revoke_key(key_id, force=force))

    def usage(self, *, first: date | None = None, last: date | None = None) -> Usage:
        """What was used from `first` through `last` (UTC; by default the last 30 days), and what is stored now."""
        return self._call(requests.usage(first, last), Usage)

    def prompt_template(self) -> PromptTemplate:
        """The template of prompts that holds."""
        return self._call(requests.prompt_template(), PromptTemplate)

    def set_prompt_template(self, template: str) -> PromptTemplate:
        """Sets it; `invalid_template` where a placeholder is missing or unknown."""
        return self._call(requests.set_prompt_template(template), PromptTemplate)

    def reset_prompt_template(self) -> PromptTemplate:
        """Goes back to the system's own."""
        return self._call(requests.reset_prompt_template(), PromptTemplate)

    def prompt_history(self) -> PromptHistory:
        """The changes of the template, last first."""
        return self._call(requests.prompt_history(), PromptHistory)


class AsyncAccountCalls(ABC):
    """Of the asynchronous client: the same."""

    @abstractmethod
    async def _call(self, request: ApiRequest, reply_type: type[Reply]) -> Reply: ...

    @abstractmethod
    async def _send(self, request: ApiRequest) -> httpx.Response: ...

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
