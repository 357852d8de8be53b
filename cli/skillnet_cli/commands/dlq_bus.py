"""`skillnet dlq bus list | show | replay | drop`: messages on the bus that no service could read.

They belong to no organisation but to whoever runs the bus, and need its administrator's user.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from skillnet_cli.bus import admin_access
from skillnet_cli.bus_quarantine import BusQuarantine, UnreadableMessage, open_bus_quarantine
from skillnet_cli.exits import Exit, reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json, print_table
from skillnet_cli.target import DataFolder
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(
    no_args_is_help=True,
    help="Messages that no service could read: of the local stack, or of NATS_URL, NATS_USER (an administrator of"
    " the bus) and NATS_PASSWORD.",
)

T = TypeVar("T")

Sequences = Annotated[list[int] | None, typer.Argument(metavar="N...", min=1, show_default=False)]
All = Annotated[bool, typer.Option("--all", help="All of them.")]


@app.command("list")
@reports_errors
def list_(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List them, oldest first."""

    async def read(quarantine: BusQuarantine) -> list[UnreadableMessage]:
        return [message async for message in quarantine.messages()]

    found = _on_bus(data, read)
    if as_json:
        print_json([_plain(message) for message in found])
    elif not found:
        console.print("The bus holds no unreadable messages.")
    else:
        print_table(
            ["N", "When", "Subject", "Bytes", "Reason"],
            [(m.sequence, _moment(m), m.subject, len(m.body), m.reason) for m in found],
        )


@app.command()
@reports_errors
def show(
    sequence: Annotated[int, typer.Argument(metavar="N", min=1)], data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Show one with its headers and its body, as text or in hexadecimal digits."""
    message = _on_bus(data, lambda quarantine: quarantine.message(sequence))
    if as_json:
        print_json(_plain(message))
        return
    print_table(
        ["", ""],
        [
            ("subject", message.subject),
            ("stream", message.stream),
            ("sequence there", message.original_sequence),
            ("put aside", _moment(message)),
            ("reason", message.reason),
            *message.headers.items(),
        ],
    )
    console.print()
    console.print(escape(body_text(message.body)), soft_wrap=True)


@app.command()
@reports_errors
def replay(sequences: Sequences = None, data: DataFolder = None, all_: All = False, as_json: AsJson = False) -> None:
    """Send messages to their subjects again, once, and take them out."""
    _each(data, sequences, lambda quarantine, one: quarantine.replay(one), "sent again", all_=all_, as_json=as_json)


@app.command()
@reports_errors
def drop(sequences: Sequences = None, data: DataFolder = None, all_: All = False, as_json: AsJson = False) -> None:
    """Take messages out for good."""
    _each(data, sequences, lambda quarantine, one: quarantine.drop(one), "dropped", all_=all_, as_json=as_json)


def body_text(body: bytes) -> str:
    """The body as text where it is printable UTF-8, else its bytes in hexadecimal digits, 32 a line."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return _hexadecimal(body)
    readable = all(character.isprintable() or character in "\n\t" for character in text)
    return text if readable else _hexadecimal(body)


def _hexadecimal(body: bytes) -> str:
    return "\n".join(body[at : at + 32].hex(" ", 1) for at in range(0, len(body), 32))


def _each(
    data: Path | None,
    sequences: list[int] | None,
    act: Callable[[BusQuarantine, int], Awaitable[object]],
    done: str,
    *,
    all_: bool,
    as_json: bool,
) -> None:
    if bool(sequences) == all_:
        raise SkillnetError(ErrorCode.INVALID_REQUEST, "Give numbers or --all.")

    async def run(quarantine: BusQuarantine) -> list[dict[str, Any]]:
        wanted = sequences or [message.sequence async for message in quarantine.messages()]
        return [await _one(quarantine, one, act, done) for one in wanted]

    results = _on_bus(data, run)
    if as_json:
        print_json(results)
    for result in [] if as_json else results:
        console.print(escape(f"{result['sequence']}: {result['message']}"), soft_wrap=True)
    if any(result["code"] for result in results):
        raise typer.Exit(Exit.FAILED)


async def _one(
    quarantine: BusQuarantine, sequence: int, act: Callable[[BusQuarantine, int], Awaitable[object]], done: str
) -> dict[str, Any]:
    try:
        await act(quarantine, sequence)
    except SkillnetError as error:
        return {"sequence": sequence, "code": error.code, "message": error.message}
    return {"sequence": sequence, "code": None, "message": done}


def _on_bus(data: Path | None, act: Callable[[BusQuarantine], Awaitable[T]]) -> T:
    access = admin_access(data, os.environ)

    async def run() -> T:
        async with open_bus_quarantine(access) as quarantine:
            return await act(quarantine)

    return asyncio.run(run())


def _plain(message: UnreadableMessage) -> dict[str, Any]:
    return {
        "sequence": message.sequence,
        "put_aside_at": _moment(message),
        "stream": message.stream,
        "subject": message.subject,
        "original_sequence": message.original_sequence,
        "reason": message.reason,
        "headers": dict(message.headers),
        "bytes": len(message.body),
        "body": body_text(message.body),
    }


def _moment(message: UnreadableMessage) -> str:
    return "" if message.put_aside_at is None else message.put_aside_at.isoformat(timespec="seconds")
