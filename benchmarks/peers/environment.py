"""The peers' own environment: made once for each state of the constraints, never shared with ours."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from benchmarks.peers.protocol import Job, Reply, read_reply, write_job
from benchmarks.results import progress

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".venv-peers"
CONSTRAINTS = ROOT / "constraints-peers.txt"
_PACKAGES = ("haystack-ai", "llama-index-core", "llama-index-retrievers-bm25", "txtai", "torch")
PROGRAMS = Path(__file__).parent / "programs"
_PACKAGE = "benchmarks.peers.programs"
_TAIL = 1_500  # characters of what a failed program said


class PeerFailed(Exception):
    """A peer's program ended with an error, or answered something else than it was asked."""


def prepare_environment(folder: Path = FOLDER) -> Path:
    """The interpreter of the environment in the folder, installed where it is absent or the constraints changed.

    Raises CalledProcessError where it cannot be installed.
    """
    python = folder / "bin" / "python"
    stamp = folder / ".installed"
    wanted = sha256(CONSTRAINTS.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return python
    progress(f"peers: installing {', '.join(_PACKAGES)} into {folder}")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "-c", str(CONSTRAINTS), *_PACKAGES], check=True)
    stamp.write_text(wanted)
    return python


def run_peer(command: Sequence[str], job: Job) -> Reply:
    """What the program answers, called with the paths of the job and of the reply it shall write.

    Raises PeerFailed.
    """
    with tempfile.TemporaryDirectory() as folder:
        asked, told = Path(folder) / "job.json", Path(folder) / "reply.json"
        write_job(asked, job)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TOKENIZERS_PARALLELISM": "false"}
        done = subprocess.run(
            [*command, str(asked), str(told)], env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise PeerFailed(f"{' '.join(command)} ended with {done.returncode}: {done.stderr.strip()[-_TAIL:]}")
        try:
            return read_reply(told, job)
        except (OSError, KeyError, TypeError, ValueError) as error:
            raise PeerFailed(f"{' '.join(command)} answered something else: {error}") from error


def command_of(python: Path, program: str) -> tuple[str, ...]:
    """How a program of the package is started in the environment."""
    return (str(python), "-m", f"{_PACKAGE}.{program}")
