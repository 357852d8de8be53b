"""Events from the outbox to the stream: in order for each document, at least once, with a stable id."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

import asyncpg
import structlog
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.errors import BadRequestError

from skillnet_common.contracts import subjects
from skillnet_common.database import Database, Queries
from skillnet_common.messaging.topology import EVENT_DAYS, MAX_MESSAGE_BYTES
from skillnet_dispatcher.domain.cloudevent import cloudevent_headers
from skillnet_dispatcher.metrics import EVENTS_SENT, RECOVERED

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "relay.sql")
_BATCH = 256
_PUBLISH_SECONDS = 5.0
_REFUSED_SECONDS = 60.0

MAX_EVENT_BYTES = MAX_MESSAGE_BYTES - 4096
"""Leaves room for the headers, which count too."""

Lane = Sequence[asyncpg.Record]
"""The events of one document, oldest first."""


class EventTooLarge(Exception):
    """The stream would refuse the event; the server would even close the connection over a much larger one."""


class Relay:
    """Publishes the outbox. Only it publishes events.

    A document's next event waits until the one before is acknowledged; documents do not wait for each other. An
    event that the server refuses for what it is holds up its own document alone, and is tried again now and then.
    """

    def __init__(self, database: Database, js: JetStreamContext) -> None:
        self._database = database
        self._js = js
        self._refused: dict[UUID, float] = {}

    async def step(self) -> bool:
        """Publishes one batch; True where there may be more."""
        await self._refill_new_stream()
        now = asyncio.get_running_loop().time()
        self._refused = {document: until for document, until in self._refused.items() if until > now}
        async with self._database.system() as connection:
            rows = await connection.fetch(_SQL.unsent, list(self._refused), _BATCH)
        if not rows:
            return False
        lanes: dict[UUID | None, list[asyncpg.Record]] = defaultdict(list)
        for row in rows:
            lanes[row["document_id"]].append(row)
        results = await asyncio.gather(*(self._send_lane(lane) for lane in lanes.values()))
        await self._mark([row for sent, _ in results for row in sent])
        faults = [fault for _, fault in results if fault is not None]
        if faults:
            raise faults[0]
        return len(rows) == _BATCH

    async def _refill_new_stream(self) -> None:
        """A stream created anew gets what the lost one held, before anything newer: documents keep their order."""
        stream = await self._js.stream_info(subjects.EVENT_STREAM)
        async with self._database.system() as connection:
            known = await connection.fetchval(_SQL.known_stream, subjects.EVENT_STREAM)
            if known == stream.created:
                return
            await connection.execute(_SQL.remember_stream, subjects.EVENT_STREAM, stream.created)
            if known is None:
                return
            status = await connection.execute(_SQL.send_again, EVENT_DAYS)
        count = int(status.rpartition(" ")[2])
        RECOVERED.labels("event_stream_gone").inc(count)
        log.warning("event_stream_was_lost", events_to_send_again=count)

    async def _send_lane(self, lane: Lane) -> tuple[Lane, Exception | None]:
        """What was acknowledged, and the fault that stopped the lane."""
        for position, row in enumerate(lane):
            try:
                await self._publish(row)
            except (EventTooLarge, BadRequestError) as error:
                self._refuse(row, error)
                return lane[:position], None
            except (NatsError, OSError, TimeoutError) as error:
                return lane[:position], error
        return lane, None

    async def _publish(self, row: asyncpg.Record) -> None:
        headers = cloudevent_headers(
            event_id=row["event_id"], type=row["type"], org_id=row["org_id"], payload=row["payload"]
        )
        body = json.dumps(row["payload"], ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) > MAX_EVENT_BYTES:
            raise EventTooLarge(f"{len(body)} bytes")
        await self._js.publish(
            row["subject"], body, timeout=_PUBLISH_SECONDS, stream=subjects.EVENT_STREAM, headers=headers
        )
        EVENTS_SENT.labels(row["type"]).inc()

    def _refuse(self, row: asyncpg.Record, error: Exception) -> None:
        log.error("event_refused", event_id=str(row["event_id"]), type=row["type"], error=str(error))
        if row["document_id"] is not None:
            self._refused[row["document_id"]] = asyncio.get_running_loop().time() + _REFUSED_SECONDS

    async def _mark(self, sent: Sequence[asyncpg.Record]) -> None:
        if not sent:
            return
        async with self._database.system() as connection:
            await connection.execute(
                _SQL.mark_sent, [row["org_id"] for row in sent], [row["outbox_seq"] for row in sent]
            )
