"""What the gateway knows of an organisation."""

from __future__ import annotations

from uuid import UUID

import asyncpg
import structlog

from skillnet_common.auth import Principal
from skillnet_common.contracts.organizations import Organization, OrganizationChange
from skillnet_common.database import Database, Queries

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "queries.sql")


class Organizations:
    """Reads and changes organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, org_id: UUID) -> Organization:
        """The organisation of a verified key: it exists."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            return _organization(await connection.fetchrow(_SQL.organization, org_id))

    async def change(self, principal: Principal, change: OrganizationChange) -> Organization:
        """Applies the change and returns what holds now; the log says which key changed what."""
        async with self._database.tenant(principal.org_id) as connection:
            row = await connection.fetchrow(
                _SQL.change_organization, principal.org_id, change.name, change.llm_consent
            )
        log.info(
            "organization_changed",
            org_id=str(principal.org_id),
            key_id=str(principal.key_id),
            **change.model_dump(exclude_none=True),
        )
        return _organization(row)


def _organization(row: asyncpg.Record | None) -> Organization:
    if row is None:
        raise LookupError("a key's organisation is missing")
    return Organization(**row)
