"""What commands on documents are given: a document's name, a version, what is said of it, instants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

import typer

from skillnet_cli.completion import document_keys
from skillnet_client import UploadOptions

Name = Annotated[
    str,
    typer.Argument(
        metavar="ID_OR_KEY",
        help="A document's id, its external key, or the path of its file.",
        autocompletion=document_keys,
    ),
]
Version = Annotated[
    int | None, typer.Option("--version", min=1, help="Of this version; else the live one's, else the newest one's.")
]

Scalar = str | int | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is said of a document; what is not given stays as it is."""

    subject: Annotated[str | None, typer.Option(help="The subject it belongs to.")] = None
    entity: Annotated[str | None, typer.Option(help="The entity it belongs to.")] = None
    taxonomy: Annotated[str | None, typer.Option(help="Its place in a taxonomy, as a/b/c.")] = None
    course: Annotated[
        list[str] | None, typer.Option(help="A course that uses it; repeatable; replaces the courses.")
    ] = None
    audience: Annotated[
        list[str] | None, typer.Option(help="A group that may see it; repeatable; replaces the groups.")
    ] = None
    metadata: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="Metadata; repeatable.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadDescription(Description):
    """What is said of every file that is sent."""

    source: Annotated[str | None, typer.Option(help="The system the documents come from; `upload` if not given.")] = (
        None
    )
    language: Annotated[str | None, typer.Option(help="ISO 639-1; found out by itself if not given.")] = None

    def options(self) -> UploadOptions:
        """As the client takes them."""
        return UploadOptions(
            source=self.source,
            language=self.language,
            subject_id=self.subject,
            entity_id=self.entity,
            taxonomy=self.taxonomy,
            courses=self.course or None,
            audience=self.audience or None,
            metadata=read_metadata(self.metadata),
        )


def read_metadata(pairs: Sequence[str] | None) -> dict[str, Scalar] | None:
    """NAME=VALUE pairs; a value that reads as a number, true or false is one, and "…" is always text."""
    if not pairs:
        return None
    found: dict[str, Scalar] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise typer.BadParameter(f"{pair!r} is not of the form NAME=VALUE.")
        found[name] = _scalar(value)
    return found


def read_instant(text: str) -> datetime:
    """A date or time in ISO 8601; in UTC where it names no zone."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no date or time like 2027-03-01 or 2027-03-01T08:30:00Z.") from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _scalar(value: str) -> Scalar:
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, Scalar) else value
