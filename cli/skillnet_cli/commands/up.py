"""`skillnet up`: the whole system on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from skillnet_cli.account import Account
from skillnet_cli.exits import reports_errors
from skillnet_cli.local.stack import LocalStack
from skillnet_cli.output import AsJson, console, escape, print_json_line, progress_console
from skillnet_cli.stack import open_stack, start_account
from skillnet_cli.target import DataFolder, data_folder_or_default
from skillnet_common.errors import ErrorCode, SkillnetError

Scale = Annotated[
    list[str] | None,
    typer.Option("--scale", metavar="SERVICE=N", help="How many processes of a service to run; repeatable."),
]
Port = Annotated[int | None, typer.Option(help="Port of the HTTP API; a free one by default.", min=1, max=65535)]


@reports_errors
def up(data: DataFolder = None, scale: Scale = None, port: Port = None, as_json: AsJson = False) -> None:
    """Start everything and serve until Ctrl-C."""
    folder = data_folder_or_default(data)
    asyncio.run(_serve(folder, parse_scale(scale or []), port, as_json=as_json))


async def _serve(folder: Path, scale: Mapping[str, int], port: int | None, *, as_json: bool) -> None:
    stack = open_stack(folder, scale, gateway_port=port)
    if not as_json:
        progress_console.print(f"Starting SkillNet in {escape(str(folder))} ...")

    async def on_ready(_: LocalStack) -> None:
        account = await start_account(stack)
        _announce(folder, stack, account, as_json=as_json)

    await stack.serve(on_ready)


def _announce(folder: Path, stack: LocalStack, account: Account, *, as_json: bool) -> None:
    bus = {name: value for name, value in stack.state.environment.items() if name.startswith("NATS_")}
    if as_json:
        print_json_line(
            {
                "address": stack.address,
                "api_key": account.api_key,
                "organization": account.org_id,
                "data": str(folder),
                "bus": bus,
                "notices": stack.notices,
            }
        )
        return
    for notice in stack.notices:
        console.print(escape(notice))
    console.print(f"[bold]Address[/]   {stack.address}")
    console.print(f"[bold]API key[/]   {account.api_key}")
    console.print(
        f"[bold]Bus[/]       {escape(' '.join(f'{name}={value}' for name, value in bus.items()))}", soft_wrap=True
    )
    console.print(f"[bold]Data[/]      {escape(str(folder))}", soft_wrap=True)
    console.print("Ctrl-C stops it.")


def parse_scale(items: list[str]) -> dict[str, int]:
    """`embedder=2` -> {"embedder": 2}. Raises SkillnetError `invalid_request`."""
    scale = {}
    for item in items:
        name, _, count = item.partition("=")
        if not count.isdigit():
            raise SkillnetError(
                ErrorCode.INVALID_REQUEST, f"--scale takes SERVICE=N, such as embedder=2, not {item!r}."
            )
        scale[name] = int(count)
    return scale
