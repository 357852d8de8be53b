"""The process that has every reader loaded and forks a child for each file: `python -m skillnet_parser.fork_server`.

Loading the libraries takes a fresh interpreter 0.1 to 0.3 s of processor time, a fork takes 0.01 s. Forking is safe
here because this process has one thread, opens no document, and holds nothing that a child must not see: it is
started with a clean environment, and its only open file besides the standard ones is the control socket, which
a child closes. What a child reads can therefore neither reach another file's child nor stay behind.

    usage: fork_server.py CONTROL_FD PARENT_PID
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import sys

from skillnet_parser import child
from skillnet_parser.fork_messages import ENDED, FORK, ORDER
from skillnet_parser.lifetime import die_with

_WAKE_UPS = 4096


class ForkServer:
    """One thread, one loop: children end and messages come in."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, int] = {}  # number by pid
        self._woken, self._waker = socket.socketpair()
        for end in (self._woken, self._waker):
            end.setblocking(False)

    def run(self) -> None:
        """Returns when the parent closes the control socket, every child being killed."""
        signal.signal(signal.SIGCHLD, lambda _signal, _frame: None)  # without a handler nothing wakes up
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        while True:
            ready, _, _ = select.select([self._control, self._woken], [], [])
            if self._woken in ready:
                with contextlib.suppress(BlockingIOError):
                    self._woken.recv(_WAKE_UPS)
            self._reap()
            if self._control in ready and not self._serve():
                break
        for pid in self._children:
            _kill_group(pid)

    def _serve(self) -> bool:
        """Does what one order says; False at the end of orders."""
        message, descriptors, _, _ = socket.recv_fds(self._control, ORDER.size, 2, socket.MSG_WAITALL)
        if len(message) < ORDER.size:
            return False
        kind, number = ORDER.unpack(message)
        if kind == FORK:
            self._fork(number, *descriptors)
        else:
            for pid in [pid for pid, its in self._children.items() if its == number]:
                _kill_group(pid)
        return True

    def _fork(self, number: int, channel: int, errors: int) -> None:
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # short of memory or of processes, which passes
            self._tell(number, -signal.SIGKILL)
        else:
            if pid == 0:
                self._become_child(server, channel, errors)
            self._children[pid] = number
        os.close(channel)
        os.close(errors)

    def _become_child(self, server: int, channel: int, errors: int) -> None:
        """Never returns: whatever happens, the child must not go on as a second server."""
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            for end in (self._control, self._woken, self._waker):
                end.close()
            os.dup2(errors, 1)  # what a library prints
            os.dup2(errors, 2)
            os.close(errors)
            child.serve(channel, parent=server)
        except BaseException:  # told on standard error, which the service reads
            sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _reap(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self._tell(self._children.pop(pid), os.waitstatus_to_exitcode(status))

    def _tell(self, number: int, code: int) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the parent has gone: the loop ends next
            self._control.sendall(ENDED.pack(number, code))


def _kill_group(pid: int) -> None:
    """Of a child that has not been waited for, so that the number is still its own."""
    for kill in (os.killpg, os.kill):  # by its own number where it has not become a group's leader yet
        with contextlib.suppress(ProcessLookupError):
            kill(pid, signal.SIGKILL)


def main() -> None:
    """Serves until the parent has gone."""
    die_with(int(sys.argv[2]))
    control = socket.socket(fileno=int(sys.argv[1]))
    gc.collect()
    gc.freeze()  # a child's collector then leaves the shared pages as they are
    ForkServer(control).run()


if __name__ == "__main__":
    main()
