"""The search statements of a request: the named parts of retriever.sql with the conditions of its filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.document_filters import Parameters, document_conditions
from skillnet_common.database.queries import Queries

SQL = Queries(__package__, "retriever.sql")

# IS TRUE keeps it a hashed look-up a row: a join is planned by a guess at the number of allowed chunks, and may loop.
_READINGS = 3
"""Words that one misspelt word may stand for."""
_IS_ALLOWED = "WHERE (e.chunk_id IN (SELECT a.chunk_id FROM allowed a)) IS TRUE"


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and its parameters in order."""

    text: str
    parameters: list[object]


def semantic_search(org_id: object, candidates: int, filters: Filters, vector: object, model_id: int) -> Statement:
    """The semantic leg; `vector` is the question's, `model_id` the serving model's."""
    parameters = Parameters([org_id, candidates])
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
    parameters = Parameters([org_id, query])
    text = _fill(
        "\n".join([*_scope(filters, parameters), SQL.keyword_leg, SQL.results]),
        allowed_keys=SQL.allowed_keys if narrows_documents(filters) else "",
        routing=SQL.routing,
    )
    return Statement(text, parameters.values)


def corrections(org_id: object, near_words: Mapping[int, Sequence[str]], filters: Filters) -> Statement:
    """Postings of the words of the scope among `near_words`, by the number of the term each is near to."""
    words = [" ".join(words) for words in near_words.values()]
    parameters = Parameters([org_id, list(near_words), words, _READINGS])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.corrections}", parameters.values)


def found_by_words(
    org_id: object, places: list[tuple[UUID, int, int]], vector: object | None, model_id: int
) -> Statement:
    """The chunks at (document, version, chunk index); cosines are None without a vector."""
    documents, versions, indexes = (list(column) for column in zip(*places, strict=True))
    text = _fill(SQL.found_by_words, model_id=str(int(model_id)))
    return Statement(text, [org_id, documents, versions, indexes, vector])


def small_documents(org_id: object, query: str, pages: int, filters: Filters) -> Statement:
    """The scope's documents of at most `pages` pages, those that hold most of the question's terms first."""
    parameters = Parameters([org_id, query, pages])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.small_documents}", parameters.values)


def narrows_documents(filters: Filters) -> bool:
    """Whether the filters leave some chunks of a document out."""
    return any(value is not None for value in (filters.section_path, filters.page_from, filters.page_to))


def _scope(filters: Filters, parameters: Parameters) -> list[str]:
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    if not narrows_documents(filters):
        return [scope]
    return [scope, _fill(SQL.allowed, chunk_filters=_and(_chunk_conditions(filters, parameters)))]


def _chunk_conditions(filters: Filters, parameters: Parameters) -> list[str]:
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


def _and(conditions: list[str]) -> str:
    return "".join(f"\n      AND {condition}" for condition in conditions)


@lru_cache(maxsize=1_000)
def _fill(text: str, **places: str) -> str:
    for name, value in places.items():
        text = text.replace(f"/*{name}*/", value)
    return text
