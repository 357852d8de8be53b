"""The filters of a request as conditions on documents: the same for a search and for a list."""

from __future__ import annotations

from dataclasses import dataclass

from skillnet_common.contracts.retrieval import Filters

_NO_HIDDEN_COURSE = (
    " AND NOT EXISTS (SELECT FROM courses named WHERE named.org_id = $1 AND named.course_id = cd.course_id"
    " AND named.document_id IS NOT NULL"
    " AND NOT EXISTS (SELECT FROM documents w WHERE w.org_id = $1 AND w.document_id = named.document_id))"
)
"""A course whose words the asker does not see has no documents for them: nothing tells that there is one."""


@dataclass(slots=True)
class Parameters:
    """The values of a statement, numbered as they are added."""

    values: list[object]

    def add(self, value: object, cast: str) -> str:
        """The placeholder that stands for the value."""
        self.values.append(value)
        return f"${len(self.values)}::{cast}"


def document_conditions(filters: Filters, parameters: Parameters) -> list[str]:
    """Conditions on documents (alias d, $1 their organisation); only filters that are set appear.

    The fields on sections and pages narrow chunks, not documents, and are left aside.
    """
    add = parameters.add
    documents: list[str] = []
    if filters.document_ids is not None:
        documents.append(f"d.document_id = ANY ({add(filters.document_ids, 'uuid[]')})")
    if filters.course_id is not None:
        documents.append(
            "EXISTS (SELECT FROM course_documents cd WHERE cd.org_id = $1 AND cd.document_id = d.document_id"
            f" AND cd.course_id = {add(filters.course_id, 'text')}{_NO_HIDDEN_COURSE})"
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
        documents.append(f"d.updated_at >= {add(filters.updated_after, 'timestamptz')}")
    if filters.updated_before is not None:
        documents.append(f"d.updated_at < {add(filters.updated_before, 'timestamptz')}")
    return documents
