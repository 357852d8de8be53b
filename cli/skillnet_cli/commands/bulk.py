"""`skillnet bulk`: an archive of files into documents, in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.document_options import UploadDescription
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.option_groups import takes_groups
from skillnet_cli.output import AsJson, console, escape, print_json
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.bulk import BulkFile, BulkOutcome, BulkSummary


@reports_errors
@takes_groups
def bulk(
    archive: Annotated[
        Path, typer.Argument(metavar="ARCHIVE.zip", exists=True, dir_okay=False, help="A ZIP archive.")
    ],
    description: UploadDescription,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Send a ZIP archive: each file becomes a document with its path in the archive as its key.

    An archive made inside FOLDER gives the keys that `skillnet ingest FOLDER --root FOLDER` gives.
    Does not wait until they can be searched. The same archive again changes nothing that is done.
    """
    files: list[BulkFile] = []
    summary = BulkSummary(counts={})
    with find_target(data).client() as client:
        for line in client.upload_archive(archive, description.options()):
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
