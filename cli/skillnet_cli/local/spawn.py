"""Start child processes that die with this one, as another user if asked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

_EXEC_CHILD = Path(__file__).with_name("exec_child.py")

# Linux sends the parent-death signal when the *thread* that forked ends, so every child is forked by this one
# thread, which lives as long as the process, whatever short-lived thread asks for it.
_SPAWNER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="spawner")


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the operating system by number."""

    uid: int
    gid: int


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    log: Path,
    death_signal: signal.Signals,
    account: Account | None = None,
) -> subprocess.Popen[bytes]:
    """Start `argv` (a program's absolute path, its arguments) in a session of its own; `log` gets its output.

    The child gets `death_signal` when this process dies, however it dies (on Linux). It does not get the
    terminal's Ctrl-C. Its working directory is `/`.
    """
    as_account = "-" if account is None else f"{account.uid}:{account.gid}"
    wrapper = [sys.executable, "-I", "-S", str(_EXEC_CHILD)]
    command = [*wrapper, str(os.getpid()), str(int(death_signal)), as_account, *argv]

    def fork() -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(  # noqa: S603 - a list of arguments, no shell
                command,
                cwd="/",
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    return _SPAWNER.submit(fork).result()


def kill_group(pid: int) -> None:
    """SIGKILL whatever is left of the session that `spawn` gave to process `pid`."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
