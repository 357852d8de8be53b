"""The child process: bounded, killable, and gone whatever ends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from skillnet_common.errors import ErrorCode, PassingFault, PermanentFault
from skillnet_parser import forks
from skillnet_parser.formats.sniff import FileType
from skillnet_parser.limits import MEBIBYTE, ParseLimits
from skillnet_parser.sandbox import Sandbox, parse_file

LIMITS = ParseLimits(wall_seconds=30)


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A file whose reading never ends: a pipe that nobody writes to."""
    path = tmp_path / "endless"
    os.mkfifo(path)
    return path


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "nota.md"
    path.write_text("# Aviso\n\nMañana se cierra a las tres.\n")
    return path


def servers() -> list[psutil.Process]:
    """The fork servers of this process, zombies among them."""
    return [process for process in psutil.Process().children() if is_fork_server(process)]


def children() -> list[psutil.Process]:
    """The parsers that the fork servers have forked, zombies among them."""
    found = []
    for server in servers():
        with contextlib.suppress(psutil.NoSuchProcess):
            found += server.children(recursive=True)
    return found


def is_fork_server(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE or "skillnet_parser.fork_server" in process.cmdline()
    except psutil.ZombieProcess:
        return True
    except psutil.NoSuchProcess:
        return False


def open_files(process: psutil.Process) -> list[str]:
    """What the process's descriptors stand for, each socket and pipe by its own number."""
    found = []
    for entry in Path(f"/proc/{process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the one that the listing itself was read from
            found.append(str(entry.readlink()))
    return found


async def wait_until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - another process changes it
            await asyncio.sleep(0.02)


async def code_of(path: Path, limits: ParseLimits) -> ErrorCode:
    with pytest.raises(PermanentFault) as caught:
        await parse_file(path, path.name, limits)
    return caught.value.code


async def test_a_document_comes_back_whole(note: Path) -> None:
    document = await parse_file(note, "nota.md", LIMITS)
    assert document.text == "Aviso\n\nMañana se cierra a las tres."
    assert document.sections[1].path == ("Aviso",)
    assert children() == []


async def test_a_fault_of_the_file_comes_back_with_code_and_details(tmp_path: Path) -> None:
    path = tmp_path / "foto"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    with pytest.raises(PermanentFault) as caught:
        await parse_file(path, "foto.png", LIMITS)
    assert caught.value.code is ErrorCode.UNSUPPORTED_TYPE
    assert caught.value.details == {"supported": [kind for kind in FileType if kind is not FileType.COURSE]}


async def test_a_file_that_is_gone(tmp_path: Path) -> None:
    assert await code_of(tmp_path / "nada.pdf", LIMITS) is ErrorCode.ORIGINAL_MISSING


async def test_progress_is_told_and_a_chatty_library_does_no_harm(tmp_path: Path, sheet: Any, lorem: str) -> None:
    for _ in range(12):
        sheet.prose(lorem)
        # A grid makes PyMuPDF look for tables, when it prints an advertisement to standard output.
        for step in range(4):
            sheet.page.draw_line((72, 300 + 30 * step), (400, 300 + 30 * step))
            sheet.page.draw_line((72 + 100 * step, 300), (72 + 100 * step, 390))
        sheet.turn()
    path = tmp_path / "a.pdf"
    path.write_bytes(sheet.data())
    steps: list[tuple[int, int]] = []
    document = await parse_file(path, "a.pdf", LIMITS, lambda done, total: steps.append((done, total)))
    assert document.page_count == 13
    assert steps == [(0, 13), (10, 13), (13, 13)]


async def test_wall_time_ends_a_hang(endless: Path) -> None:
    started = time.monotonic()
    assert await code_of(endless, ParseLimits(wall_seconds=0.5)) is ErrorCode.PARSE_TIMEOUT
    assert time.monotonic() - started < 20
    assert children() == []


async def test_processor_time_ends_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "largo.md"
    path.write_text("[a](" * 60_000 + "\n\n" + "*a _b " * 200_000)
    assert await code_of(path, ParseLimits(wall_seconds=60, cpu_seconds=1)) is ErrorCode.PARSE_TIMEOUT


async def test_memory_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "largo.txt"
    path.write_text("palabra y punto.\n\n" * 2_000_000)
    limits = ParseLimits(wall_seconds=60, memory_bytes=300 * MEBIBYTE)
    assert await code_of(path, limits) is ErrorCode.PARSE_MEMORY


async def test_the_result_is_bounded(note: Path) -> None:
    assert await code_of(note, ParseLimits(max_output_bytes=100)) is ErrorCode.DOCUMENT_TOO_LARGE


async def test_a_crash_is_told_from_a_timeout(endless: Path) -> None:
    task = asyncio.create_task(code_of(endless, LIMITS))
    await wait_until(lambda: bool(children()))
    children()[0].send_signal(signal.SIGSEGV)
    assert await task is ErrorCode.PARSER_CRASHED
    assert children() == []


async def test_a_child_killed_from_outside_is_a_passing_fault(endless: Path) -> None:
    task = asyncio.create_task(parse_file(endless, "a.pdf", LIMITS))
    await wait_until(lambda: bool(children()))
    children()[0].kill()
    with pytest.raises(PassingFault) as caught:
        await task
    assert caught.value.code is ErrorCode.UNAVAILABLE


async def test_cancelling_the_task_kills_the_child(endless: Path) -> None:
    task = asyncio.create_task(parse_file(endless, "a.pdf", LIMITS))
    await wait_until(lambda: bool(children()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == []


def test_the_child_dies_with_a_killed_parent(endless: Path) -> None:
    script = (
        "import asyncio, sys\nfrom pathlib import Path\n"
        "from skillnet_parser.limits import ParseLimits\nfrom skillnet_parser.sandbox import parse_file\n"
        "asyncio.run(parse_file(Path(sys.argv[1]), 'a.pdf', ParseLimits()))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(endless)]) as parent:
        deadline = time.monotonic() + 20
        found: list[psutil.Process] = []
        while len(found) < 2 and time.monotonic() < deadline:
            found = psutil.Process(parent.pid).children(recursive=True)
            time.sleep(0.02)
        parent.kill()
    gone, alive = psutil.wait_procs(found, timeout=20)
    assert (len(gone), alive) == (2, [])


async def test_the_child_sees_no_secrets(endless: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    task = asyncio.create_task(parse_file(endless, "a.pdf", LIMITS))
    await wait_until(lambda: bool(children()))
    environment = children()[0].environ()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert "DATABASE_URL" not in environment


async def test_nothing_is_left_in_the_file_system(note: Path, tmp_path: Path) -> None:
    await parse_file(note, "nota.md", LIMITS)
    assert [entry.name for entry in tmp_path.iterdir()] == [note.name]  # noqa: ASYNC240 - one small folder


async def test_the_child_is_bounded_and_leads_a_session_of_its_own(endless: Path) -> None:
    limits = ParseLimits(wall_seconds=30, cpu_seconds=7, memory_bytes=700 * MEBIBYTE)
    task = asyncio.create_task(parse_file(endless, "a.pdf", limits))
    await wait_until(lambda: bool(children()) and children()[0].rlimit(resource.RLIMIT_NOFILE) == (64, 64))
    (child,) = children()
    found = [child.rlimit(kind) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_AS, resource.RLIMIT_FSIZE)]
    session = os.getsid(child.pid)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert found == [(7, 8), (700 * MEBIBYTE, 700 * MEBIBYTE), (0, 0)]
    assert session == child.pid


async def test_the_child_holds_no_file_of_the_server_or_of_another_child(endless: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        tasks = [asyncio.create_task(sandbox.parse_file(endless, "a.pdf")) for _ in range(2)]
        await wait_until(lambda: len([c for c in children() if c.rlimit(resource.RLIMIT_NOFILE) == (64, 64)]) == 2)
        (server,) = servers()
        of_server, of_first, of_second = (
            {name for name in open_files(process) if name.startswith(("socket:", "pipe:", "anon_inode:"))}
            for process in (server, *children())
        )
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    shared = set(open_files(psutil.Process()))  # the server's standard error is ours
    assert len(of_first) == len(of_second) == 2
    assert of_first & of_second == set()
    assert (of_first | of_second) & (of_server - shared) == set()


async def test_a_file_leaves_nothing_for_the_next(note: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        for _ in range(3):
            assert (await sandbox.parse_file(note, "nota.md")).title == "Aviso"
            assert children() == []
        (server,) = servers()
        before = len(open_files(server))
        for _ in range(5):
            await sandbox.parse_file(note, "nota.md")
        assert len(open_files(server)) == before
    assert servers() == []


async def test_a_fork_server_that_was_killed_is_started_anew(note: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        (first,) = servers()
        first.kill()
        await wait_until(lambda: not first.is_running() or first.status() == psutil.STATUS_ZOMBIE)
        assert (await sandbox.parse_file(note, "nota.md")).title == "Aviso"
        (second,) = servers()
        assert second.pid != first.pid
    assert servers() == []


async def test_children_die_with_the_fork_server_which_passes(endless: Path, note: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        task = asyncio.create_task(sandbox.parse_file(endless, "a.pdf"))
        await wait_until(lambda: bool(children()))
        (child,) = children()
        servers()[0].kill()
        with pytest.raises(PassingFault) as caught:
            await task
        assert caught.value.code is ErrorCode.UNAVAILABLE
        await wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
        assert (await sandbox.parse_file(note, "nota.md")).title == "Aviso"


async def test_a_fork_server_that_hangs_is_replaced(
    endless: Path, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "_ANSWER_SECONDS", 0.5)
    async with Sandbox(LIMITS) as sandbox:
        task = asyncio.create_task(sandbox.parse_file(endless, "a.pdf"))
        await wait_until(lambda: bool(children()))
        (child,) = children()
        servers()[0].suspend()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
        assert (await sandbox.parse_file(note, "nota.md")).title == "Aviso"


async def test_a_child_ends_while_others_go_on(endless: Path, note: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        task = asyncio.create_task(sandbox.parse_file(endless, "a.pdf"))
        await wait_until(lambda: bool(children()))
        assert (await sandbox.parse_file(note, "nota.md")).title == "Aviso"
        assert len(children()) == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert children() == []


async def test_files_are_parsed_side_by_side(note: Path) -> None:
    async with Sandbox(LIMITS) as sandbox:
        documents = await asyncio.gather(*(sandbox.parse_file(note, "nota.md") for _ in range(4)))
        assert children() == []
    assert {document.title for document in documents} == {"Aviso"}
