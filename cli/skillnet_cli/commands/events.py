"""`skillnet events tail`: what other services hear on the bus."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from skillnet_cli.bus import bus_connection, subscriber_access
from skillnet_cli.event_tail import Event, Start, Tail
from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json_line, progress_console
from skillnet_cli.target import DataFolder
from skillnet_common.contracts.events import EVENT_TYPES
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Events on the bus.")

_KINDS = [event.name for event in EVENT_TYPES]


@app.callback()
def _group() -> None:
    """A group, though it has one command."""


@app.command()
@reports_errors
def tail(
    data: DataFolder = None,
    since: Annotated[
        str | None,
        typer.Option(
            help="Begin in the past: an age such as 10m, 2h or 3d; a date or time (ISO 8601; of this machine's zone"
            " where none is named); after an event's id or its sequence (as --json prints them); or 'all'."
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Only events of this kind ({', '.join(_KINDS)}); repeatable.", autocompletion=lambda: _KINDS
        ),
    ] = None,
    document: Annotated[UUID | None, typer.Option(metavar="ID", help="Only events about this document.")] = None,
    count: Annotated[int | None, typer.Option("--count", "-n", min=1, help="Stop after so many events.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print events as they come, one a line, until Ctrl-C.

    Of the local stack, or of NATS_URL, NATS_USER and NATS_PASSWORD. A lost bus is waited for, and no event is left
    out meanwhile.
    """
    if unknown := set(kind or ()) - set(_KINDS):
        raise SkillnetError(ErrorCode.INVALID_REQUEST, f"There is no kind of event {', '.join(sorted(unknown))}.")
    access = subscriber_access(data, os.environ)
    start = Start.parse(since, datetime.now(UTC))
    asyncio.run(_tail(access, start, kind or [], document, count, as_json=as_json))


async def _tail(
    access: Mapping[str, str],
    start: Start,
    kinds: list[str],
    document: UUID | None,
    count: int | None,
    *,
    as_json: bool,
) -> None:
    async with bus_connection(access, reconnect=True) as client:
        following = Tail(client, start, _warn, kinds=kinds, document_id=document)
        printing = asyncio.create_task(_print_events(following, count, as_json=as_json))
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
        stopped = asyncio.create_task(stop.wait())
        # Whatever the client does with a cancellation in the midst of a fetch, Ctrl-C ends the command.
        await asyncio.wait({printing, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if not printing.done():
            printing.cancel()
            return
    printing.result()


async def _print_events(following: Tail, count: int | None, *, as_json: bool) -> None:
    seen = 0
    async for event in following.events():
        _print(event, as_json=as_json)
        seen += 1
        if seen == count:
            return


def _print(event: Event, *, as_json: bool) -> None:
    if as_json:
        print_json_line(
            {
                "type": event.kind,
                "id": event.event_id,
                "time": event.time,
                "sequence": event.sequence,
                "data": event.data,
            }
        )
        return
    what = event.data.get("change") or event.data.get("code") or ""
    version = f"v{event.data['version']}" if "version" in event.data else ""
    title = event.data.get("title") or event.data.get("document_title") or ""
    line = f"{event.data.get('occurred_at', '')[:19]}  {event.kind:<24} {what:<10} {version:<5} {title}"
    console.print(escape(line), soft_wrap=True)


def _warn(sentence: str) -> None:
    progress_console.print(escape(sentence), soft_wrap=True)
