"""Compares the work that was sent with what its stream holds: a lost stream loses nothing.

The comparison is with the stream itself and never with the clock: work that waits long in its stream is well.
While JetStream cannot be asked, nothing is decided.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import asyncpg
import structlog
from nats.js import JetStreamContext
from nats.js.api import StreamInfo
from nats.js.errors import NotFoundError

from skillnet_common.contracts import subjects
from skillnet_common.database import Database, Queries
from skillnet_dispatcher.loops.release import message_id
from skillnet_dispatcher.metrics import RECOVERED

log = structlog.get_logger(__name__)

_SQL = Queries(__package__, "reconcile.sql")
_NO_SUCH_MESSAGE = 10037
_LOOKUPS_AT_ONCE = 64


class Reconcile:
    """Work whose message is not in the stream waits anew. (Of events, the relay takes care itself.)"""

    def __init__(self, database: Database, js: JetStreamContext, *, grace_seconds: float) -> None:
        self._database = database
        self._js = js
        self._grace = grace_seconds

    async def step(self) -> bool:
        """Looks once at all work released more than the grace ago."""
        async with self._database.system() as connection:
            rows = await connection.fetch(_SQL.released, self._grace)
        if not rows:
            return False
        stream = await self._js.stream_info(subjects.WORK_STREAM)
        lost = [row for row in rows if not _may_hold(stream, row)]
        candidates = [row for row in rows if _may_hold(stream, row)]
        for start in range(0, len(candidates), _LOOKUPS_AT_ONCE):
            some = candidates[start : start + _LOOKUPS_AT_ONCE]
            held = await asyncio.gather(*(self._is_held(row) for row in some))
            lost += [row for row, is_held in zip(some, held, strict=True) if not is_held]
        if lost:
            await self._wait_again(lost)
        return False

    async def _is_held(self, row: asyncpg.Record) -> bool:
        try:
            message = await self._js.get_msg(subjects.WORK_STREAM, row["released_seq"])
        except NotFoundError as error:
            if error.err_code == _NO_SUCH_MESSAGE:
                return False
            raise  # the stream itself is missing: the topology loop's business
        # A stream created anew counts from 1 again: the same place may hold another message.
        headers = message.headers or {}
        return headers.get("Nats-Msg-Id") == message_id(row["work_id"], row["releases"])

    async def _wait_again(self, lost: Sequence[asyncpg.Record]) -> None:
        async with self._database.system() as connection:
            status = await connection.execute(
                _SQL.wait_again,
                [row["org_id"] for row in lost],
                [row["work_id"] for row in lost],
                [row["releases"] for row in lost],
            )
        count = int(status.rpartition(" ")[2])
        RECOVERED.labels("message_gone").inc(count)
        log.info("work_without_message", pieces=count)


def _may_hold(stream: StreamInfo, row: asyncpg.Record) -> bool:
    return bool(stream.state.first_seq <= row["released_seq"] <= stream.state.last_seq)
