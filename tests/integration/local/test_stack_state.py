"""state.json, the default data folder, and free ports."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from skillnet_cli.local import accounts, data_folder
from skillnet_cli.local.data_folder import default_data_folder
from skillnet_cli.local.folder_lock import FolderLock, is_locked
from skillnet_cli.local.ports import HOST, free_port, is_free
from skillnet_cli.local.service_process import ProcessStatus
from skillnet_cli.local.state import (
    STACK_LOCK,
    Phase,
    StackState,
    remove_state,
    running_stack,
    state_path,
    write_state,
)
from skillnet_cli.local.temporary import temporary_folder
from skillnet_common.errors import ErrorCode, SkillnetError

ADDRESS = "http://127.0.0.1:20000"


def test_a_running_stack_is_found(folder: Path) -> None:
    assert running_stack(folder) is None
    lock = FolderLock(folder, STACK_LOCK, "SkillNet")
    lock.acquire()
    processes = (ProcessStatus("gateway", 1, 2, True, 3),)
    state = StackState(os.getpid(), 1.5, Phase.READY, ADDRESS, processes, {"NATS_URL": "nats://x"})
    write_state(folder, state)
    assert running_stack(folder) == state
    assert stat.S_IMODE(state_path(folder).stat().st_mode) == 0o600
    assert "nats://x" not in repr(state)
    remove_state(folder)
    assert running_stack(folder) is None
    lock.release()


def test_the_state_of_a_dead_stack_is_cleaned(folder: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path\n"
        "from skillnet_cli.local.folder_lock import FolderLock\n"
        "from skillnet_cli.local.state import *\n"
        "folder = Path(sys.argv[1])\n"
        "FolderLock(folder, STACK_LOCK, 'SkillNet').acquire()\n"
        "write_state(folder, StackState.of_this_process(Phase.READY, 'http://127.0.0.1:20000'))\n"
        "print(running_stack(folder).pid, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert int(owner.stdout.readline()) == owner.pid
        running = running_stack(folder)
        assert running is not None
        assert running.pid == owner.pid
        owner.kill()
    assert running_stack(folder) is None
    assert not state_path(folder).exists()


def test_the_process_id_of_a_dead_stack_may_belong_to_another_program(folder: Path) -> None:
    write_state(folder, StackState.of_this_process(Phase.READY, ADDRESS))  # this process holds no lock
    assert running_stack(folder) is None


def test_the_state_of_another_release_is_a_clear_error(folder: Path) -> None:
    lock = FolderLock(folder, STACK_LOCK, "SkillNet")
    lock.acquire()
    state_path(folder).write_text('{"format": 99}', encoding="utf-8")
    with pytest.raises(SkillnetError, match="format 99"):
        running_stack(folder)
    lock.release()


def test_asking_who_runs_does_not_disturb_a_start(folder: Path) -> None:
    lock = FolderLock(folder, STACK_LOCK, "SkillNet")
    lock.acquire()
    lock.release()
    with (folder / STACK_LOCK).open() as asker:
        fcntl.flock(asker, fcntl.LOCK_SH)
        threading.Timer(0.1, fcntl.flock, (asker, fcntl.LOCK_UN)).start()
        lock.acquire()
    assert is_locked(folder, STACK_LOCK)
    lock.release()
    assert not is_locked(folder, STACK_LOCK)


def test_a_lock_has_one_owner_until_it_is_released(folder: Path) -> None:
    first, second = (FolderLock(folder, "stack.lock", "SkillNet") for _ in range(2))
    first.acquire()
    with pytest.raises(SkillnetError, match=rf"SkillNet already runs in .*process {os.getpid()}") as caught:
        second.acquire()
    assert caught.value.code == ErrorCode.ALREADY_RUNNING
    assert not second.held
    first.release()
    second.acquire()
    assert second.held
    second.release()


@pytest.mark.parametrize("in_memory", [True, False])
def test_the_temporary_folder_of_a_killed_process_is_removed_by_the_next(in_memory: bool) -> None:
    script = (
        "import sys; from skillnet_cli.local.temporary import temporary_folder\n"
        f"with temporary_folder('abandoned', in_memory={in_memory}) as folder:\n"
        "    print(folder, flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        abandoned = Path(owner.stdout.readline().strip())
        with temporary_folder(in_memory=in_memory):
            assert abandoned.exists()
        owner.kill()
    with temporary_folder(in_memory=in_memory) as folder:
        assert folder.exists()
        assert not abandoned.exists()
    assert not folder.exists()


def test_the_data_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"SKILLNET_HOME": "/srv/a b", "XDG_DATA_HOME": "/xdg", "HOME": "/home/ana"}
    assert default_data_folder(chosen) == Path("/srv/a b")
    assert default_data_folder({"XDG_DATA_HOME": "/xdg", "HOME": "/home/ana"}) == Path("/xdg/skillnet")
    monkeypatch.setattr(data_folder, "running_as_root", lambda: False)
    assert default_data_folder({"HOME": "/home/ana"}) == Path("/home/ana/.local/share/skillnet")


@pytest.mark.skipif(not accounts.running_as_root(), reason="about root's private home")
def test_root_with_a_private_home_keeps_data_in_a_system_folder(folder: Path) -> None:
    home = folder / "root"
    home.mkdir(mode=0o700)
    assert default_data_folder({"HOME": str(home)}) == Path("/var/lib/skillnet")
    home.chmod(0o755)
    assert default_data_folder({"HOME": str(home)}) == home / ".local" / "share" / "skillnet"


def test_a_taken_port_is_not_offered() -> None:
    with socket.create_server((HOST, 0)) as listener:
        taken = listener.getsockname()[1]
        assert not is_free(taken)
        assert free_port(taken) != taken
    assert free_port(taken) == taken
