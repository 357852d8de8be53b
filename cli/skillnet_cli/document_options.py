"""What commands on documents are given: a document's name, a version, values of metadata, instants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer

from skillnet_cli.completion import document_keys

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
