"""Waiting work goes to the bus: fairly, and no more than the live workers will soon do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import asyncpg
from nats.js import JetStreamContext
from nats.js.api import PubAck

from skillnet_common.contracts import subjects
from skillnet_common.contracts.work import Stage, WorkMessage
from skillnet_common.database import Database, Queries
from skillnet_dispatcher.domain.fairness import Turns, window_size
from skillnet_dispatcher.metrics import RELEASED

_SQL = Queries(__package__, "release.sql")
_PUBLISH_SECONDS = 5.0
_SERVICES = {Stage.PARSE: "parser", Stage.CHUNK: "chunker", Stage.EMBED: "embedder"}


@dataclass(frozen=True, slots=True)
class Queue:
    """The work of one stage; of one model where it is embed work."""

    stage: Stage
    model_id: int | None = None
    model_slug: str | None = None


class Release:
    """Publishes first and marks the rows afterwards.

    A crash in between leaves rows waiting whose message is out: workers claim waiting rows too, and the next
    release of the row has the same message id, which the stream drops. Whoever finds that (`duplicate`) only
    counts the release, since the first message may be consumed by now: the one after has a new id.
    """

    def __init__(self, database: Database, js: JetStreamContext, *, factor: float, floor: int) -> None:
        self._database = database
        self._js = js
        self._factor = factor
        self._floor = floor
        self._turns: dict[Queue, Turns] = {}

    async def step(self) -> bool:
        """Fills every queue's window once; True where rows may be left for places that are still free."""
        async with self._database.system() as connection:
            capacities = {row["service"]: row["capacity"] for row in await connection.fetch(_SQL.capacities)}
            models = await connection.fetch(_SQL.model_slugs)
        queues = [Queue(Stage.PARSE), Queue(Stage.CHUNK)]
        queues += [Queue(Stage.EMBED, row["model_id"], row["slug"]) for row in models]
        more = False
        for queue in queues:
            window = window_size(capacities.get(_SERVICES[queue.stage], 0), factor=self._factor, floor=self._floor)
            more |= await self._fill(queue, window)
        return more

    async def _fill(self, queue: Queue, window: int) -> bool:
        rows = await self._pick(queue, window)
        if not rows:
            return False
        seqs = await asyncio.gather(*(self._publish(queue, row) for row in rows), return_exceptions=True)
        faults = [seq for seq in seqs if isinstance(seq, BaseException)]
        sent = [(row, seq) for row, seq in zip(rows, seqs, strict=True) if not isinstance(seq, BaseException)]
        await self._mark(sent)
        RELEASED.labels(queue.stage).inc(sum(seq is not None for _, seq in sent))
        if faults:
            raise faults[0]
        return any(seq is None for _, seq in sent)

    async def _pick(self, queue: Queue, window: int) -> list[asyncpg.Record]:
        async with self._database.system() as connection:
            out = await connection.fetch(_SQL.held, queue.stage, queue.model_id)
            held = {row["org_id"]: row["pieces"] for row in out}
            free = window - sum(held.values())
            if free <= 0:
                return []
            due = await connection.fetch(_SQL.waiting, queue.stage, queue.model_id, free)
            waiting = {row["org_id"]: row["pieces"] for row in due}
            shares = self._turns.setdefault(queue, Turns()).share_out(free, waiting, held)
            return await connection.fetch(_SQL.pick, queue.stage, queue.model_id, list(shares), list(shares.values()))

    async def _publish(self, queue: Queue, row: asyncpg.Record) -> int | None:
        """The message's place in the stream; None where a message of this id has been there before."""
        release = row["releases"] + 1
        message = WorkMessage(org_id=row["org_id"], work_id=row["work_id"], stage=queue.stage, release=release)
        ack: PubAck = await self._js.publish(
            subjects.work(queue.stage, row["org_id"], queue.model_slug),
            message.model_dump_json().encode(),
            timeout=_PUBLISH_SECONDS,
            stream=subjects.WORK_STREAM,
            headers={"Nats-Msg-Id": message_id(row["work_id"], release)},
        )
        return None if ack.duplicate else ack.seq

    async def _mark(self, sent: Sequence[tuple[asyncpg.Record, int | None]]) -> None:
        if not sent:
            return
        async with self._database.system() as connection:
            await connection.execute(
                _SQL.mark_released,
                [row["org_id"] for row, _ in sent],
                [row["work_id"] for row, _ in sent],
                [row["releases"] for row, _ in sent],
                [row["attempts"] for row, _ in sent],
                [seq for _, seq in sent],
            )


def message_id(work_id: UUID, release: int) -> str:
    """The id of a release's message: unique to it, so that a release anew is no duplicate."""
    return f"{work_id}:{release}"
