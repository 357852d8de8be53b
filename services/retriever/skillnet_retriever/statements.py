"""The search statements of a request: the named parts of retriever.sql with the conditions of its filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from pydantic import Field

from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.document_filters import Parameters, document_conditions
from skillnet_common.database.queries import Queries

SQL = Queries(__package__, "retriever.sql")

_READINGS = 3
"""Words that one misspelt word may stand for."""
# IS TRUE keeps it a hashed look-up a row: a join is planned by a guess at the number of allowed chunks, and may loop.
_IS_ALLOWED = " AND (/*alias*/.chunk_id IN (SELECT a.chunk_id FROM allowed a)) IS TRUE"
_NOT_WALKED = " AND NOT (SELECT is_true FROM enough)"


class ChunkFilters(Filters):
    """Filters, and what the phrases of the question leave of the chunks: `only` these, where not None, `without`
    those."""

    only: list[UUID] | None = None
    without: list[UUID] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Statement:
    """SQL and its parameters in order."""

    text: str
    parameters: list[object]


@dataclass(frozen=True, slots=True)
class Indexed:
    """That the tenant's vectors have an index, which is walked for scopes of more than `exact_chunks` chunks."""

    dimension: int
    exact_chunks: int


def semantic_search(
    org_id: UUID, candidates: int, filters: Filters, vector: object, model_id: int, indexed: Indexed | None = None
) -> Statement:
    """The semantic leg; `vector` is the question's, `model_id` the serving model's."""
    parameters = Parameters([org_id, candidates])
    place = parameters.add(vector, "halfvec")
    scope = "\n".join(_scope(filters, parameters))
    leg = _exact_leg(filters) if indexed is None else _indexed_leg(filters, org_id, candidates, indexed)
    text = _fill("\n".join([scope, leg, SQL.semantic_rows]), vector=place, model_id=str(int(model_id)))
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


def corrections(org_id: object, near_words: Mapping[int, Sequence[str]], config: str, filters: Filters) -> Statement:
    """Postings of the words among `near_words`, by the number of the term each is near to, in the documents of the
    scope whose text search configuration is `config`."""
    words = [" ".join(words) for words in near_words.values()]
    parameters = Parameters([org_id, list(near_words), words, _READINGS, config])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.corrections}", parameters.values)


def stop_words(org_id: object, query: str, filters: Filters) -> Statement:
    """Postings of every word of the question, counted in the texts of the scope."""
    parameters = Parameters([org_id, query])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.stop_words}", parameters.values)


def holding(org_id: object, phrases: Sequence[str], by_stem: Sequence[bool], filters: Filters) -> Statement:
    """The number of each phrase, from 1, beside every chunk that holds it: word for word, `by_stem` in any form."""
    parameters = Parameters([org_id, list(phrases), list(by_stem)])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{_fill(SQL.holding, form=SQL.phrase_form)}", parameters.values)


def found_by_words(
    org_id: object, places: list[tuple[UUID, int, int]], vector: object | None, model_id: int
) -> Statement:
    """The chunks at (document, version, chunk index); cosines are None without a vector."""
    documents, versions, indexes = (list(column) for column in zip(*places, strict=True))
    text = _fill(SQL.found_by_words, model_id=str(int(model_id)))
    return Statement(text, [org_id, documents, versions, indexes, vector])


def token_bits(org_id: object, chunk_ids: list[UUID], model_id: int) -> Statement:
    """The sign bits of the chunks' tokens, where they are kept."""
    return Statement(_fill(SQL.token_bits, model_id=str(int(model_id))), [org_id, chunk_ids])


def small_documents(org_id: object, query: str, pages: int, filters: Filters) -> Statement:
    """The scope's documents of at most `pages` pages, those that hold most of the question's terms first."""
    parameters = Parameters([org_id, query, pages])
    scope = _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))
    return Statement(f"{scope}\n{SQL.small_documents}", parameters.values)


def document_scope(filters: Filters, parameters: Parameters) -> str:
    """The documents that the filters leave, as `scope`, for statements of other parts of the retriever."""
    return _fill(SQL.scope, document_filters=_and(document_conditions(filters, parameters)))


def narrows_documents(filters: Filters) -> bool:
    """Whether the filters leave some chunks of a document out."""
    if isinstance(filters, ChunkFilters) and (filters.only is not None or filters.without):
        return True
    return any(value is not None for value in (filters.section_path, filters.page_from, filters.page_to))


def _exact_leg(filters: Filters) -> str:
    exact = _fill(SQL.exact, conditions=_allowed(filters, "e"))
    return _fill(SQL.semantic_leg, exact=exact)


def _indexed_leg(filters: Filters, org_id: UUID, candidates: int, indexed: Indexed) -> str:
    return _fill(
        SQL.indexed_leg,
        exact=_fill(SQL.exact, conditions="".join((_NOT_WALKED, _allowed(filters, "e")))),
        scope_size=SQL.chunks_allowed if narrows_documents(filters) else SQL.chunks_in_scope,
        exact_chunks=str(int(indexed.exact_chunks)),
        allowed_walked=_allowed(filters, "n"),
        dimension=str(int(indexed.dimension)),
        tenant=str(UUID(str(org_id))),
        candidates=str(int(candidates)),
    )


def _allowed(filters: Filters, alias: str) -> str:
    return _IS_ALLOWED.replace("/*alias*/", alias) if narrows_documents(filters) else ""


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
    if isinstance(filters, ChunkFilters):
        if filters.only is not None:
            chunks.append(f"c.chunk_id = ANY ({add(filters.only, 'uuid[]')})")
        if filters.without:
            chunks.append(f"c.chunk_id <> ALL ({add(filters.without, 'uuid[]')})")
    return chunks


def _and(conditions: list[str]) -> str:
    return "".join(f"\n      AND {condition}" for condition in conditions)


@lru_cache(maxsize=1_000)
def _fill(text: str, **places: str) -> str:
    for name, value in places.items():
        text = text.replace(f"/*{name}*/", value)
    return text
