"""What the gateway knows of an organisation: its name, its consents, the template of its prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import structlog

from skillnet_common.auth import Principal
from skillnet_common.chunk_sizes import ChunkSizes, OwnSizes, chunk_sizes, setting_of
from skillnet_common.contracts.organizations import (
    ChunkLimits,
    ChunkLimitsChange,
    Consents,
    Organization,
    OrganizationChange,
    PromptHistory,
    PromptTemplate,
    PromptVersion,
)
from skillnet_common.database import Database, Queries
from skillnet_common.database.pool import Connection
from skillnet_common.errors import ErrorCode, RequestError
from skillnet_common.models import serving_model
from skillnet_common.settings import ChunkSettings
from skillnet_gateway.templates import DEFAULT_TEMPLATE, require_template

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "account.sql")


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """How the organisation's questions are answered. `template` None: by the system's own."""

    consents: Consents
    template: str | None


class Organizations:
    """Reads and changes organisations. The log says which key changed what."""

    def __init__(self, database: Database, chunks: ChunkSettings) -> None:
        self._database = database
        self._chunks = chunks

    async def get(self, org_id: UUID) -> Organization:
        """The organisation of a verified key: it exists."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            row = _present(await connection.fetchrow(_SQL.organization, org_id))
            return await self._shown(connection, row)

    async def answer_rules(self, org_id: UUID) -> AnswerRules:
        """What holds for a question that is asked now."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            row = await connection.fetchrow(_SQL.organization_and_template, org_id)
        row = _present(row)
        return AnswerRules(_consents(row), row["template"])

    async def change(self, principal: Principal, change: OrganizationChange) -> Organization:
        """Applies the change and returns what holds now. Raises RequestError `invalid_request` for sizes of chunks
        that do not fit the model or each other, and `forbidden` for a key limited to groups: what holds for the whole
        organisation is not its to say."""
        _require_unlimited(principal)
        consents = {
            "llm": change.consent_to_llm,
            "embedding": change.consents.embedding,
            "rerank": change.consents.rerank,
        }
        settings: dict[str, Any] = {f"{name}_consent": given for name, given in consents.items() if given is not None}
        settings |= {setting_of(name): getattr(change.chunks, name) for name in change.chunks.model_fields_set}
        async with self._database.tenant(principal.org_id) as connection:
            row = _present(
                await connection.fetchrow(_SQL.change_organization, principal.org_id, change.name, settings)
            )
            now = await self._shown(connection, row)
            if change.chunks.model_fields_set:
                target = self._sizes(row, now.chunks.model_window).target_tokens
                _require_fitting(change.chunks, OwnSizes.of(row["settings"]), now.chunks, target)
        changed = settings if change.name is None else {"name": change.name, **settings}
        log.info("organization_changed", **_who(principal), **changed)
        return now

    async def _shown(self, connection: Connection, row: asyncpg.Record) -> Organization:
        window = (await serving_model(connection)).window
        sizes = self._sizes(row, window)
        own = OwnSizes.of(row["settings"])
        return Organization(
            org_id=row["org_id"],
            name=row["name"],
            consents=_consents(row),
            chunks=ChunkLimits(
                max_tokens=sizes.max_tokens,
                min_tokens=sizes.min_tokens,
                overlap_sentences=sizes.overlap_sentences,
                model_window=window,
                own=[name for name in ChunkLimitsChange.model_fields if getattr(own, name) is not None],
            ),
        )

    def _sizes(self, row: asyncpg.Record, window: int) -> ChunkSizes:
        return chunk_sizes(self._chunks, OwnSizes.of(row["settings"]), window=window)

    async def template(self, org_id: UUID) -> PromptTemplate:
        """The template that holds."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            return _template(await connection.fetchrow(_SQL.newest_template, org_id))

    async def templates(self, org_id: UUID) -> PromptHistory:
        """Its changes, last first."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            rows = await connection.fetch(_SQL.templates, org_id)
        return PromptHistory(versions=[PromptVersion(**row) for row in rows])

    async def set_template(self, principal: Principal, template: str | None) -> PromptTemplate:
        """Makes it the template of every question from now on; None is the system's own. Raises RequestError
        `invalid_template`, and `forbidden` as `change` does."""
        _require_unlimited(principal)
        if template is not None:
            require_template(template)
        async with self._database.tenant(principal.org_id) as connection:
            await connection.execute(_SQL.hold_organization, principal.org_id)
            row = await connection.fetchrow(_SQL.add_template, principal.org_id, template, principal.key_id)
        changed = _template(row)
        log.info("prompt_changed", **_who(principal), version=changed.version, reset=template is None)
        return changed


def _require_unlimited(principal: Principal) -> None:
    if principal.audience is not None:
        raise RequestError(ErrorCode.FORBIDDEN, "This key is limited to groups: it cannot change the organisation.")


def _present(row: asyncpg.Record | None) -> asyncpg.Record:
    if row is None:
        raise LookupError("a key's organisation is missing")
    return row


def _consents(row: asyncpg.Record) -> Consents:
    """Whatever stands in the settings: only a true is a yes."""
    return Consents(**{name: row["settings"].get(f"{name}_consent") is True for name in Consents.model_fields})


def _require_fitting(asked: ChunkLimitsChange, own: OwnSizes, now: ChunkLimits, target: int) -> None:
    """Raises RequestError `invalid_request` where the sizes that would hold are not those that were asked for."""
    if asked.max_tokens is not None and asked.max_tokens > now.model_window:
        raise RequestError(
            ErrorCode.INVALID_REQUEST,
            f"max_tokens must not be above the embedding model's window of {now.model_window} tokens.",
        )
    if own.min_tokens is not None and own.min_tokens != now.min_tokens:
        raise RequestError(
            ErrorCode.INVALID_REQUEST, f"min_tokens must be below the {target} tokens that a chunk aims at."
        )


def _template(row: asyncpg.Record | None) -> PromptTemplate:
    if row is None:
        return PromptTemplate(template=DEFAULT_TEMPLATE, version=0, is_default=True)
    is_default = row["template"] is None
    return PromptTemplate(**{**row, "template": row["template"] or DEFAULT_TEMPLATE}, is_default=is_default)


def _who(principal: Principal) -> dict[str, str]:
    return {"org_id": str(principal.org_id), "key_id": str(principal.key_id)}
