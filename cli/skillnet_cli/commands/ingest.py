"""`skillnet ingest`: files, folders and globs into documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.document_options import UploadDescription
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.files import FileToIngest, files_to_ingest
from skillnet_cli.ingesting import Ingested, settle, upload_files
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, print_json, print_table, progress_console
from skillnet_cli.progress_display import ProgressDisplay
from skillnet_cli.target import DataFolder, Target, find_document, find_target
from skillnet_client import UploadOptions


@reports_errors
@takes_groups
def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders or globs.")],
    description: UploadDescription,
    data: DataFolder = None,
    root: Annotated[
        Path | None, typer.Option(help="Name documents by their path below this folder, not by the absolute one.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title, of a single file.")] = None,
    into: Annotated[
        str | None,
        typer.Option(
            metavar="ID_OR_KEY", help="Send a single file as the next version of this document, whatever its path."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read files into documents and wait until they can be searched."""
    files = files_to_ingest(paths, root)
    if len(files) != 1 and (title is not None or into is not None):
        raise typer.BadParameter(f"--title and --into are for a single file; these are {len(files)}.")
    if into is not None and description.source is not None:
        raise typer.BadParameter("A new version keeps its document's source: give --into or --source.")
    options = replace(description.options(), title=title)
    results = ingest_files(find_target(data), files, options=options, into=into, quiet=as_json)
    if as_json:
        print_json(
            [
                {
                    **asdict(result),
                    "file": str(result.file.path),
                    "key": result.file.key,
                    "document_id": str(result.document_id) if result.document_id else None,
                }
                for result in results
            ]
        )
    else:
        print_summary(results)
    if any(result.failed for result in results):
        raise typer.Exit(Exit.FAILED)


def ingest_files(
    target: Target, files: Sequence[FileToIngest], *, options: UploadOptions, into: str | None, quiet: bool
) -> list[Ingested]:
    """Uploads and waits, and tells of it on standard error. `into`: the document a single file is a version of."""
    with target.client() as client, ProgressDisplay(progress_console, quiet=quiet) as display:
        document_id = None if into is None else find_document(client, into).document_id
        results = upload_files(
            client, files, options, lambda _: display.uploaded(len(files)), document_id=document_id
        )
        names = {result.document_id: result.file.path.name for result in results if result.document_id is not None}
        settle(client, results, lambda documents: display.reading(documents, names))
    return results


def print_summary(results: Sequence[Ingested]) -> None:
    """How many came to what, then each failure and warning."""
    counts = Counter(result.outcome for result in results)
    console.print(", ".join(f"{number} {outcome}" for outcome, number in counts.most_common()) or "No files.")
    failures = [result for result in results if result.failed]
    if failures:
        print_table(["Failed", "Why", "Code"], [(r.file.path.name, r.reason, r.code) for r in failures])
    for result in results:
        for warning in result.warnings:
            console.print(f"[yellow]{escape(result.file.path.name)}: {escape(warning)}[/]")
