"""Following the stream of events from a chosen place, over lost connections, lost consumers and lost streams."""

from __future__ import annotations

import asyncio
import json
import re
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError
from nats.errors import TimeoutError as NatsTimeoutError
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

from skillnet_common.contracts import subjects
from skillnet_common.errors import ErrorCode, SkillnetError

_AGE = re.compile(r"(\d{1,6})([smhd])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
_BATCH = 100
_FETCH_SECONDS = 2.0
_PAUSE_SECONDS = 0.5
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Start:
    """Where to begin: after a moment, after a place in the stream, after an event, at the oldest, or with what comes.

    At most one field is set; none: with what comes.
    """

    moment: datetime | None = None
    sequence: int | None = None
    event_id: UUID | None = None
    oldest: bool = False

    @classmethod
    def parse(cls, since: str | None, now: datetime) -> Start:
        """`10m`, `2h`, `3d`; an ISO 8601 date or time (of this machine's zone where it names none); `all`; an
        event's id; its place in the stream. Raises SkillnetError `invalid_request`."""
        if since is None:
            return cls()
        text = since.strip()
        if text == "all":
            return cls(oldest=True)
        if text.isdecimal() and len(text) < 19:
            return cls(sequence=int(text))
        if match := _AGE.fullmatch(text):
            return cls(moment=_before(now, int(match[1]), _UNITS[match[2]]))
        try:
            return cls(event_id=UUID(text))
        except ValueError:
            pass
        try:
            return cls(moment=datetime.fromisoformat(text).astimezone(UTC))
        except (ValueError, OverflowError) as error:
            raise SkillnetError(
                ErrorCode.INVALID_REQUEST,
                "--since takes an age such as 10m, 2h or 3d, a date or time, an event's id, its sequence, or all; not"
                f" {since!r}.",
            ) from error


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it was delivered; `sequence` is its place in the stream."""

    sequence: int
    kind: str
    event_id: str
    time: str
    data: Mapping[str, Any]


@dataclass(slots=True)
class Tail:
    """Yields events in the stream's order, each once, though the stream may hold one twice.

    `told` hears of trouble, a sentence each. Kinds and document, where given, must match.
    """

    client: Client
    start: Start
    told: Callable[[str], None]
    kinds: Collection[str] = ()
    document_id: UUID | None = None
    _created: datetime | None = None
    _anew: bool = False
    _last: int | None = None
    _seen: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _begun: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def events(self) -> AsyncIterator[Event]:
        """For ever. Raises SkillnetError `not_found` where the stream does not hold the event to start after."""
        while True:
            try:
                async for event in self._follow():
                    if self._is_wanted(event):
                        yield event
            except (NatsError, OSError, TimeoutError) as error:
                self.told(f"The bus is away ({type(error).__name__}); trying again.")
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _follow(self) -> AsyncIterator[Event]:
        """Until the consumer is gone, which a restart of the bus does to it."""
        js = self.client.jetstream()
        info = await js.add_consumer(subjects.EVENT_STREAM, await self._config())
        subscription = await js.pull_subscribe_bind(info.name, subjects.EVENT_STREAM)
        skip_until = self.start.event_id if self._last is None and not self._anew else None
        left = info.num_pending or 0
        while True:
            if skip_until is not None and left == 0:
                raise SkillnetError(ErrorCode.NOT_FOUND, f"The stream holds no event {skip_until} (any more).")
            try:
                # No more than there are: a larger batch would be waited for.
                messages = await subscription.fetch(min(max(left, 1), _BATCH), timeout=_FETCH_SECONDS)
            except (NatsTimeoutError, TimeoutError):
                await js.consumer_info(subjects.EVENT_STREAM, info.name)  # raises where it is gone
                continue
            for message in messages:
                event = _read(message)
                left, self._last = message.metadata.num_pending or 0, event.sequence
                if skip_until is not None:
                    skip_until = None if event.event_id == str(skip_until) else skip_until
                elif self._is_new(event):
                    yield event

    async def _config(self) -> ConsumerConfig:
        """After the last event delivered, else where the start says; all of a stream that was made anew."""
        stream = await self.client.jetstream().stream_info(subjects.EVENT_STREAM)
        if self._created is not None and self._created != stream.created:
            self.told("The stream of events was lost and made anew: it is read from its beginning.")
            self._anew, self._last = True, None
        self._created = stream.created
        if self.start == Start() and self._last is None and not self._anew:
            self._last = stream.state.last_seq
        # With a name: creating one without is refused.
        config = ConsumerConfig(
            name=f"tail-{uuid4().hex}", ack_policy=AckPolicy.NONE, inactive_threshold=60.0, mem_storage=True
        )
        after = self.start.sequence if self._last is None and not self._anew else self._last
        if after is not None:
            config.deliver_policy, config.opt_start_seq = DeliverPolicy.BY_START_SEQUENCE, after + 1
        elif self.start.moment is not None:
            config.deliver_policy = DeliverPolicy.BY_START_TIME
            config.opt_start_time = self.start.moment.isoformat()  # type: ignore[assignment]
        else:
            config.deliver_policy = DeliverPolicy.ALL
        return config

    def _is_new(self, event: Event) -> bool:
        """Whether it is to be told of: not twice, nor of a stream made anew what is older than the start."""
        if event.event_id in self._seen:
            return False
        self._seen[event.event_id] = None
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        earliest = self.start.moment or (self._begun if self.start == Start() else None)
        return not self._anew or earliest is None or _occurred(event) >= earliest

    def _is_wanted(self, event: Event) -> bool:
        if self.kinds and event.kind not in self.kinds:
            return False
        return self.document_id is None or event.data.get("document_id") == str(self.document_id)


def _read(message: Msg) -> Event:
    headers = message.headers or {}
    return Event(
        sequence=message.metadata.sequence.stream,
        kind=headers.get("ce-type", "?"),
        event_id=headers.get("ce-id", ""),
        time=headers.get("ce-time", ""),
        data=json.loads(message.data),
    )


def _occurred(event: Event) -> datetime:
    return datetime.fromisoformat(event.data["occurred_at"])


def _before(now: datetime, count: int, unit: str) -> datetime:
    try:
        return now - timedelta(**{unit: count})
    except OverflowError:
        return datetime(1970, 1, 1, tzinfo=UTC)
