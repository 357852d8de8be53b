"""`skillnet organization`: its name, and whether its text may go to an LLM."""

from __future__ import annotations

from typing import Annotated

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.organizations import OrganizationChange


@reports_errors
def organization(
    data: DataFolder = None,
    name: Annotated[str | None, typer.Option(help="Rename it.")] = None,
    llm_consent: Annotated[
        bool | None,
        typer.Option("--llm-consent/--no-llm-consent", help="Let its text go to the configured LLM, or no longer."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the organisation, or change its name or its consent to an LLM."""
    given = {"name": name, "llm_consent": llm_consent}
    change = OrganizationChange.model_validate({key: value for key, value in given.items() if value is not None})
    with find_target(data).client() as client:
        now = client.change_organization(change) if change.model_fields_set else client.organization()
    if as_json:
        print_json(now)
    else:
        print_table(
            ["", ""],
            [("id", now.org_id), ("name", now.name), ("text may go to an LLM", "yes" if now.llm_consent else "no")],
        )
