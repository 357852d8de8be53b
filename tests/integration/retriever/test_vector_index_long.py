"""The largest tenant the system is measured for: 200,000 chunks, beside one of 50,000 and small ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import pytest
from benchmarks.topics import FILTERS, TopicalTenant, topical_tenant
from tests.integration.retriever.topical import CANDIDATES, Topical, recall, topical

from skillnet_bootstrap.vector_indexes import BuildSettings
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.database.vector_indexes import ExactSettings

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]

TENANTS = [topical_tenant(size, questions=30) for size in (10, 1_000, 50_000, 200_000)]
LEFT: dict[str, Callable[[int, int], bool]] = {
    "none": lambda _n, _page: True,
    "98 % of the documents": lambda n, _page: n % 50 > 0,
    "80 % of the documents": lambda n, _page: n % 5 > 0,
    "half of the documents": lambda n, _page: n % 2 == 0,
    "half of the topics": lambda n, _page: n // 20 % 2 == 0,
    "1 % of the documents": lambda n, _page: n % 100 == 0,
    "90 % of each document": lambda _n, page: page >= 6,
    "half of each document": lambda _n, page: page >= 26,
}


@pytest.fixture(scope="module")
async def world(postgres: EmbeddedPostgres) -> AsyncIterator[Topical]:
    """Built with the settings of a deployment."""
    async with topical(postgres, *TENANTS, exact_chunks=ExactSettings().exact_chunks) as made:
        defaults = BuildSettings(made.exact_chunks)
        outcomes = await made.maintain(links=defaults.links, effort=defaults.effort)
        assert sorted(one.chunks for one in outcomes if one.action == "built") == [50_000, 200_000]
        yield made


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("tenant", TENANTS, ids=lambda tenant: str(len(tenant.vectors)))
async def test_every_size_with_every_filter(world: Topical, tenant: TopicalTenant, name: str) -> None:
    scope = [i for i in range(len(tenant.vectors)) if LEFT[name](i // 50, i % 50 + 1)]
    found = await world.found(tenant, FILTERS[name])
    assert {len(ids) for ids in found} == {min(CANDIDATES, len(scope))}
    if scope:
        assert recall(tenant, found, scope) >= 0.98
