"""state.json, the default data folder, and free ports."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from skillnet_cli.local import accounts, data_folder
from skillnet_cli.local.data_folder import default_data_folder
from skillnet_cli.local.folder_lock import FolderLock
from skillnet_cli.local.ports import HOST, free_port, is_free
from skillnet_cli.local.service_process import ProcessStatus
from skillnet_cli.local.state import (
    Phase,
    StackState,
    remove_state,
    running_stack,
    state_path,
    write_state,
)
from skillnet_common.errors import ErrorCode, SkillnetError

ADDRESS = "http://127.0.0.1:20000"


def test_a_running_stack_is_found(folder: Path) -> None:
    assert running_stack(folder) is None
    processes = (ProcessStatus("gateway", 1, 2, True, 3),)
    state = StackState.of_this_process(Phase.READY, ADDRESS)
    state = StackState(state.pid, state.started_at, Phase.READY, ADDRESS, processes, {"NATS_URL": "nats://x"})
    write_state(folder, state)
    assert running_stack(folder) == state
    assert stat.S_IMODE(state_path(folder).stat().st_mode) == 0o600
    assert "nats://x" not in repr(state)
    remove_state(folder)
    assert running_stack(folder) is None


def test_the_state_of_a_dead_process_is_cleaned(folder: Path) -> None:
    with subprocess.Popen(["/bin/true"]) as process:
        pass
    write_state(folder, StackState(process.pid, time.time(), Phase.READY, ADDRESS))
    assert running_stack(folder) is None
    assert not state_path(folder).exists()


def test_a_process_id_given_to_another_program_is_stale(folder: Path) -> None:
    state = StackState.of_this_process(Phase.READY, ADDRESS)
    write_state(folder, StackState(os.getpid(), state.started_at - 100, Phase.READY, ADDRESS))
    assert running_stack(folder) is None


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
