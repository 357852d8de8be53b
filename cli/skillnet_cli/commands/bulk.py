"""`skillnet bulk`: an archive of files into documents, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.document_options import read_metadata
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json
from skillnet_cli.target import DataFolder, find_target
from skillnet_client import UploadOptions
from skillnet_common.contracts.bulk import BulkFile, BulkOutcome, BulkSummary


@reports_errors
def bulk(
    archive: Annotated[
        Path, typer.Argument(metavar="ARCHIVE.zip", exists=True, dir_okay=False, help="A ZIP archive.")
    ],
    data: DataFolder = None,
    source: Annotated[
        str | None, typer.Option(help="The system the documents come from; `upload` if not given.")
    ] = None,
    course: Annotated[list[str] | None, typer.Option(help="A course that uses the documents; repeatable.")] = None,
    language: Annotated[str | None, typer.Option(help="ISO 639-1; found out by itself if not given.")] = None,
    metadata: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Metadata of every document; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Send a ZIP archive: each file becomes a document with its path in the archive as its key.

    Does not wait until they can be searched. The same archive again changes nothing that is done.
    """
    options = UploadOptions(
        source=source, courses=course or None, language=language, metadata=read_metadata(metadata)
    )
    files: list[BulkFile] = []
    summary = BulkSummary(counts={})
    with find_target(data).client() as client:
        for line in client.upload_archive(archive, options):
            if isinstance(line, BulkSummary):
                summary = line
                continue
            files.append(line)
            if line.outcome is BulkOutcome.REFUSED and not as_json:
                console.print(escape(f"{line.path}: {line.detail} [{line.code}]"))
    if as_json:
        print_json({"files": files, "summary": summary})
    else:
        _print_summary(summary)
    if summary.not_tried or BulkOutcome.REFUSED in summary.counts:
        raise typer.Exit(Exit.FAILED)


def _print_summary(summary: BulkSummary) -> None:
    counts = [f"{number} {outcome.value}" for outcome, number in summary.counts.items()]
    if summary.not_tried:
        counts.append(f"{summary.not_tried} not tried")
    console.print(", ".join(counts) or "No files.")
