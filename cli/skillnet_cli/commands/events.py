"""`skillnet events tail`: what other services hear on the bus."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import uuid4

import nats
import typer
from nats.aio.client import Client
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from skillnet_cli.exits import reports_errors
from skillnet_cli.output import AsJson, console, escape, print_json_line
from skillnet_cli.target import DataFolder, data_folder_or_default, require_stack
from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, SkillnetError

app = typer.Typer(no_args_is_help=True, help="Events on the bus.")

_AGE = re.compile(r"^(\d{1,6})([smhd])$")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@app.command()
@reports_errors
def tail(
    data: DataFolder = None,
    since: Annotated[str | None, typer.Option(help="Replay: an age such as 10m, 2h or 3d, or 'all'.")] = None,
    count: Annotated[int | None, typer.Option("--count", "-n", min=1, help="Stop after so many events.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print events as they come, one a line, until Ctrl-C."""
    environment = require_stack(data_folder_or_default(data)).environment
    start = start_of(since)
    asyncio.run(_tail(environment, start, count, as_json=as_json))


def start_of(since: str | None) -> ConsumerConfig:
    """Where the tail begins. Raises SkillnetError `invalid_request`."""
    # With a name: creating one without is refused.
    config = ConsumerConfig(
        name=f"tail-{uuid4().hex}", ack_policy=AckPolicy.NONE, inactive_threshold=60.0, mem_storage=True
    )
    if since is None:
        config.deliver_policy = DeliverPolicy.NEW
    elif since == "all":
        config.deliver_policy = DeliverPolicy.ALL
    elif match := _AGE.match(since):
        begin = datetime.now(UTC) - timedelta(**{_UNITS[match[2]]: int(match[1])})
        config.deliver_policy = DeliverPolicy.BY_START_TIME
        config.opt_start_time = begin.isoformat()  # type: ignore[assignment]
    else:
        raise SkillnetError(
            ErrorCode.INVALID_REQUEST, f"--since takes an age such as 10m, 2h, 3d, or all; not {since!r}."
        )
    return config


async def _tail(environment: Mapping[str, str], start: ConsumerConfig, count: int | None, *, as_json: bool) -> None:
    client = await nats.connect(
        environment["NATS_URL"],
        user=environment.get("NATS_USER"),
        password=environment.get("NATS_PASSWORD"),
        inbox_prefix=f"_INBOX_{environment.get('NATS_USER', 'any')}",
    )
    printing = asyncio.create_task(_print_events(client, start, count, as_json=as_json))
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    stopped = asyncio.create_task(stop.wait())
    # Whatever the client does with a cancellation in the midst of a fetch, Ctrl-C ends the command.
    await asyncio.wait({printing, stopped}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    if printing.done():
        await client.close()
        printing.result()
    else:
        printing.cancel()
        await client.close()


async def _print_events(client: Client, start: ConsumerConfig, count: int | None, *, as_json: bool) -> None:
    js = client.jetstream()
    consumer = await js.add_consumer(subjects.EVENT_STREAM, start)
    subscription = await js.pull_subscribe_bind(consumer.name, subjects.EVENT_STREAM)
    seen = 0
    while count is None or seen < count:
        try:
            messages = await subscription.fetch(1, timeout=5)
        except (NatsTimeoutError, TimeoutError):
            continue
        for message in messages:
            _print(message.headers or {}, json.loads(message.data), as_json=as_json)
            seen += 1


def _print(headers: Mapping[str, str], event: Mapping[str, Any], *, as_json: bool) -> None:
    kind = headers.get("ce-type", "?")
    if as_json:
        print_json_line({"type": kind, "id": headers.get("ce-id"), "time": headers.get("ce-time"), "data": event})
        return
    what = event.get("change") or event.get("code") or ""
    version = f"v{event['version']}" if "version" in event else ""
    title = event.get("title") or event.get("document_title") or ""
    line = f"{event.get('occurred_at', '')[:19]}  {kind:<24} {what:<10} {version:<5} {title}"
    console.print(escape(line), soft_wrap=True)
