"""Query parameters, checked before anything is stored."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from skillnet_common.contracts.base import require_storable
from skillnet_common.contracts.courses import COURSE_SOURCE
from skillnet_common.contracts.documents import DocumentStatus
from skillnet_common.contracts.fields import MAX_METADATA_BYTES, ExternalKey, Group, Id, Source, Title
from skillnet_common.contracts.retrieval import Filters, Instant

_LIST_SIZE = 100
_PATH_SEPARATOR = re.compile(r"[/\\]")


def _no_course(value: str) -> str:
    if value == COURSE_SOURCE:
        raise ValueError(f"{COURSE_SOURCE!r} is the source of courses: put them at /v1/courses/{{course_id}}")
    return value


def _names_a_file(value: str) -> str:
    if not _PATH_SEPARATOR.split(value)[-1].strip():
        raise ValueError("must end with the name of a file")
    return value


def _none_where_empty(value: Any) -> Any:
    """`course_id=` or `audience=` alone is an empty list; to leave the list alone, leave the parameter out."""
    return [] if value == [""] else value


def _json_object(value: str) -> str:
    parse_metadata(value)
    return value


def _flat_object(value: str) -> str:
    for item in parse_metadata(value).values():
        if not isinstance(item, str | int | float | bool):
            raise ValueError("its values must be texts, numbers or booleans")  # noqa: TRY004 - as below
    return value


def parse_metadata(value: str) -> dict[str, Any]:
    """A JSON object that PostgreSQL can hold. ValueError says what is wrong with it."""
    if len(value.encode()) > MAX_METADATA_BYTES:
        raise ValueError(f"must not be larger than {MAX_METADATA_BYTES} bytes")
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise ValueError("must be a JSON object") from error
    if not isinstance(parsed, dict):
        raise ValueError("must be a JSON object")  # noqa: TRY004 - pydantic turns a ValueError into a field error
    require_storable(parsed)
    return parsed


FileName = Annotated[ExternalKey, AfterValidator(_names_a_file)]
UploadSource = Annotated[Source, AfterValidator(_no_course)]
Metadata = Annotated[str, AfterValidator(_json_object)]
Courses = Annotated[list[Id], BeforeValidator(_none_where_empty), Field(max_length=_LIST_SIZE)]
Groups = Annotated[list[Group], BeforeValidator(_none_where_empty), Field(max_length=_LIST_SIZE)]


class _Parameters(BaseModel):
    """An unknown parameter is an error, so that a misspelt one is never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Description(_Parameters):
    """What may be said of any number of files. What is left out stays as the document has it."""

    language: Annotated[str, StringConstraints(pattern="^[a-z]{2}$")] | None = Field(
        default=None, description="ISO 639-1; detected where left out.", examples=["es"]
    )
    subject_id: Id | None = None
    entity_id: Id | None = None
    taxonomy: Title | None = Field(default=None, examples=["rrhh/vacaciones"])
    course_id: Courses | None = Field(
        default=None, description="Courses that use the document; repeatable; empty for none. Replaces the list."
    )
    audience: Groups | None = Field(
        default=None,
        description=(
            "Groups that may see the document; repeatable. Replaces the list; empty: the whole organisation sees it,"
            " as it does a new document without it. A key limited to groups may name only groups of its own and not"
            " lift the list; a new document without it gets the key's groups."
        ),
    )
    metadata: Metadata | None = Field(
        default=None, description="A JSON object of free metadata.", examples=['{"departamento": "ventas"}']
    )

    def metadata_object(self) -> dict[str, Any] | None:
        """The metadata as an object."""
        return None if self.metadata is None else parse_metadata(self.metadata)


class VersionParameters(_Description):
    """What may be said of a file."""

    filename: FileName | None = Field(
        default=None, description="Name of the file; its ending helps to tell its type."
    )
    title: Title | None = Field(default=None, examples=["Política de devoluciones"])


class UploadParameters(VersionParameters):
    """The document's identity is (organisation, source, external key)."""

    filename: FileName = Field(description="Name of the file.", examples=["devoluciones.pdf"])
    external_key: ExternalKey | None = Field(
        default=None, description="The caller's own key of the document; the file name where left out."
    )
    source: UploadSource = Field(default="upload", description="The system the document comes from.")


class BulkParameters(_Description):
    """What is said of every file of an archive."""

    source: UploadSource = Field(default="upload", description="The system the documents come from.")


class DocumentFilter(_Parameters):
    """Which documents to list; every filter that is given must hold."""

    status: DocumentStatus | None = None
    course_id: Id | None = None
    subject_id: Id | None = None
    entity_id: Id | None = None
    taxonomy_prefix: Title | None = Field(
        default=None, description="`rrhh` finds `rrhh` and `rrhh/vacaciones`, but not `rrhh2`.", examples=["rrhh"]
    )
    language: Annotated[str, StringConstraints(max_length=20)] | None = Field(
        default=None, description="ISO 639-1, of the live version.", examples=["es"]
    )
    file_type: Annotated[str, StringConstraints(max_length=20)] | None = Field(
        default=None, description="Of the live version.", examples=["pdf"]
    )
    source: Source | None = None
    external_key: ExternalKey | None = None
    title: Title | None = Field(
        default=None, description="A part of the title; neither case nor accents matter.", examples=["devolucion"]
    )
    updated_after: Instant | None = Field(default=None, description="This instant included.")
    updated_before: Instant | None = Field(default=None, description="This instant excluded.")
    metadata: Annotated[str, AfterValidator(_flat_object)] | None = Field(
        default=None,
        description="A JSON object of texts, numbers and booleans that the document's metadata holds.",
        examples=['{"departamento": "ventas"}'],
    )
    document_id: Annotated[list[UUID], Field(max_length=_LIST_SIZE)] | None = Field(
        default=None, description="Only these; repeatable."
    )
    limit: int = Field(default=50, ge=1, le=100)
    cursor: Annotated[str, StringConstraints(max_length=200)] | None = Field(
        default=None, description="`next_cursor` of the page before."
    )

    def filters(self) -> Filters:
        """Those that a search has too."""
        return Filters(
            document_ids=self.document_id,
            course_id=self.course_id,
            subject_id=self.subject_id,
            entity_id=self.entity_id,
            taxonomy_prefix=self.taxonomy_prefix,
            language=self.language,
            file_type=self.file_type,
            updated_after=self.updated_after,
            updated_before=self.updated_before,
            metadata=None if self.metadata is None else parse_metadata(self.metadata),
        )


def file_name_of(path: str) -> str:
    """The last part of a path of any system."""
    return _PATH_SEPARATOR.split(path)[-1].strip()
