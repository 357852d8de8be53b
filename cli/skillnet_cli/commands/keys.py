"""`skillnet keys create | list | revoke`: API keys of the local stack's organisation, straight in its database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, TypeVar
from uuid import UUID

import typer
from pydantic import TypeAdapter

from skillnet_cli.account import read_account
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, print_json, print_table
from skillnet_cli.target import DataFolder, data_folder_or_default, require_stack
from skillnet_common.auth import Scope, StoredKey, list_keys, new_key, revoke_key, store_key
from skillnet_common.database import Database
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="API keys of the local stack's organisation.")

T = TypeVar("T")


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
    key = new_key()
    expires_at = datetime.now(UTC) + timedelta(days=expires_days) if expires_days is not None else None
    scopes = scope or [Scope.READ]
    key_id = _on_database(
        data,
        lambda database, org_id: store_key(
            database, org_id, key, name=name, scopes=scopes, audience=audience or None, expires_at=expires_at
        ),
    )
    if as_json:
        print_json({"key_id": str(key_id), "api_key": key})
    else:
        console.print(f"{key}\n\nIts id is {key_id}. The key is not shown again.", soft_wrap=True)


@app.command("list")
@reports_errors
def list_(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the keys: never the keys themselves, but how they begin."""
    keys = _on_database(data, list_keys)
    if as_json:
        print_json(TypeAdapter(list[StoredKey]).dump_python(keys, mode="json"))
        return
    print_table(
        ["Name", "Begins", "Scopes", "Groups", "State", "Id"],
        [
            (
                k.name,
                k.hint,
                ", ".join(k.scopes),
                "all" if k.audience is None else ", ".join(k.audience),
                _state(k),
                k.key_id,
            )
            for k in keys
        ],
    )


@app.command()
@reports_errors
def revoke(
    key_id: Annotated[UUID, typer.Argument(metavar="ID")], data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Revoke a key for good; the services forget it within seconds."""
    _on_database(data, lambda database, org_id: revoke_key(database, org_id, key_id))
    if as_json:
        print_json({"revoked": str(key_id)})
    else:
        console.print(f"Revoked {key_id}.")


def _on_database(folder: Path | None, act: Callable[[Database, UUID], Awaitable[T]]) -> T:
    """What `act` makes of the running stack's database and its organisation."""
    data = data_folder_or_default(folder)
    state, account = require_stack(data), read_account(data)
    url = state.environment.get("DATABASE_URL")
    if account is None or url is None:
        raise SkillnetError(ErrorCode.UNAVAILABLE, f"The stack in {data} is still starting; try again in a moment.")
    return asyncio.run(_connected(url, account.org, act))


async def _connected(url: str, org_id: UUID, act: Callable[[Database, UUID], Awaitable[T]]) -> T:
    database = await Database.connect(url, size=1, name="skillnet-keys")
    try:
        return await act(database, org_id)
    finally:
        await database.close()


def _state(key: StoredKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is None:
        return "good"
    day = key.expires_at.date().isoformat()
    return f"until {day}" if key.expires_at > datetime.now(UTC) else f"expired {day}"
