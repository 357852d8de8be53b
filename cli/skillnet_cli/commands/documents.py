"""`skillnet documents | show | delete`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from skillnet_cli.document_options import Name, read_metadata
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.filter_options import DocumentNarrowing
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_client import DocumentFilters
from skillnet_common.contracts.documents import DocumentDetail, DocumentStatus, DocumentSummary
from skillnet_common.errors import ErrorCode, SkillnetError


@reports_errors
@takes_groups
def documents(
    narrowing: DocumentNarrowing,
    data: DataFolder = None,
    status: Annotated[DocumentStatus | None, typer.Option(help="Only documents in this state.")] = None,
    title: Annotated[str | None, typer.Option(help="A part of the title; neither case nor accents matter.")] = None,
    source: Annotated[str | None, typer.Option(help="Only documents from this system.")] = None,
    key: Annotated[str | None, typer.Option(help="Only the documents with this external key.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the documents, last created first."""
    filters = DocumentFilters(
        status=status,
        course_id=narrowing.course,
        subject_id=narrowing.subject,
        entity_id=narrowing.entity,
        taxonomy_prefix=narrowing.taxonomy,
        title=title,
        language=narrowing.language,
        file_type=narrowing.file_type,
        source=source,
        external_key=key,
        metadata=read_metadata(narrowing.metadata),
        updated_after=narrowing.after,
        updated_before=narrowing.before,
    )
    with find_target(data).client() as client:
        found = list(client.documents(**filters))
    if as_json:
        print_json(found)
        return
    print_table(
        ["Title", "Status", "Pages", "Id"],
        [(d.title, _status(d), pages(d), d.document_id) for d in found],
    )


@reports_errors
def show(name: Name, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show a document with its versions."""
    with find_target(data).client() as client:
        document = client.document(find_document(client, name).document_id)
    if as_json:
        print_json(document)
    else:
        _print_document(document)


@reports_errors
def delete(
    name: Name,
    data: DataFolder = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a document with all its versions."""
    with find_target(data).client() as client:
        document = find_document(client, name)
        _require_consent(document, yes=yes)
        client.delete(document.document_id)
    if as_json:
        print_json({"deleted": str(document.document_id)})
    else:
        console.print(f"Deleted: {escape(document.title)}")


def _require_consent(document: DocumentSummary, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Nobody is there to ask; delete without asking by --yes.")
    if not typer.confirm(f"Delete {document.title!r}?"):
        console.print("Nothing was deleted.")
        raise typer.Exit(Exit.FAILED)


def pages(document: DocumentSummary) -> str:
    """`12`, or `~12` where the format has no pages and the number is an estimate."""
    if document.page_count is None:
        return "-"
    return f"~{document.page_count}" if document.page_count_estimated else str(document.page_count)


def _status(document: DocumentSummary) -> str:
    if document.failure is not None and document.live_version is not None:
        return f"{document.status} (v{document.failure.version} failed)"
    return document.status


def _print_document(document: DocumentDetail) -> None:
    console.print(f"[bold]{escape(document.title)}[/]")
    rows = [
        ("id", document.document_id),
        ("key", f"{document.source}: {document.external_key}"),
        ("status", document.status),
        ("live version", document.live_version or "none"),
        ("pages", pages(document)),
        ("language", document.language),
        ("courses", ", ".join(document.courses) or "-"),
        ("updated", document.updated_at.isoformat(timespec="seconds")),
    ]
    if document.failure is not None:
        failure = document.failure
        rows.append(("failure", f"version {failure.version}, {failure.stage}: {failure.message} [{failure.code}]"))
    rows += [("warning", warning) for warning in document.warnings]
    print_table(["", ""], rows)
    console.print()
    print_table(
        ["Version", "State", "File", "Size", "Chunks", "Created"],
        [
            (
                v.version,
                v.state,
                v.file_name,
                v.size_bytes,
                v.chunk_count or "-",
                v.created_at.isoformat(timespec="seconds"),
            )
            for v in document.versions
        ],
    )
