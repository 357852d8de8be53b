"""Following a document by Server-Sent Events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from skillnet_common.auth import Scope, new_key, store_key
from skillnet_common.contracts.progress import ProgressEvent
from skillnet_common.database import Database
from skillnet_gateway.progress import ProgressStreams

from .conftest import RunGateway, RunningGateway
from .reading import read_version
from .test_http_documents import fail, make_live, put

QUICK = {"progress_poll_seconds": 0.02, "ask_heartbeat_seconds": 0.05}


@pytest.fixture
async def quick(run_gateway: RunGateway, tmp_path: Path) -> AsyncIterator[RunningGateway]:
    async with run_gateway(tmp_path, **QUICK) as running:
        yield running


class Following:
    """A stream being read."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._lines = response.aiter_lines()

    async def event(self) -> ProgressEvent | None:
        """The next event; None where the stream has ended."""
        async with asyncio.timeout(30):
            async for line in self._lines:
                if line.startswith("data: "):
                    return ProgressEvent.model_validate_json(line.removeprefix("data: "))
        return None

    async def until(self, state: str) -> ProgressEvent:
        """The first event in the state."""
        while (event := await self.event()) is not None:
            if event.state == state:
                return event
        raise AssertionError(f"it ended without {state}")


@asynccontextmanager
async def following(http: httpx.AsyncClient, document_id: str, last: str | None = None) -> AsyncIterator[Following]:
    headers = {"Last-Event-ID": last} if last else {}
    async with http.stream("GET", f"/v1/documents/{document_id}/progress", headers=headers) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        yield Following(response)


def streams_of(gateway: RunningGateway) -> ProgressStreams:
    progress: ProgressStreams = gateway.api.state.gateway.progress
    return progress


async def has_streams(gateway: RunningGateway, number: int) -> None:
    async with asyncio.timeout(30):
        while streams_of(gateway).open_streams != number:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)


async def test_every_stage_is_told_until_the_version_is_ready(
    quick: RunningGateway, api_key: str, database: Database, org: UUID
) -> None:
    async with quick.client(api_key) as http:
        document_id = (await put(http, "a.pdf"))["document_id"]
        async with following(http, document_id) as stream:
            first = await stream.until("uploaded")
            assert (first.kind, first.version) == ("progress", 1)
            assert first.progress is not None
            assert first.progress.stage == "parse"
            await read_version(database, org, document_id, 1)
            assert (await stream.until("parsed")).progress is not None
            await make_live(database, org, document_id, 1)
            last = await stream.until("ready")
            assert (last.kind, last.ending, last.progress) == ("ended", "ready", None)
            assert await stream.event() is None
    await has_streams(quick, 0)


async def test_how_it_failed_was_cancelled_or_deleted(
    quick: RunningGateway, api_key: str, database: Database, org: UUID
) -> None:
    async with quick.client(api_key) as http:
        ids = [(await put(http, f"{n}.pdf"))["document_id"] for n in range(3)]

        async def ended(document_id: str) -> ProgressEvent:
            async with following(http, document_id) as stream:
                events = []
                while (event := await stream.event()) is not None:
                    events.append(event)
            return events[-1]

        waiting = [asyncio.create_task(ended(one)) for one in ids]
        await has_streams(quick, 3)
        await fail(database, org, ids[0], 1)
        await http.post(f"/v1/documents/{ids[1]}/versions/1/cancel")
        await http.delete(f"/v1/documents/{ids[2]}")
        failed, cancelled, deleted = await asyncio.gather(*waiting)
    assert failed.failure is not None
    assert (failed.ending, failed.failure.code) == ("failed", "password_required")
    assert (cancelled.ending, cancelled.state) == ("cancelled", "cancelled")
    assert (deleted.kind, deleted.ending, deleted.state) == ("ended", "deleted", None)


async def test_a_reader_goes_on_where_it_was(
    quick: RunningGateway, api_key: str, database: Database, org: UUID
) -> None:
    async with quick.client(api_key) as http:
        document_id = (await put(http, "a.pdf"))["document_id"]
        async with following(http, document_id) as stream:
            seen = (await stream.until("uploaded")).event_id
        async with following(http, document_id, last=seen) as stream:
            await read_version(database, org, document_id, 1)
            event = await stream.event()
            assert event is not None
            assert event.event_id != seen
        await make_live(database, org, document_id, 1)
        async with following(http, document_id, last="no such event") as stream:
            last = await stream.event()
            assert last is not None
            assert last.kind == "ended"
        again = await http.get(f"/v1/documents/{document_id}/progress", headers={"Last-Event-ID": last.event_id})
        assert (again.status_code, again.content) == (204, b"")
        await put(http, "a.pdf", b"dos")
        async with following(http, document_id, last=last.event_id) as stream:
            assert (await stream.until("uploaded")).version == 2


async def test_silence_is_filled_with_comments(quick: RunningGateway, api_key: str) -> None:
    async with quick.client(api_key) as http:
        document_id = (await put(http, "a.pdf"))["document_id"]
        async with http.stream("GET", f"/v1/documents/{document_id}/progress") as response, asyncio.timeout(30):
            async for line in response.aiter_lines():
                if line == ": heartbeat":
                    break


async def test_streams_are_bounded_and_a_reader_that_leaves_makes_room(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, database: Database, other_org: UUID
) -> None:
    key = new_key()
    await store_key(database, other_org, key, name="otra")
    limits = {"progress_streams": 3, "progress_streams_per_organization": 2}
    async with (
        run_gateway(tmp_path, **QUICK, **limits) as running,
        running.client(api_key) as http,
        running.client(key) as other,
    ):
        mine = (await put(http, "a.pdf"))["document_id"]
        theirs = (await put(other, "a.pdf"))["document_id"]
        for _ in range(3):
            async with following(http, mine), following(http, mine):
                refused = await http.get(f"/v1/documents/{mine}/progress")
                assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
                assert refused.headers["retry-after"]
                async with following(other, theirs):
                    assert (await other.get(f"/v1/documents/{theirs}/progress")).status_code == 503
            await has_streams(running, 0)


async def test_a_stream_ends_by_itself_after_a_while_and_when_the_gateway_stops(
    run_gateway: RunGateway, tmp_path: Path, api_key: str
) -> None:
    brief = run_gateway(tmp_path / "a", **QUICK, progress_stream_seconds=0.1)
    async with brief as running, running.client(api_key) as http:
        document_id = (await put(http, "a.pdf"))["document_id"]
        async with following(http, document_id) as stream:
            while (event := await stream.event()) is not None:
                assert event.kind == "progress"
    slow = run_gateway(tmp_path / "b", progress_poll_seconds=60)
    async with slow as running, running.client(api_key) as http, following(http, document_id) as stream:
        assert await stream.event() is not None
        streams_of(running).close()
        assert await stream.event() is None


async def test_no_connection_is_held_between_looks(
    run_gateway: RunGateway, tmp_path: Path, api_key: str, database: Database
) -> None:
    """More streams than the pool has connections, each in its pause."""
    async with run_gateway(tmp_path, progress_poll_seconds=60) as running, running.client(api_key) as http:
        document_id = (await put(http, "a.pdf"))["document_id"]
        held = [following(http, document_id) for _ in range(15)]
        for one in held:
            assert await (await one.__aenter__()).event() is not None
        async with asyncio.timeout(30):
            assert (await http.get(f"/v1/documents/{document_id}")).status_code == 200
        for one in reversed(held):
            await one.__aexit__(None, None, None)
        await has_streams(running, 0)


async def test_a_key_of_other_groups_follows_nothing(
    quick: RunningGateway, api_key: str, database: Database, org: UUID
) -> None:
    key = new_key()
    await store_key(database, org, key, name="obrador", audience=["obrador"])
    async with quick.client(api_key) as http, quick.client(key) as limited:
        document_id = (await put(http, "a.pdf", audience="caja"))["document_id"]
        assert (await limited.get(f"/v1/documents/{document_id}/progress")).status_code == 404
        shared = (await put(http, "b.pdf"))["document_id"]
        async with following(limited, shared) as stream:
            assert await stream.event() is not None
            await http.patch(f"/v1/documents/{shared}", json={"audience": ["caja"]})
            while (event := await stream.event()) is not None and event.kind == "progress":
                pass
            assert event is not None
            assert event.ending == "deleted"


async def test_a_stream_of_a_key_that_is_revoked_ends(
    quick: RunningGateway, api_key: str, database: Database, org: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillnet_common.auth._CACHE_SECONDS", 0.1)
    key = new_key()
    await store_key(database, org, key, name="lectora", scopes=[Scope.READ])
    async with quick.client(api_key) as http, quick.client(key) as reader:
        document_id = (await put(http, "a.pdf"))["document_id"]
        async with following(reader, document_id) as stream:
            await stream.until("uploaded")
            async with database.tenant(org) as connection:
                await connection.execute("UPDATE api_keys SET revoked_at = now() WHERE name = 'lectora'")
            event = await stream.event()
            assert event is not None
            assert event.problem is not None
            assert (event.kind, event.problem.code) == ("error", "unauthorized")
            assert await stream.event() is None
    await has_streams(quick, 0)
