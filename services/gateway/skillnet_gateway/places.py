"""How much waits before a document's next piece of work: an estimate, as the dispatcher takes turns over tenants.

With `place` pieces of its own organisation before it, the piece is released in that organisation's turn
`place + 1`. By then every other organisation has had as many turns, or all that waits for it: the pieces ahead are
`place` plus, over the others, min(what waits there, place + 1). What is out with the workers already, retries that
are not due yet, and what arrives later are not counted; the dispatcher also holds back whoever has much out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

import asyncpg

from skillnet_common.database import Queries
from skillnet_common.database.pool import Connection

_SQL = Queries(__package__, "places.sql")

MOST_COUNTED = 10_000
"""Places further back count as this one: nobody minds the difference, and counting them would cost."""


async def waiting_ahead(
    connection: Connection, org_id: UUID, versions: Sequence[tuple[UUID, int]]
) -> dict[UUID, int]:
    """Document id -> pieces ahead, of the versions (document, number) given that are under way.

    0: a piece of it is out with the workers, or the next in line. Missing: nothing is due (a retry may wait for its
    time).
    """
    if not versions:
        return {}
    documents, numbers = zip(*versions, strict=True)
    pieces = await connection.fetch(_SQL.next_pieces, org_id, list(documents), list(numbers))
    ahead = {piece["document_id"]: 0 for piece in pieces if piece["is_out"]}
    queues: dict[tuple[str, int | None], list[asyncpg.Record]] = defaultdict(list)
    for piece in pieces:
        if not piece["is_out"] and piece["next"] is not None:
            queues[piece["stage"], piece["model_id"]].append(piece)
    for queue, waiting in queues.items():
        ahead |= await _ahead_in(connection, org_id, queue, waiting)
    return ahead


async def _ahead_in(
    connection: Connection, org_id: UUID, queue: tuple[str, int | None], waiting: Sequence[asyncpg.Record]
) -> dict[UUID, int]:
    rows = await connection.fetch(_SQL.own_places, org_id, *queue, [piece["next"] for piece in waiting], MOST_COUNTED)
    places = {row["work_id"]: row["place"] for row in rows}
    turns = {piece["document_id"]: places.get(piece["next"], MOST_COUNTED) + 1 for piece in waiting}
    rows = await connection.fetch(_SQL.elsewhere, *queue, list(set(turns.values())), MOST_COUNTED)
    elsewhere = {row["turn"]: row["pieces"] for row in rows}
    return {document: turn - 1 + elsewhere[turn] for document, turn in turns.items()}
