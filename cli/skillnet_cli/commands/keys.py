"""`skillnet keys create | list | show | revoke`: API keys of the organisation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.exits import reports_errors
from skillnet_cli.ids import id_of
from skillnet_cli.output import AsJson, console, print_json, print_table
from skillnet_cli.target import DataFolder, find_target
from skillnet_common.contracts.keys import Key, KeyRequest, Scope

app = typer.Typer(no_args_is_help=True, help="API keys of the organisation. They need a key with the scope admin.")

KeyId = Annotated[UUID, typer.Argument(metavar="ID", parser=id_of("a key", hint="`skillnet keys list` shows them."))]


@app.command()
@reports_errors
def create(
    name: Annotated[str, typer.Argument(help="What the key is for.")],
    data: DataFolder = None,
    scope: Annotated[
        list[Scope] | None, typer.Option(help="What it may do; repeatable.", show_default=Scope.READ)
    ] = None,
    audience: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP", help="Limit it to documents of this group; repeatable.", show_default="all"),
    ] = None,
    expires_days: Annotated[int | None, typer.Option(min=1, max=36_500, help="Days it lasts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key. It is shown once: only its hash is kept."""
    request = KeyRequest(
        name=name,
        scopes=scope or [Scope.READ],
        audience=audience or None,
        expires_at=datetime.now(UTC) + timedelta(days=expires_days) if expires_days is not None else None,
    )
    with find_target(data).client() as client:
        key = client.create_key(request)
    if as_json:
        print_json(key)
    else:
        console.print(f"{key.api_key}\n\nIts id is {key.key_id}. The key is not shown again.", soft_wrap=True)


@app.command("list")
@reports_errors
def list_(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the keys: never the keys themselves, but how they begin."""
    with find_target(data).client() as client:
        keys = client.keys()
    if as_json:
        print_json(keys)
    else:
        print_table(["Name", "Begins", "Scopes", "Groups", "State", "Last used", "Id"], [_row(key) for key in keys])


@app.command()
@reports_errors
def show(key_id: KeyId, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show what is known of a key."""
    with find_target(data).client() as client:
        key = client.key(key_id)
    if as_json:
        print_json(key)
    else:
        titles = ("name", "begins", "scopes", "groups", "state", "last used", "id")
        made = ("made", f"{key.created_at:%Y-%m-%d}" + (f" with {key.created_by}" if key.created_by else ""))
        print_table(["", ""], [*zip(titles, _row(key), strict=True), made])


@app.command()
@reports_errors
def revoke(
    key_id: KeyId,
    data: DataFolder = None,
    force: Annotated[bool, typer.Option("--force", help="Also the last usable administrator's key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Revoke a key for good; the services forget it within seconds."""
    with find_target(data).client() as client:
        client.revoke_key(key_id, force=force)
    if as_json:
        print_json({"revoked": str(key_id)})
    else:
        console.print(f"Revoked {key_id}.")


def _row(key: Key) -> tuple[object, ...]:
    groups = "all" if key.audience is None else ", ".join(key.audience)
    used = "never" if key.last_used_at is None else f"{key.last_used_at:%Y-%m-%d %H:%M}"
    return key.name, key.hint, ", ".join(key.scopes), groups, _state(key), used, key.key_id


def _state(key: Key) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "good"
    day = key.expires_at.date().isoformat()
    return f"until {day}" if key.expires_at > datetime.now(UTC) else f"expired {day}"
