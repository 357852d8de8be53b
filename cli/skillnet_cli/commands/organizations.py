"""`skillnet organizations create`: another organisation on the local stack, straight in its database."""

from __future__ import annotations

import asyncio
from typing import Annotated
from uuid import uuid4

import typer

from skillnet_bootstrap.organizations import add_organization
from skillnet_cli.commands.profiles import store_profile
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, print_json
from skillnet_cli.profiles import Profile, check_profile
from skillnet_cli.target import DataFolder, data_folder_or_default, require_stack
from skillnet_common.auth import new_key
from skillnet_common.contracts.organizations import OrganizationChange
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Organisations of the local stack.")


@app.callback()
def _group() -> None:
    """A group, though it has one command."""


@app.command()
@reports_errors
def create(
    name: Annotated[str, typer.Argument(help="What it is called.")],
    data: DataFolder = None,
    profile: Annotated[
        str | None, typer.Option(help="Keep its key as a profile of this name, for --org.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create an organisation and a key of it with every scope. The key is shown once: only its hash is kept."""
    OrganizationChange(name=name)  # the form of a name
    folder = data_folder_or_default(data)
    url = require_stack(folder).environment.get("DATABASE_URL")
    if url is None:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"The stack in {folder} is still starting; try again in a moment.")
    org_id, key = uuid4(), new_key()
    kept = None if profile is None else Profile(profile, data=str(folder), api_key=key)
    if kept is not None:
        check_profile(kept)  # before anything is created
    asyncio.run(add_organization(url, org_id, name, key, key_name="first"))
    if kept is not None:
        store_profile(kept)
    if as_json:
        print_json({"org_id": str(org_id), "name": name, "api_key": key, "profile": profile})
        return
    console.print(f"{key}\n\nThe organisation's id is {org_id}. The key is not shown again.", soft_wrap=True)
    if profile is not None:
        console.print(f"Use it with: --org {profile}")
