"""Work in a fork: its result comes back whole, or not at all. Each in an interpreter of its own, for a fork of this
one would take its threads' locks along."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, time
from skillnet_parser.lifetime import run_forked

def grow():
    raise MemoryError

print(repr(run_forked({work}, {seconds})))
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("nobody left")
"""


@pytest.mark.parametrize(
    ("work", "seconds", "result"),
    [
        ("lambda: bytes([10, 0]) * 3", 60, repr(b"\n\0" * 3)),
        ("lambda: b''", 60, "b''"),
        ("grow", 60, "None"),
        ("lambda: os._exit(0)", 60, "None"),
        ("lambda: os.abort()", 60, "None"),
        ("lambda: time.sleep(600)", 0.2, "None"),
    ],
)
def test_the_result_or_nothing_comes_back_and_the_fork_is_gone(work: str, seconds: float, result: str) -> None:
    program = PROGRAM.format(work=work, seconds=seconds)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == [result, "nobody left"]


ALLOWANCE = """
import resource, time
from skillnet_parser.lifetime import ProcessorAllowance

resource.setrlimit(resource.RLIMIT_CPU, (50, {most}))
allowance = ProcessorAllowance()
for _ in range(2):
    with allowance.beside():
        until = time.process_time() + 0.7
        while time.process_time() < until:
            pass
print(resource.getrlimit(resource.RLIMIT_CPU)[0])
"""


@pytest.mark.parametrize(("most", "limit"), [(60, 52), (51, 51)])
def test_time_beside_the_work_is_given_back_up_to_the_most(most: int, limit: int) -> None:
    program = ALLOWANCE.format(most=most)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"{limit}\n"


def test_a_large_result_comes_whole() -> None:
    program = "from skillnet_parser.lifetime import run_forked; print(len(run_forked(lambda: bytes(9_000_000), 60)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "9000000\n"
