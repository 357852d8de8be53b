"""The command line: `skillnet --help`."""

from __future__ import annotations

import typer

from skillnet_cli.commands import ask, doctor, documents, events, ingest, models, search, status, up

app = typer.Typer(
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    help="Documents in, cited answers out.",
    epilog=(
        "Exit codes: 0 done, 1 failed (also when a document failed), 2 wrong usage, 3 cannot be reached,"
        " 4 not found, 5 not allowed."
    ),
)
for command in (
    up.up,
    ingest.ingest,
    documents.documents,
    documents.show,
    documents.delete,
    search.search,
    ask.ask,
    status.status,
    doctor.doctor,
):
    app.command()(command)
app.add_typer(events.app, name="events")
app.add_typer(models.app, name="models")


def main() -> None:
    """Entry point of the `skillnet` command."""
    app()
