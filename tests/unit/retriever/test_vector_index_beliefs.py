"""The catalog is asked for a tenant's index now and then, not with every question."""

from __future__ import annotations

from typing import Any, cast
from uuid import uuid4

import pytest

from skillnet_common.database.pool import Connection
from skillnet_common.database.vector_indexes import index_name
from skillnet_retriever import vector_indexes
from skillnet_retriever.statements import Indexed
from skillnet_retriever.vector_indexes import VectorIndexes


class Catalog:
    """Knows some names, and remembers which it was asked for."""

    def __init__(self, *names: str) -> None:
        self.names = set(names)
        self.asked: list[str] = []

    async def fetchval(self, _sql: str, name: str) -> bool:
        """Whether there is such an index."""
        self.asked.append(name)
        return name in self.names


async def ask(indexes: VectorIndexes, catalog: Catalog, org: Any) -> Indexed | None:
    return await indexes.of(cast(Connection, catalog), org, 384)


async def test_each_tenant_is_asked_for_once_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_000.0
    monkeypatch.setattr("skillnet_retriever.vector_indexes.time.monotonic", lambda: now)
    large, small = uuid4(), uuid4()
    catalog = Catalog(index_name(7, large))
    indexes = VectorIndexes(7, 20_000)
    for _ in range(3):
        assert await ask(indexes, catalog, large) == Indexed(384, 20_000)
        assert await ask(indexes, catalog, small) is None
    assert catalog.asked == [index_name(7, large), index_name(7, small)]
    catalog.names = {index_name(7, small)}
    now += 61
    assert await ask(indexes, catalog, large) is None
    assert await ask(indexes, catalog, small) == Indexed(384, 20_000)


async def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_indexes, "_REMEMBERED", 2)
    catalog = Catalog()
    indexes = VectorIndexes(7, 20_000)
    first = uuid4()
    for org in (first, uuid4(), uuid4(), first):
        await ask(indexes, catalog, org)
    assert catalog.asked.count(index_name(7, first)) == 2
