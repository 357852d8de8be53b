"""Downloads over connections that break: whole and verified, or nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest

from skillnet_client import AsyncSkillnetClient, RetryPolicy, SkillnetApiError, SkillnetClient, UploadOptions

from .conftest import RunningGateway

CONTENT = bytes(range(256)) * 1_000


class Breaking:
    """A proxy that cuts every connection after so many bytes of replies, `times` times."""

    def __init__(self, port: int, after: int, times: int) -> None:
        self._port = port
        self._after = after
        self.left = times
        self.connections = 0

        self.tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        self.connections += 1
        upstream, to_upstream = await asyncio.open_connection("127.0.0.1", self._port)
        pump = asyncio.create_task(_copy(reader, to_upstream))
        try:
            await self._reply(upstream, writer)
        finally:
            pump.cancel()
            for one in (to_upstream, writer):
                one.transport.abort()
            await asyncio.wait({pump})

    async def _reply(self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent, cut = 0, self.left > 0
        with contextlib.suppress(ConnectionError):
            while data := await upstream.read(16_384):
                writer.write(data)
                await writer.drain()
                sent += len(data)
                if cut and sent >= self._after:
                    self.left -= 1
                    writer.close()
                    await writer.wait_closed()
                    return


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)


@contextlib.asynccontextmanager
async def breaking(gateway: RunningGateway, *, after: int, times: int) -> AsyncIterator[tuple[str, Breaking]]:
    proxy = Breaking(int(gateway.url.rsplit(":", 1)[1]), after, times)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", proxy
    for task in proxy.tasks:
        task.cancel()
    await asyncio.gather(*proxy.tasks, return_exceptions=True)


async def download(kind: str, url: str, key: str, document_id: UUID, target: Path) -> None:
    retry = RetryPolicy(retries=4, first_delay=0.01)
    if kind == "sync":
        with SkillnetClient(url, key, retry=retry) as client:
            await asyncio.to_thread(client.original, document_id, target)
    else:
        async with AsyncSkillnetClient(url, key, retry=retry) as aclient:
            await aclient.original(document_id, target)


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture
async def document_id(gateway: RunningGateway, api_key: str) -> UUID:
    async with AsyncSkillnetClient(gateway.url, api_key) as client:
        return (await client.upload(CONTENT, UploadOptions(filename="a.md"))).document_id


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_a_broken_download_goes_on_where_it_broke(
    gateway: RunningGateway, api_key: str, document_id: UUID, tmp_path: Path, kind: str
) -> None:
    async with breaking(gateway, after=80_000, times=3) as (url, proxy):
        await download(kind, url, api_key, document_id, tmp_path / "a.md")
    assert (tmp_path / "a.md").read_bytes() == CONTENT
    assert proxy.left == 0, "each connection brought a part"
    assert names_in(tmp_path) == ["a.md"]


@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_nothing_is_left_of_a_download_that_fails(
    gateway: RunningGateway, api_key: str, document_id: UUID, tmp_path: Path, kind: str
) -> None:
    target = tmp_path / "a.md"
    target.write_bytes(b"was here")
    async with breaking(gateway, after=100, times=99) as (url, _):
        with pytest.raises(SkillnetApiError) as error:
            await download(kind, url, api_key, document_id, target)
    assert error.value.code == "unavailable"
    assert target.read_bytes() == b"was here"
    assert names_in(tmp_path) == ["a.md"]


async def test_a_file_that_is_not_what_was_uploaded(
    gateway: RunningGateway, api_key: str, org: UUID, document_id: UUID, tmp_path: Path
) -> None:
    stored = next(path for path in gateway.stored() if str(org) in path.as_posix())
    stored.write_bytes(b"x" + CONTENT[1:])
    with pytest.raises(SkillnetApiError) as error:
        await download("sync", gateway.url, api_key, document_id, tmp_path / "a.md")
    assert error.value.code == "internal_error"
    assert names_in(tmp_path) == []
