"""`skillnet edit | cancel | progress`: a document's description, and its version under way."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from skillnet_cli.document_options import Description, Name, read_metadata
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, print_json, print_json_line
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_common.contracts.documents import DocumentChange
from skillnet_common.contracts.progress import Ending, ProgressEvent
from skillnet_common.errors import ErrorCode, SkillnetError


class Clearable(StrEnum):
    """What a document can be without."""

    SUBJECT = "subject"
    ENTITY = "entity"
    TAXONOMY = "taxonomy"
    COURSES = "courses"
    AUDIENCE = "audience"
    METADATA = "metadata"


_FIELDS = {Clearable.SUBJECT: "subject_id", Clearable.ENTITY: "entity_id"}


@reports_errors
@takes_groups
def edit(
    name: Name,
    description: Description,
    data: DataFolder = None,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    clear: Annotated[
        list[Clearable] | None, typer.Option(help="Empty this; repeatable. Without an audience everybody sees it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change what is said of a document, without a new version. Metadata that are not named stay."""
    given = {
        "title": title,
        "subject_id": description.subject,
        "entity_id": description.entity,
        "taxonomy": description.taxonomy,
        "courses": description.course or None,
        "audience": description.audience or None,
    }
    change: dict[str, Any] = {_FIELDS.get(field, field.value): None for field in clear or ()}
    change |= {field: value for field, value in given.items() if value is not None}
    entries = read_metadata(description.metadata)
    if not change and entries is None:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Say what is to change: skillnet edit --help lists it.")
    with find_target(data).client() as client:
        document = find_document(client, name)
        if entries is not None:
            change["metadata"] = ({} if "metadata" in change else document.metadata) | entries
        changed = client.change_document(document.document_id, DocumentChange(**change))
    if as_json:
        print_json(changed)
    else:
        console.print(f"Changed: {escape(changed.title)}")


@reports_errors
def cancel(
    name: Name,
    data: DataFolder = None,
    version: Annotated[int | None, typer.Option("--version", min=1, help="Else the newest one.")] = None,
    as_json: AsJson = False,
) -> None:
    """End a version that is under way; the live one goes on serving."""
    with find_target(data).client() as client:
        document = find_document(client, name)
        number = version or document.newest_version
        client.cancel(document.document_id, number)
    if as_json:
        print_json({"document_id": str(document.document_id), "cancelled": number})
    else:
        console.print(f"Cancelled: version {number} of {escape(document.title)}")


@reports_errors
def progress(name: Name, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Follow a document until its newest version has ended; prints each change."""
    ending = None
    with find_target(data).client() as client:
        for event in client.progress(find_document(client, name).document_id):
            ending = event.ending
            if as_json:
                print_json_line(event)
            else:
                console.print(escape(_sentence(event)))
    if ending is not Ending.READY:
        raise typer.Exit(Exit.FAILED)


def _sentence(event: ProgressEvent) -> str:
    if event.ending is not None:
        why = f": {event.failure.message} [{event.failure.code}]" if event.failure else ""
        return f"{event.ending.value}{why}"
    if event.progress is None:
        return str(event.state)
    parts = [event.progress.stage]
    if event.progress.batches_total:
        parts.append(f"batch {event.progress.batches_done} of {event.progress.batches_total}")
    if event.progress.waiting_ahead:
        parts.append(f"about {event.progress.waiting_ahead} pieces of work ahead")
    return ", ".join(parts)
