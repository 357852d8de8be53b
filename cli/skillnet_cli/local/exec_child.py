"""Become another program that cannot outlive its parent. Run as `python -I -S exec_child.py`, never imported.

Arguments: parent process id, signal to get when the parent dies, `uid:gid` or `-`, program, its arguments.
A program of its own rather than a `preexec_fn`, which may deadlock in a parent that has threads.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
COMMAND_NOT_EXECUTABLE = 126


def drop_privileges(account: str) -> None:
    """Becomes the account `uid:gid`, without other groups. Raises OSError."""
    uid, gid = (int(part) for part in account.split(":"))
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def die_with_parent(parent: int, death_signal: int) -> None:
    """Asks Linux for the signal at the death of the parent, and ends at once if it is dead. Raises OSError."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:  # the parent died before the signal was armed
        os._exit(COMMAND_NOT_EXECUTABLE)


def main(parent: str, death_signal: str, account: str, *argv: str) -> None:
    """Becomes the program `argv`; ends with 126 where that cannot be."""
    try:
        if account != "-":
            drop_privileges(account)
        die_with_parent(int(parent), int(death_signal))  # after the change of user, which disarms it
        os.execv(argv[0], argv)  # noqa: S606 - the arguments are the caller's own list, no shell
    except OSError as error:
        sys.stderr.write(f"cannot run {argv[0]}: {error}\n")
        sys.exit(COMMAND_NOT_EXECUTABLE)


if __name__ == "__main__":
    main(*sys.argv[1:])
