"""How many of the nearest vectors an index finds, against comparing one by one."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import asyncpg
import numpy as np
from pgvector import HalfVector

from skillnet_common.database.vector_indexes import DEFAULT_WALK

_NEAREST = 10
_QUESTIONS = 50
_AWAY = 0.5
"""Length of what is added to a vector to make a question: their cosine is then .89, as between e5's questions and the
passages that answer them."""
_TIE = 1e-6
_BY_THE_INDEX = {"enable_sort": "off"}
"""The planner takes the index where there is one, even for a tenant so small that sorting would be cheaper."""

_SAMPLE = """
SELECT embedding FROM skillnet.chunk_embeddings WHERE org_id = $1 AND model_id = $2
ORDER BY hashtext(chunk_id::text), chunk_id LIMIT $3
"""


async def measure_recall(connection: asyncpg.Connection[Any], org_id: UUID, model_id: int, dimension: int) -> float:
    """Recall of the ten nearest over fifty questions near the tenant's own vectors; equal distances count as found.

    `connection` is of a role that sees the tenant's vectors, with pgvector's types registered.
    """
    scope = f"FROM skillnet.chunk_embeddings WHERE org_id = '{org_id}' AND model_id = {int(model_id)}"
    exact = f"SELECT embedding <#> $1 AS distance {scope} ORDER BY 1 LIMIT {_NEAREST}"
    column = f"embedding::public.halfvec({int(dimension)})"
    walked = f"SELECT {column} <#> $1 AS distance {scope} ORDER BY {column} <#> $1 LIMIT {_NEAREST}"
    rows = await connection.fetch(_SAMPLE, org_id, model_id, _QUESTIONS)
    found = 0
    async with connection.transaction(readonly=True):
        for name, value in {**DEFAULT_WALK.of_postgresql, **_BY_THE_INDEX}.items():
            await connection.execute("SELECT set_config($1, $2, true)", name, value)
        for question in _questions([row["embedding"] for row in rows]):
            nearest = [row["distance"] for row in await connection.fetch(exact, question)]
            near = [row["distance"] for row in await connection.fetch(walked, question)]
            found += sum(distance <= nearest[-1] + _TIE for distance in near)
    return found / max(1, _NEAREST * len(rows))


def _questions(vectors: list[HalfVector]) -> list[HalfVector]:
    rng = np.random.default_rng(len(vectors))
    questions = []
    for vector in vectors:
        direction = rng.normal(size=vector.dimensions())
        question = vector.to_numpy().astype(np.float32) + _AWAY * direction / np.linalg.norm(direction)
        questions.append(HalfVector(question / np.linalg.norm(question)))
    return questions
