"""Two legs at a time: both results, or one fault with nothing left at work."""

from __future__ import annotations

import asyncio

import pytest

from skillnet_retriever.corpus import side_by_side


async def test_both_results_come_in_order() -> None:
    async def slow() -> str:
        await asyncio.sleep(0.01)
        return "slow"

    async def quick() -> str:
        return "quick"

    assert await side_by_side(slow(), quick()) == ("slow", "quick")
    assert await side_by_side(quick(), slow()) == ("quick", "slow")


async def test_a_fault_of_the_first_ends_the_second_before_it_goes_on() -> None:
    ended = asyncio.Event()

    async def fails() -> str:
        await asyncio.sleep(0)
        raise ConnectionError("cut")

    async def works() -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        return "never"

    with pytest.raises(ConnectionError, match="cut"):
        await side_by_side(fails(), works())
    assert ended.is_set()


async def test_a_fault_of_the_second_is_the_fault_of_both() -> None:
    async def fails() -> str:
        raise ConnectionError("cut")

    async def works() -> str:
        await asyncio.sleep(0.01)
        return "done"

    with pytest.raises(ConnectionError, match="cut"):
        await side_by_side(works(), fails())
