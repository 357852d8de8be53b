"""The outline of what the asker may see, read from the tables of sections, chunks and courses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from skillnet_common.contracts.retrieval import Filters
from skillnet_common.database.document_filters import Parameters
from skillnet_common.database.pool import Connection
from skillnet_common.database.queries import Queries
from skillnet_retriever.domain.outline import (
    Link,
    OutlinedDocument,
    Part,
    PlacedChunk,
    Section,
    parts_of,
    whole_part,
    with_links,
)
from skillnet_retriever.statements import document_scope

_SQL = Queries(__package__, "outline.sql")


@dataclass(frozen=True, slots=True)
class Outline:
    """`is_course`: its parts are modules or lessons. `parts` is None where the scope is too large for an outline."""

    is_course: bool
    parts: list[Part] | None


async def read_outline(connection: Connection, org_id: UUID, filters: Filters, *, most_chunks: int) -> Outline:
    """The outline of the course that the filters name, where it has modules, with the documents that name the course
    beside them; else of the documents that the filters leave."""
    course = None
    if filters.course_id is not None:
        course = await connection.fetchrow(_SQL.course, org_id, filters.course_id)
    links = [Link(*link) for link in course["links"]] if course is not None else []
    documents = await _documents(connection, org_id, filters, most_chunks)
    if documents is None:
        return Outline(course is not None, None)
    if course is None:
        return Outline(False, [part for document in documents.values() for part in parts_of(document)])
    words = documents.pop(course["document_id"], None)
    if words is None:
        return Outline(True, [])
    linked = {link.document_id for link in links}
    beside = [whole_part(document) for document in documents.values() if document.document_id not in linked]
    return Outline(True, [*with_links(parts_of(words), words, links, documents), *beside])


async def _documents(
    connection: Connection, org_id: UUID, filters: Filters, most_chunks: int
) -> dict[UUID, OutlinedDocument] | None:
    """None where they have more chunks than `most_chunks`."""
    parameters = Parameters([org_id, most_chunks + 1])
    statement = f"{document_scope(filters, parameters)}\n{_SQL.chunks}"
    rows = await connection.fetch(statement, *parameters.values)
    if len(rows) > most_chunks:
        return None
    chunks: dict[UUID, list[PlacedChunk]] = defaultdict(list)
    for row in rows:
        key = (row["place"] << 32) | row["chunk_index"]
        chunks[row["document_id"]].append(PlacedChunk(key, row["chunk_id"], row["section_index"], row["token_count"]))
    parameters = Parameters([org_id, list(chunks)])
    statement = f"{document_scope(filters, parameters)}\n{_SQL.sections}"
    titles: dict[UUID, str] = {}
    sections: dict[UUID, list[Section]] = defaultdict(list)
    for row in await connection.fetch(statement, *parameters.values):
        titles[row["document_id"]] = row["title"]
        sections[row["document_id"]].append(Section(row["section_index"], row["section_id"], tuple(row["path"])))
    return {
        document_id: OutlinedDocument(
            document_id, titles.get(document_id, ""), tuple(sections[document_id]), tuple(own)
        )
        for document_id, own in chunks.items()
    }
