"""kill -9 of one process of a stack, at a moment when it is at work."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import asyncpg
import psutil

from skillnet_common.contracts.work import Stage
from skillnet_common.database.pool import CONNECTION_ERRORS

from .corpus import Action
from .running import Running

FORK_SERVER, CHILD = "parser's fork server", "parser's child"
WORKERS = {
    "parser": Stage.PARSE,
    FORK_SERVER: Stage.PARSE,
    CHILD: Stage.PARSE,
    "chunker": Stage.CHUNK,
    "embedder": Stage.EMBED,
}
VICTIMS = (*WORKERS, "dispatcher", "notifier", "gateway", "retriever", "nats", "postgres")
"""Everything that is killed."""

_BUSY_SECONDS = 5.0
_BACK_SECONDS = 60.0
_CLAIMED = "SELECT count(*) FROM work WHERE stage = $1 AND state = 'claimed'"
_HOLD_UNSENT = "SELECT FROM skillnet.outbox WHERE sent_at IS NULL FOR UPDATE"
_WAITS_FOR_LOCK = (
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dispatcher' AND wait_event_type = 'Lock'"
)


async def strike(running: Running, victim: str, choose: random.Random) -> None:
    """Kills the victim, in the middle of its work if it gets any soon; returns when it has been started again."""
    if victim in WORKERS:
        await _until_some(running, _CLAIMED, WORKERS[victim])
        await asyncio.sleep(choose.uniform(0, 0.05))
    if victim in (FORK_SERVER, CHILD):
        await _kill_below_parser(running, victim)
    else:
        await _kill(running, choose.choice(running.replicas(victim)))


async def strike_at_upload(running: Running, action: Action, choose: random.Random) -> None:
    """Kills the gateway while it takes the upload, which is then repeated. It may leave an original behind."""
    await _until(lambda: running.process("gateway").ready, "the gateway is not ready")
    upload = asyncio.create_task(running.send(action))
    await asyncio.sleep(choose.uniform(0, 0.02))
    await _kill(running, "gateway")
    await upload


async def strike_at_event(running: Running) -> None:
    """Kills the dispatcher after it has published an event and before it could note that."""
    async with asyncio.timeout(_BACK_SECONDS):
        holder, observer = await asyncpg.connect(running.admin_url), await asyncpg.connect(running.admin_url)
        try:
            async with holder.transaction():
                while not await holder.fetch(_HOLD_UNSENT):  # noqa: ASYNC110 - other processes write them
                    await asyncio.sleep(0.002)
                while not await observer.fetchval(_WAITS_FOR_LOCK):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                await _kill(running, "dispatcher")
        finally:
            await holder.close()
            await observer.close()


async def _kill(running: Running, name: str) -> None:
    await _until(lambda: running.process(name).pid is not None, f"{name} does not run")
    before = running.process(name)
    os.kill(before.pid or 0, signal.SIGKILL)
    await _until(lambda: running.process(name).restarts > before.restarts, f"{name} was not started again")


async def lose_streams(running: Running) -> None:
    """Kills nats-server and removes its store before it comes back."""
    before = running.process("nats")
    os.kill(before.pid or 0, signal.SIGSTOP)
    remove_streams(running.folder)
    os.kill(before.pid or 0, signal.SIGKILL)
    await _until(lambda: running.process("nats").restarts > before.restarts, "nats-server was not started again")


def remove_streams(folder: Path) -> None:
    """Removes all that nats-server keeps of the data folder's stack."""
    shutil.rmtree(folder / "nats" / "jetstream")


async def _until_some(running: Running, count: str, *arguments: object) -> None:
    """Waits a moment until the database counts any; there may be none left."""
    try:
        async with asyncio.timeout(_BUSY_SECONDS):
            while True:
                async with running.database.tenant(running.org) as connection:
                    if await connection.fetchval(count, *arguments):
                        return
                await asyncio.sleep(0.002)
    except (TimeoutError, *CONNECTION_ERRORS):
        return


async def _kill_below_parser(running: Running, victim: str) -> None:
    """Kills the fork server, or a process that parses a file as soon as there is one; there may be none."""
    deadline = asyncio.get_running_loop().time() + _BUSY_SECONDS
    while asyncio.get_running_loop().time() < deadline:
        try:
            found = _below(running.process("parser").pid, victim)
            for process in found:
                process.kill()
        except psutil.NoSuchProcess:  # it ended by itself: the next one then
            found = []
        if found:
            return
        await asyncio.sleep(0.002)


def _below(pid: int | None, victim: str) -> list[psutil.Process]:
    servers = psutil.Process(pid or 0).children()
    return servers if victim == FORK_SERVER else [child for server in servers for child in server.children()]


async def _until(condition: Callable[[], bool], otherwise: str) -> None:
    try:
        async with asyncio.timeout(_BACK_SECONDS):
            while not condition():  # noqa: ASYNC110 - other processes change it
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(otherwise) from None
