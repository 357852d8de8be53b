"""The search statements of a request: the named parts of retriever.sql with the conditions of its filters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID

from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.queries import Queries

SQL = Queries(__package__, "retriever.sql")

# IS TRUE keeps it a hashed look-up a row: a join is planned by a guess at the number of allowed chunks, and may loop.
_IS_ALLOWED = "WHERE (e.chunk_id IN (SELECT a.chunk_id FROM allowed a)) IS TRUE"


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and its parameters in order."""

    text: str
    parameters: list[object]


@dataclass(slots=True)
class _Parameters:
    values: list[object]

    def add(self, value: object, cast: str) -> str:
        self.values.append(value)
        return f"${len(self.values)}::{cast}"


def semantic_search(org_id: object, candidates: int, filters: Filters, vector: object, model_id: int) -> Statement:
    """The semantic leg; `vector` is the question's, `model_id` the serving model's."""
    parameters = _Parameters([org_id, candidates])
    place = parameters.add(vector, "halfvec")
    text = _fill(
        "\n".join([*_scope(filters, parameters), SQL.semantic_leg, SQL.semantic_rows]),
        allowed_semantic=_IS_ALLOWED if narrows_documents(filters) else "",
        vector=place,
        model_id=str(int(model_id)),
    )
    return Statement(text, parameters.values)


def keyword_search(org_id: object, query: str, filters: Filters) -> Statement:
    """The keyword leg, and what the router and the ranking need to know of the scope."""
    parameters = _Parameters([org_id, query])
    text = _fill(
        "\n".join([*_scope(filters, parameters), SQL.keyword_leg, SQL.results]),
        allowed_keys=SQL.allowed_keys if narrows_documents(filters) else "",
        routing=SQL.routing,
    )
    return Statement(text, parameters.values)


def found_by_words(
    org_id: object, places: list[tuple[UUID, int, int]], vector: object | None, model_id: int
) -> Statement:
    """The chunks at (document, version, chunk index); cosines are None without a vector."""
    documents, versions, indexes = (list(column) for column in zip(*places, strict=True))
    text = _fill(SQL.found_by_words, model_id=str(int(model_id)))
    return Statement(text, [org_id, documents, versions, indexes, vector])


def small_documents(org_id: object, query: str, pages: int, filters: Filters) -> Statement:
    """The scope's documents of at most `pages` pages, those that hold most of the question's terms first."""
    parameters = _Parameters([org_id, query, pages])
    scope = _fill(SQL.scope, document_filters=_and(_document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.small_documents}", parameters.values)


def narrows_documents(filters: Filters) -> bool:
    """Whether the filters leave some chunks of a document out."""
    return any(value is not None for value in (filters.section_path, filters.page_from, filters.page_to))


def _scope(filters: Filters, parameters: _Parameters) -> list[str]:
    scope = _fill(SQL.scope, document_filters=_and(_document_conditions(filters, parameters)))
    if not narrows_documents(filters):
        return [scope]
    return [scope, _fill(SQL.allowed, chunk_filters=_and(_chunk_conditions(filters, parameters)))]


def _document_conditions(filters: Filters, parameters: _Parameters) -> list[str]:
    """Conditions on documents (alias d); only filters that are set appear."""
    add = parameters.add
    documents: list[str] = []
    if filters.document_ids is not None:
        documents.append(f"d.document_id = ANY ({add(filters.document_ids, 'uuid[]')})")
    if filters.course_id is not None:
        documents.append(
            "EXISTS (SELECT FROM course_documents cd WHERE cd.org_id = $1 AND cd.document_id = d.document_id"
            f" AND cd.course_id = {add(filters.course_id, 'text')})"
        )
    for column in ("subject_id", "entity_id", "language", "file_type"):
        value = getattr(filters, column)
        if value is not None:
            documents.append(f"d.{column} = {add(value, 'text')}")
    if filters.taxonomy_prefix is not None:
        prefix = add(filters.taxonomy_prefix.rstrip("/"), "text")
        documents.append(f"(d.taxonomy = {prefix} OR starts_with(d.taxonomy, {prefix} || '/'))")
    if filters.metadata is not None:
        documents.append(f"d.metadata @> {add(filters.metadata, 'jsonb')}")
    if filters.updated_after is not None:
        documents.append(f"d.updated_at >= {add(_in_utc(filters.updated_after), 'timestamptz')}")
    if filters.updated_before is not None:
        documents.append(f"d.updated_at < {add(_in_utc(filters.updated_before), 'timestamptz')}")
    return documents


def _chunk_conditions(filters: Filters, parameters: _Parameters) -> list[str]:
    """Conditions on chunks (alias c)."""
    add = parameters.add
    chunks: list[str] = []
    if filters.section_path is not None:
        path = add(filters.section_path, "text[]")
        chunks.append(f"c.section_path[1:cardinality({path})] = {path}")
    if filters.page_from is not None:
        chunks.append(f"c.page_end >= {add(filters.page_from, 'integer')}")
    if filters.page_to is not None:
        chunks.append(f"c.page_start <= {add(filters.page_to, 'integer')}")
    return chunks


def _in_utc(moment: datetime) -> datetime:
    """A time without a zone is meant in UTC."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _and(conditions: list[str]) -> str:
    return "".join(f"\n      AND {condition}" for condition in conditions)


@lru_cache(maxsize=1_000)
def _fill(text: str, **places: str) -> str:
    for name, value in places.items():
        text = text.replace(f"/*{name}*/", value)
    return text
