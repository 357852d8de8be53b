"""`--org NAME`, offered by every command that speaks to a gateway."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any

import typer

from skillnet_cli.completion import profile_names
from skillnet_cli.target import choose_organization


def offer_org(root: Any, *, without: Collection[str]) -> None:
    """Adds the option to the group itself and to every command below it but those named.

    One place instead of a parameter in every function: which organisation is meant is settled before a command runs.
    """
    option = _org_option()
    root.params.append(option)
    for name, command in root.commands.items():
        if name not in without:
            _offer(command, option)


def _offer(command: Any, option: Any) -> None:
    for below in getattr(command, "commands", {}).values():
        _offer(below, option)
    if not hasattr(command, "commands") or command.invoke_without_command:
        command.params.append(option)


def _org_option() -> Any:
    """The option as Typer makes it of a function's parameter."""

    def command(
        org: Annotated[
            str | None,
            typer.Option(
                "--org",
                metavar="NAME",
                help="The profile of the organisation to speak to; else $SKILLNET_ORG.",
                callback=choose_organization,
                expose_value=False,
                autocompletion=profile_names,
                show_default=False,
            ),
        ] = None,
    ) -> None:
        """Never run."""

    app = typer.Typer(add_completion=False)
    app.command()(command)
    (option,) = typer.main.get_command(app).params
    return option
