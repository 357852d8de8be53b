"""Calls on the organisation, its keys, its usage and its prompt's template."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from skillnet_client.requests import account as requests
from skillnet_client.sync.connection import Connection
from skillnet_common.contracts.documents import Me
from skillnet_common.contracts.keys import CreatedKey, Key, KeyList, KeyRequest
from skillnet_common.contracts.organizations import (
    Organization,
    OrganizationChange,
    PromptHistory,
    PromptTemplate,
)
from skillnet_common.contracts.usage import Usage


class AccountCalls(Connection):
    """What administrators do: all but `me` need a key with the scope `admin`."""

    def me(self) -> Me:
        """Whose key this is."""
        return self._call(requests.me(), Me)

    def organization(self) -> Organization:
        """The key's organisation; needs the scope `admin`."""
        return self._call(requests.organization(), Organization)

    def change_organization(self, change: OrganizationChange) -> Organization:
        """Changes name, consents or sizes of chunks, and returns what holds now; needs the scope `admin`."""
        return self._call(requests.change_organization(change), Organization)

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
