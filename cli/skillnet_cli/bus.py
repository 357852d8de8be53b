"""The bus as commands reach it: NATS_URL with NATS_USER and NATS_PASSWORD, else the local stack's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from nats.aio.client import Client
from nats.errors import Error as NatsError

from skillnet_cli.local.backends import ADMIN_USER
from skillnet_cli.target import data_folder_or_default, require_stack
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.permissions import SUBSCRIBER

_ATTEMPTS = 10
_CONNECT_SECONDS = 5


def subscriber_access(data: Path | None, environment: Mapping[str, str]) -> Mapping[str, str]:
    """NATS_URL, NATS_USER and NATS_PASSWORD of who may hear events."""
    return environment if "NATS_URL" in environment else require_stack(data_folder_or_default(data)).environment


def admin_access(data: Path | None, environment: Mapping[str, str]) -> Mapping[str, str]:
    """As `subscriber_access`, of who may do everything: NATS_USER must be such a user."""
    access = subscriber_access(data, environment)
    # The passwords of the embedded server's users lie beside it; of another server only its operators know them.
    passwords = data_folder_or_default(data) / "nats" / "passwords.json"
    if access is environment or access.get("NATS_USER") != SUBSCRIBER or not passwords.exists():
        return access
    password = json.loads(passwords.read_text(encoding="utf-8"))[ADMIN_USER]
    return {"NATS_URL": access["NATS_URL"], "NATS_USER": ADMIN_USER, "NATS_PASSWORD": password}


@asynccontextmanager
async def bus_connection(access: Mapping[str, str], *, reconnect: bool = False) -> AsyncIterator[Client]:
    """A connection; with `reconnect` it comes back for ever, without it a lost one is an error.

    Raises SkillnetError `unavailable` where the server cannot be reached or refuses the user.
    """
    client = await _connected(access, reconnect=reconnect)
    try:
        yield client
    finally:
        await client.close()


async def _connected(access: Mapping[str, str], *, reconnect: bool) -> Client:
    """A server that refuses a user closes the connection at once, so that its reason is lost where the client is
    still writing: it is asked a few times before a reset is all that is said."""
    faults: list[Exception] = []

    async def note(error: Exception) -> None:
        faults.append(error)

    attempts = 0
    while True:
        attempts += 1
        client = Client()
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                await client.connect(
                    access["NATS_URL"],
                    user=access.get("NATS_USER"),
                    password=access.get("NATS_PASSWORD"),
                    inbox_prefix=f"_INBOX_{access.get('NATS_USER', 'any')}",
                    name="skillnet-cli",
                    allow_reconnect=reconnect,
                    max_reconnect_attempts=-1 if reconnect else 1,
                    reconnect_time_wait=1,
                    error_cb=note,
                )
        except (OSError, NatsError, TimeoutError) as error:
            await client.close()
            if isinstance(error, ConnectionResetError | BrokenPipeError) and attempts < _ATTEMPTS:
                continue
            reason = (faults or [error])[-1]
            raise SkillnetError(
                ErrorCode.UNAVAILABLE, f"NATS cannot be reached: {str(reason) or type(reason).__name__}"
            ) from error
        else:
            return client
