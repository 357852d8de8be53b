"""Nothing is lost and nothing doubled, whatever is killed while documents are ingested."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from skillnet_cli.local.temporary import temporary_folder

from .corpus import EXAMPLES, GENERATED, Action, Source, build_sources, plan
from .outcome import (
    LiveDocument,
    broken_promises,
    differences,
    first_is_live,
    live_documents,
    lost_claims,
    unfinished,
    wait_until_finished,
)
from .running import Running, running_stack_in
from .strikes import VICTIMS, lose_streams, remove_streams, strike, strike_at_event, strike_at_upload

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]

ROUNDS = 2
QUESTION, ANSWERED_BY = "¿Cuándo se corta el agua en la tienda de Zafra?", "aviso-corte-de-agua.txt"
STORM_ROUNDS = 5


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder whose path has spaces and accents."""
    with temporary_folder("caos y ruido ñ", in_memory=True) as path:
        yield path


@pytest.fixture(scope="module")
def sources() -> list[Source]:
    """The files, the same bytes for every ingestion."""
    return build_sources()


@pytest.fixture(scope="module")
async def undisturbed(sources: list[Source]) -> dict[str, LiveDocument]:
    """What readers see after an ingestion that nothing disturbs."""
    return await _ingest_undisturbed(sources)


async def test_kill_9_of_everything_in_turn(
    folder: Path, sources: list[Source], undisturbed: dict[str, LiveDocument]
) -> None:
    choose = random.Random(2)  # noqa: S311 - no secret
    async with running_stack_in(folder) as running:
        first, *others = plan(sources)
        await strike_at_upload(running, first, choose)
        early, others = others[:12], others[12:]
        await _send_all(running, early)  # many events: the moment between sending one and noting it is short
        await strike_at_event(running)
        victims = VICTIMS * ROUNDS
        for victim, actions in zip(victims, _shares(others, len(victims)), strict=True):
            await _send_all(running, actions)
            await strike(running, victim, choose)
        await wait_until_finished(running)
        assert await lost_claims(running) > 0, "no kill hit a worker at work"
        await _assert_nothing_lost(running, sources, undisturbed)
        assert await running.best_document(QUESTION) == running.document_id(ANSWERED_BY)


async def test_every_stream_is_lost(
    folder: Path, sources: list[Source], undisturbed: dict[str, LiveDocument]
) -> None:
    """Once while the stack runs, once while all of it is dead, each time with documents under way."""
    first, second = sources[4:9], sources[9:14]
    async with running_stack_in(folder) as running:
        await _send_all(running, plan(first))
        await first_is_live(running)
        assert await unfinished(running)
        await lose_streams(running)
        await wait_until_finished(running)
        await _assert_nothing_lost(running, first, undisturbed)
        await _send_all(running, plan(second))
        assert await unfinished(running)
        await running.stack.kill()
    remove_streams(folder)
    async with running_stack_in(folder) as running:
        await wait_until_finished(running)
        await _assert_nothing_lost(running, [*first, *second], undisturbed)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", [11, 12, 13])
async def test_a_storm(folder: Path, seed: int) -> None:
    """Twice as many documents, several workers, kills in any order at any moment, in the middle of uploads too."""
    sources = build_sources(GENERATED * 2, sorted(path.name for path in EXAMPLES.iterdir()))
    undisturbed = await _ingest_undisturbed(sources)
    choose = random.Random(seed)  # noqa: S311 - no secret
    victims = list(VICTIMS * STORM_ROUNDS)
    choose.shuffle(victims)
    async with running_stack_in(folder, {"parser": 2, "embedder": 2, "dispatcher": 2}) as running:
        for victim, actions in zip(victims, _shares(plan(sources), len(victims)), strict=True):
            await asyncio.gather(_send_all(running, actions), strike(running, victim, choose))
        await wait_until_finished(running)
        await _assert_nothing_lost(running, sources, undisturbed)


async def _ingest_undisturbed(sources: Sequence[Source]) -> dict[str, LiveDocument]:
    with temporary_folder("calma", in_memory=True) as folder:
        async with running_stack_in(folder) as running:
            await _send_all(running, plan(sources))
            await wait_until_finished(running)
            assert await broken_promises(running, sources) == []
            return await live_documents(running)


async def _send_all(running: Running, actions: Sequence[Action]) -> None:
    for action in actions:
        await running.send(action)


async def _assert_nothing_lost(
    running: Running, sources: Sequence[Source], undisturbed: Mapping[str, LiveDocument]
) -> None:
    keys = {source.key for source in sources}
    expected = {key: document for key, document in undisturbed.items() if key in keys}
    broken = await broken_promises(running, sources)
    broken += differences(expected, await live_documents(running))
    assert not broken, "\n".join([*broken, running.log_tails()])


def _shares(actions: Sequence[Action], count: int) -> list[Sequence[Action]]:
    """The actions cut into `count` runs of nearly the same length."""
    return [actions[len(actions) * n // count : len(actions) * (n + 1) // count] for n in range(count)]
