"""`skillnet ingest`: files, folders and globs into documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.files import files_to_ingest
from skillnet_cli.ingesting import Ingested, IngestOptions, settle, upload_files
from skillnet_cli.output import AsJson, console, escape, print_json, print_table, progress_console
from skillnet_cli.target import DataFolder, Target, find_target
from skillnet_common.contracts.documents import DocumentSummary


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
    """Uploads and waits, with a progress bar on standard error."""
    files = files_to_ingest(paths, root)
    with target.client() as client, _progress(quiet=quiet) as progress:
        sending = progress.add_task("Uploading", total=len(files))
        results = upload_files(client, files, options, lambda _: progress.advance(sending))
        waiting = progress.add_task("Reading", total=sum(result.document_id is not None for result in results))

        def show(documents: Sequence[DocumentSummary]) -> None:
            settled = sum(document.is_settled for document in documents)
            progress.update(waiting, completed=settled, description=_stages(documents))

        settle(client, results, show)
        progress.update(waiting, description="Read")
    return results


def print_summary(results: Sequence[Ingested]) -> None:
    """How many came to what, then each failure and warning."""
    counts = Counter(result.outcome for result in results)
    console.print(", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "No files.")
    failures = [result for result in results if result.failed]
    if failures:
        print_table(["Failed", "Why", "Code"], [(r.file.path.name, r.reason, r.code) for r in failures])
    for result in results:
        for warning in result.warnings:
            console.print(f"[yellow]{escape(result.file.path.name)}: {escape(warning)}[/]")


def _progress(*, quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description:<40}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=progress_console,
        disable=quiet,
    )


def _stages(documents: Sequence[DocumentSummary]) -> str:
    stages = Counter(d.progress.stage for d in documents if d.progress is not None)
    return "Reading" + (f" ({', '.join(f'{stage}: {n}' for stage, n in sorted(stages.items()))})" if stages else "")
