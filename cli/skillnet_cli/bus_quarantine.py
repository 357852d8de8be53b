"""Messages that no service could read, in the bus's stream QUARANTINE: listed, sent again, dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from skillnet_cli.bus import bus_connection
from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, SkillnetError
from skillnet_common.messaging.quarantine import OWN_PREFIXES, is_cut_short

_SECONDS = 5.0
_PREFIX = "quarantine."


@dataclass(frozen=True, slots=True)
class UnreadableMessage:
    """A message put aside. `sequence` is its place in the quarantine, `original_sequence` that in its stream."""

    sequence: int
    put_aside_at: datetime | None
    stream: str
    subject: str
    original_sequence: int | None
    reason: str
    headers: Mapping[str, str]
    """As the message had them when it was sent."""
    body: bytes


class BusQuarantine:
    """The quarantine of one bus; its user must be allowed everything."""

    def __init__(self, js: JetStreamContext) -> None:
        self._js = js

    async def messages(self) -> AsyncIterator[UnreadableMessage]:
        """Every message, oldest first."""
        sequence = 1
        while True:
            try:
                found = await self._js.get_msg(subjects.QUARANTINE_STREAM, sequence, subject=f"{_PREFIX}>", next=True)
            except NotFoundError:
                return
            message = _read(found)
            yield message
            sequence = message.sequence + 1

    async def message(self, sequence: int) -> UnreadableMessage:
        """Raises SkillnetError `not_found`."""
        try:
            return _read(await self._js.get_msg(subjects.QUARANTINE_STREAM, sequence))
        except NotFoundError as error:
            raise _not_found(sequence) from error

    async def replay(self, sequence: int) -> UnreadableMessage:
        """Sends the message to its subject again, then takes it out of the quarantine.

        Its message id keeps it from being sent twice should this be cut off in between and done again soon. Raises
        SkillnetError `not_found`, or `invalid_request` where the message is not there whole or says no subject.
        """
        message = await self.message(sequence)
        if is_cut_short(message.body):
            raise SkillnetError(
                ErrorCode.INVALID_REQUEST, f"Message {sequence} is too large to have been kept whole; drop it."
            )
        if not message.subject:
            raise SkillnetError(ErrorCode.INVALID_REQUEST, f"Message {sequence} does not say where it came from.")
        moment = "" if message.put_aside_at is None else message.put_aside_at.isoformat()
        await self._js.publish(
            message.subject,
            message.body,
            timeout=_SECONDS,
            stream=message.stream,
            headers={**message.headers, "Nats-Msg-Id": f"replay:{moment}:{sequence}"},
        )
        await self.drop(sequence)
        return message

    async def drop(self, sequence: int) -> None:
        """Takes the message out for good. Raises SkillnetError `not_found`."""
        await self.message(sequence)  # the bus tells a missing one by words alone
        await self._js.delete_msg(subjects.QUARANTINE_STREAM, sequence)


@asynccontextmanager
async def open_bus_quarantine(access: Mapping[str, str]) -> AsyncIterator[BusQuarantine]:
    """The quarantine of the bus that `access` leads to. Raises SkillnetError `unavailable` for faults of the bus.

    A user without the right to look gets no answer at all: that is a time-out, and the reason is told with it.
    """
    async with bus_connection(access) as client:
        try:
            yield BusQuarantine(client.jetstream(timeout=_SECONDS))
        except (NatsTimeoutError, TimeoutError) as error:
            raise SkillnetError(
                ErrorCode.UNAVAILABLE, "The bus did not answer. Is NATS_USER allowed to do everything on it?"
            ) from error
        except NatsError as error:
            raise SkillnetError(ErrorCode.UNAVAILABLE, f"The bus refused: {error}") from error


def _read(found: RawStreamMsg) -> UnreadableMessage:
    headers = dict(found.headers or {})
    original = headers.get("Skillnet-Sequence", "")
    return UnreadableMessage(
        sequence=found.seq or 0,
        put_aside_at=found.time,
        stream=(found.subject or "").removeprefix(_PREFIX),
        subject=headers.get("Skillnet-Subject", ""),
        original_sequence=int(original) if original.isdecimal() else None,
        reason=headers.get("Skillnet-Reason", ""),
        headers={name: value for name, value in headers.items() if not name.startswith(OWN_PREFIXES)},
        body=found.data or b"",
    )


def _not_found(sequence: int) -> SkillnetError:
    return SkillnetError(ErrorCode.NOT_FOUND, f"The bus's quarantine holds no message {sequence}.")
