"""Two uploads, a delete and redeliveries in every order, walked as a tree of shared beginnings."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from math import comb
from typing import Any
from uuid import UUID

import pytest
from tests.integration.versions.observer import Observer
from tests.integration.versions.pipeline import Pipeline

from skillnet_common.contracts.work import WorkMessage
from skillnet_common.database import Database
from skillnet_common.database.pool import Connection
from skillnet_common.versions import document_id_for

KEY = "manual"


class OneTransaction:
    """A Database whose transactions are savepoints of one transaction, so that a step can be taken back."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @asynccontextmanager
    async def tenant(self, org_id: UUID, **_: object) -> AsyncIterator[Connection]:
        async with self._connection.transaction():
            await self._connection.execute(
                "SELECT set_config('skillnet.org_id', $1, true), set_config('skillnet.audience', '*', true)",
                str(org_id),
            )
            yield self._connection


@dataclass(frozen=True)
class Place:
    """How far each upload has come (0: not uploaded yet), which version each became, and whether it was deleted."""

    done: tuple[int, int] = (0, 0)
    versions: tuple[int, int] = (0, 0)
    deleted: bool = False


@dataclass
class Walk:
    """Depth first through all orders."""

    connection: Connection
    pipeline: Pipeline
    steps: tuple[int, int]
    contents: tuple[str, str]
    leaves: int = 0

    @property
    def document_id(self) -> UUID:
        return document_id_for(self.pipeline.org_id, "upload", KEY)

    async def explore(self, place: Place, observer: Observer) -> None:
        moves: list[int | str] = [upload for upload in (0, 1) if place.done[upload] < self.steps[upload]]
        if not place.deleted:
            moves.append("delete")
        if not moves:
            self.leaves += 1
            await self._end()
            return
        for move in moves:
            transaction = self.connection.transaction()
            await transaction.start()
            seen = observer.copy()
            reached = await self._delete(place, seen) if move == "delete" else await self._advance(place, int(move))
            await seen.look()
            await self.explore(reached, seen)
            await transaction.rollback()

    async def _delete(self, place: Place, observer: Observer) -> Place:
        observer.deleted(self.document_id, await self.pipeline.delete(self.document_id))
        return replace(place, deleted=True)

    async def _advance(self, place: Place, upload: int) -> Place:
        done = tuple(count + (index == upload) for index, count in enumerate(place.done))
        if place.done[upload] == 0:
            result = await self.pipeline.upload(KEY, self.contents[upload])
            versions = tuple(
                result.version if index == upload else version for index, version in enumerate(place.versions)
            )
            return replace(place, done=(done[0], done[1]), versions=(versions[0], versions[1]))
        message = await self._next_message(place.versions[upload])
        if message is not None:
            await self.pipeline.deliver(message)
            assert await self.pipeline.deliver(message) == "ignored", "a redelivery did something"
        return replace(place, done=(done[0], done[1]))

    async def _next_message(self, version: int) -> WorkMessage | None:
        for message in await self.pipeline.due(self.document_id):
            owner = await self.connection.fetchval(
                "SELECT version FROM work WHERE org_id = $1 AND work_id = $2", message.org_id, message.work_id
            )
            if owner == version:
                return message
        return None

    async def _end(self) -> None:
        observer = Observer(self.pipeline.database, self.pipeline.org_id)
        await observer.look()
        await observer.check_events()
        await observer.check_settled()


@pytest.mark.parametrize(
    ("contents", "chunks"),
    [(("the first text", "the second text"), 1), (("the same text", "the same text"), 1)],
    ids=["different", "identical"],
)
async def test_every_order_of_two_uploads_and_a_delete(
    database: Database, org: UUID, contents: tuple[str, str], chunks: int
) -> None:
    async with database.tenant(org) as connection:
        one: Any = OneTransaction(connection)
        steps = 3 + chunks
        walk = Walk(connection, Pipeline(one, org, chunks=chunks), (steps, steps), contents)
        await walk.explore(Place(), Observer(one, org))
    # The orders of two chains, times the places of a single step among them.
    assert walk.leaves == comb(2 * steps, steps) * (2 * steps + 1)
