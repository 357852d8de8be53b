"""Counting what organisations use: by transactions and by a meter, without waiting and without loss."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest
from tests.conftest import DatabaseUrls

from skillnet_common.contracts.usage import UsageKind
from skillnet_common.database import Database
from skillnet_common.usage import UsageMeter, add_usage, open_meter


async def counted(database: Database, org: UUID) -> dict[tuple[str, bool], int]:
    async with database.tenant(org) as connection:
        rows = await connection.fetch(
            "SELECT kind, estimated, sum(amount)::bigint AS n FROM usage_counts GROUP BY kind, estimated"
        )
    return {(row["kind"], row["estimated"]): row["n"] for row in rows}


async def test_a_meter_writes_regularly_and_at_its_end(database: Database, org: UUID, other_org: UUID) -> None:
    async with open_meter(database, seconds=0.02) as meter:
        meter.count(org, UsageKind.ASK)
        meter.count(org, UsageKind.ASK, 2)
        meter.count(org, UsageKind.LLM_PROMPT_TOKENS, 10, estimated=True)
        meter.count(org, UsageKind.LLM_PROMPT_TOKENS, 5)
        meter.count(other_org, UsageKind.SEARCH)
        assert await counted(database, org) == {}
        async with asyncio.timeout(30):
            while not await counted(database, other_org):  # noqa: ASYNC110 - the database's state
                await asyncio.sleep(0.01)
        meter.count(org, UsageKind.ASK)
        meter.count(org, UsageKind.CONTEXT, 0)
    assert await counted(database, org) == {
        ("ask", False): 4,
        ("llm_prompt_tokens", True): 10,
        ("llm_prompt_tokens", False): 5,
    }
    assert await counted(database, other_org) == {("search", False): 1}


async def test_what_cannot_be_written_is_kept(database: Database, database_urls: DatabaseUrls, org: UUID) -> None:
    closed = await Database.connect(database_urls.service, size=1)
    await closed.close()
    meter = UsageMeter(closed)
    meter.count(org, UsageKind.ASK, 3)
    await meter.flush()
    meter.count(org, UsageKind.ASK, 1)
    meter._database = database
    await meter.flush()
    await meter.flush()
    assert await counted(database, org) == {("ask", False): 4}


async def test_one_organisation_that_cannot_be_written_holds_up_no_other(database: Database, org: UUID) -> None:
    meter = UsageMeter(database)
    meter.count(uuid4(), UsageKind.ASK)  # of no organisation
    meter.count(org, UsageKind.ASK)
    await meter.flush()
    assert await counted(database, org) == {("ask", False): 1}


async def test_many_writers_lose_nothing_and_never_wait_for_each_other_in_a_circle(
    database: Database, org: UUID
) -> None:
    kinds = [UsageKind.PAGES_PARSED, UsageKind.EMBEDDING_TOKENS, UsageKind.ASK]

    async def write(number: int) -> None:
        order = kinds if number % 2 else kinds[::-1]
        async with database.tenant(org) as connection:
            await add_usage(connection, org, dict.fromkeys(order, number))

    await asyncio.gather(*(write(number) for number in range(1, 101)))
    assert await counted(database, org) == {(kind.value, False): 5_050 for kind in kinds}


async def test_a_transaction_that_fails_counts_nothing(database: Database, org: UUID) -> None:
    async def fail() -> None:
        async with database.tenant(org) as connection:
            await add_usage(connection, org, {UsageKind.ASK: 1})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await counted(database, org) == {}


async def test_a_counter_beyond_its_column_stays_at_the_most_and_holds_up_no_other(
    database: Database, org: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillnet_common.usage._SLOTS", 1)
    meter = UsageMeter(database)
    for amount in (10**30, 9 * 10**18, 5):
        meter.count(org, UsageKind.LLM_PROMPT_TOKENS, amount)
        meter.count(org, UsageKind.ASK)
        await meter.flush()
    assert await counted(database, org) == {("llm_prompt_tokens", False): 2**63 - 1, ("ask", False): 3}
