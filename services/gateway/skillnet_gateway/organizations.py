"""What the gateway knows of an organisation."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from skillnet_common.database import Database, Queries

_SQL = Queries(__package__, "queries.sql")


@dataclass(frozen=True, slots=True)
class Organization:
    """`llm_consent`: its text may be sent to the configured LLM. Off unless its settings say 'true'."""

    name: str
    llm_consent: bool


class Organizations:
    """Reads organisations."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, org_id: UUID) -> Organization:
        """The organisation of a verified key: it exists."""
        async with self._database.tenant(org_id, readonly=True) as connection:
            row = await connection.fetchrow(_SQL.organization, org_id)
        if row is None:
            raise LookupError("a key's organisation is missing")
        return Organization(row["name"], row["llm_consent"])
