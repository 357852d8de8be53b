"""`skillnet ingest`: files, folders and globs into documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.files import files_to_ingest
from skillnet_cli.ingesting import Ingested, IngestOptions, settle, upload_files
from skillnet_cli.output import AsJson, console, escape, print_json, print_table, progress_console
from skillnet_cli.progress_display import ProgressDisplay
from skillnet_cli.target import DataFolder, Target, find_target


@reports_errors
def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="Files, folders or globs.")],
    data: DataFolder = None,
    root: Annotated[
        Path | None, typer.Option(help="Name documents by their path below this folder, not by the absolute one.")
    ] = None,
    course: Annotated[list[str] | None, typer.Option(help="A course that uses the documents; repeatable.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1; found out by itself if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Read files into documents and wait until they can be searched."""
    results = ingest_paths(
        find_target(data), paths, root=root, options=IngestOptions(course, language), quiet=as_json
    )
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


def ingest_paths(
    target: Target, paths: Sequence[str], *, root: Path | None, options: IngestOptions, quiet: bool = False
) -> list[Ingested]:
    """Uploads and waits, and tells of it on standard error."""
    files = files_to_ingest(paths, root)
    with target.client() as client, ProgressDisplay(progress_console, quiet=quiet) as display:
        results = upload_files(client, files, options, lambda _: display.uploaded(len(files)))
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
