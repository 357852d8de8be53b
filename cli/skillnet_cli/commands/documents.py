"""`skillnet documents | show | delete`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from skillnet_cli.document_options import Name, read_instant, read_metadata
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder, find_document, find_target
from skillnet_client import DocumentFilters
from skillnet_common.contracts.documents import DocumentDetail, DocumentStatus, DocumentSummary
from skillnet_common.errors import ErrorCode, SkillnetError


@reports_errors
def documents(
    data: DataFolder = None,
    status: Annotated[DocumentStatus | None, typer.Option(help="Only documents in this state.")] = None,
    course: Annotated[str | None, typer.Option(help="Only documents of this course.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only documents of this subject.")] = None,
    entity: Annotated[str | None, typer.Option(help="Only documents of this entity.")] = None,
    taxonomy: Annotated[
        str | None, typer.Option(help="Only documents at this place of the taxonomy, or below.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="A part of the title; neither case nor accents matter.")] = None,
    language: Annotated[str | None, typer.Option(help="Only documents in this language (ISO 639-1).")] = None,
    file_type: Annotated[
        str | None, typer.Option("--type", help="pdf, docx, pptx, xlsx, html, csv, markdown or text.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Only documents from this system.")] = None,
    key: Annotated[str | None, typer.Option(help="Only the documents with this external key.")] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Only documents whose metadata say so; repeatable.")
    ] = None,
    updated_after: Annotated[
        str | None, typer.Option(metavar="DATE", help="In ISO 8601; UTC unless it names a zone.")
    ] = None,
    updated_before: Annotated[str | None, typer.Option(metavar="DATE", help="As --updated-after.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the documents, last created first."""
    filters = DocumentFilters(
        status=status,
        course_id=course,
        subject_id=subject,
        entity_id=entity,
        taxonomy_prefix=taxonomy,
        title=title,
        language=language,
        file_type=file_type,
        source=source,
        external_key=key,
        metadata=read_metadata(metadata),
        updated_after=read_instant(updated_after) if updated_after else None,
        updated_before=read_instant(updated_before) if updated_before else None,
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
