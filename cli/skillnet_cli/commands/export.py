"""`skillnet export`: the organisation's documents in a folder or an archive."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.exporting.export import Export, Exported
from skillnet_cli.exporting.sinks import sink_for
from skillnet_cli.output import AsJson, console, counted, escape, print_json, print_table, progress_console
from skillnet_cli.target import DataFolder, find_target
from skillnet_client import DocumentFilters


@reports_errors
def export(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="A folder, or a file *.zip, *.tar or *.tar.gz.")],
    data: DataFolder = None,
    course: Annotated[str | None, typer.Option(help="Only documents of this course.")] = None,
    source: Annotated[str | None, typer.Option(help="Only documents from this system.")] = None,
    originals: Annotated[bool, typer.Option("--originals/--no-originals", help="The files as uploaded.")] = True,
    contents: Annotated[bool, typer.Option("--contents/--no-contents", help="Outlines and chunks.")] = True,
    force: Annotated[bool, typer.Option("--force", help="Write over an archive that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export documents: originals, and as JSON Lines their metadata, outlines and chunks.

    Of each document the live version, else the newest one's original. A folder that a run left incomplete is
    completed by the next one; an archive is there whole, or not at all. manifest.json says what was left out.
    """
    filters = DocumentFilters(course_id=course, source=source)
    with find_target(data).client() as client, sink_for(target.expanduser(), force=force) as sink:
        job = Export(client, sink, originals=originals, contents=contents)
        with progress_console.status("Exporting", spinner="dots") as status:

            def show(so_far: Exported, title: str) -> None:
                status.update(
                    escape(f"Exporting: {counted(so_far.documents, 'document')}, {so_far.bytes} bytes ({title})")
                )

            done, manifest = job.run(filters, show)
    if as_json:
        print_json(manifest)
    else:
        _print_summary(target, done, manifest)
    if any(not one.expected for one in done.left_out):
        raise typer.Exit(Exit.FAILED)


def _print_summary(target: Path, done: Exported, manifest: dict[str, Any]) -> None:
    parts = [counted(done.documents, "document")]
    if manifest["originals"] is not None:
        kept = f", {done.kept} of them there already" if done.kept else ""
        parts.append(f"{counted(done.originals, 'original')} ({done.bytes} bytes{kept})")
    if manifest["chunks"] is not None:
        parts.append(counted(done.chunks, "chunk"))
    console.print(escape(f"{target}: {', '.join(parts)}"))
    if manifest["audience"] is not None:
        console.print(escape(f"Only what this key sees: {', '.join(manifest['audience']) or 'no group'}"))
    if done.left_out:
        print_table(["Left out", "Part", "Why"], [(one.external_key, one.part, one.reason) for one in done.left_out])
