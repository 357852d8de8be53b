"""The command line: `skillnet --help`."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from skillnet_cli.commands import (
    ask,
    bulk,
    changes,
    contents,
    courses,
    dlq,
    doctor,
    documents,
    eval,
    events,
    export,
    grounds,
    ingest,
    keys,
    me,
    models,
    organization,
    organizations,
    parse,
    profiles,
    reprocess,
    search,
    status,
    up,
    usage,
)
from skillnet_cli.org_option import offer_org
from skillnet_cli.target import chosen_organization


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"{version('skillnet-retrieval')}\n")
        raise typer.Exit


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


_OF_THIS_MACHINE = {"up", "status", "doctor", "models", "organizations", "profiles", "events"}
"""Commands that ask no gateway: which organisation is meant says nothing to them."""


@app.callback()
def _options(
    ctx: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Documents in, cited answers out."""
    if ctx.invoked_subcommand in _OF_THIS_MACHINE and chosen_organization() is not None:
        raise typer.BadParameter(f"{ctx.invoked_subcommand} asks no gateway, and takes no --org.")


for command in (
    up.up,
    ingest.ingest,
    bulk.bulk,
    documents.documents,
    documents.show,
    documents.delete,
    changes.edit,
    changes.cancel,
    changes.progress,
    reprocess.reprocess,
    contents.outline,
    contents.chunks,
    contents.download,
    export.export,
    search.search,
    ask.ask,
    grounds.context,
    grounds.ground,
    me.me,
    usage.usage,
    status.status,
    doctor.doctor,
    parse.parse,
):
    app.command()(command)
app.command("eval")(eval.eval_)
app.add_typer(courses.app, name="courses")
app.add_typer(dlq.app, name="dlq")
app.add_typer(events.app, name="events")
app.add_typer(keys.app, name="keys")
app.add_typer(models.app, name="models")
app.add_typer(organization.app, name="organization")
app.add_typer(organizations.app, name="organizations")
app.add_typer(profiles.app, name="profiles")


def main() -> None:
    """Entry point of the `skillnet` command."""
    root = typer.main.get_command(app)
    offer_org(root, without=_OF_THIS_MACHINE)
    root()
