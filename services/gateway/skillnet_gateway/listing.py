"""The statement of a list of documents: only filters that are given appear in it, so that indexes can serve them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from skillnet_common.database import Queries
from skillnet_common.database.document_filters import Parameters, document_conditions
from skillnet_gateway.parameters import DocumentFilter

_SQL = Queries(__package__, "queries.sql")

Place = tuple[datetime, UUID]
"""When the last document of the page before was created, and its id."""


def list_statement(
    org_id: UUID, wanted: DocumentFilter, after: Place | None, *, limit: int
) -> tuple[str, list[object]]:
    """SQL and its parameters, last created first."""
    parameters = Parameters([org_id])
    conditions = document_conditions(wanted.filters(), parameters)
    for column, value in (
        ("processing_status", wanted.status),
        ("source", wanted.source),
        ("external_key", wanted.external_key),
    ):
        if value is not None:
            conditions.append(f"d.{column} = {parameters.add(value, 'text')}")
    if wanted.title is not None:
        conditions.append(f"strpos(fold_accents(d.title), fold_accents({parameters.add(wanted.title, 'text')})) > 0")
    if after is not None:
        created_at, document_id = parameters.add(after[0], "timestamptz"), parameters.add(after[1], "uuid")
        conditions.append(f"(d.created_at, d.document_id) < ({created_at}, {document_id})")
    text = _SQL.list_documents.replace("/*conditions*/", "".join(f"AND {condition}\n  " for condition in conditions))
    return text.replace("/*limit*/", parameters.add(limit, "integer")), parameters.values
