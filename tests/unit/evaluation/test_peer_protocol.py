"""What goes to a peer's process and comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.peers.environment import PeerFailed, run_peer
from benchmarks.peers.protocol import Chunk, Job, Reply, read_job, read_reply, write_job, write_reply

JOB = Job(["uno", "dos y tres"], ["¿Qué?", "¿Cuándo?"], None, "rrf", "es", 50, "http://127.0.0.1:1/embeddings")
CHUNKS = [Chunk(0, "uno"), Chunk(1, "dos"), Chunk(1, "y tres")]


def test_a_job_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_job(tmp_path / "job.json", JOB)
    assert read_job(tmp_path / "job.json") == JOB


def test_a_reply_is_read_as_it_was_written(tmp_path: Path) -> None:
    reply = Reply({"peer": "1.0"}, CHUNKS, [[2, 0], []])
    write_reply(tmp_path / "reply.json", reply)
    assert read_reply(tmp_path / "reply.json", JOB) == reply


@pytest.mark.parametrize(
    ("chunks", "rankings"),
    [
        (CHUNKS, [[0]]),
        (CHUNKS, [[0], [3]]),
        (CHUNKS, [[0], [-1]]),
        (CHUNKS, [[0], [1, 1]]),
        ([*CHUNKS, Chunk(2, "of no text")], [[0], [1]]),
        ([*CHUNKS, Chunk(-1, "of no text")], [[0], [1]]),
    ],
    ids=["a question short", "no such chunk", "below zero", "twice", "of no text", "of a text below zero"],
)
def test_a_reply_that_does_not_answer_the_job_is_refused(
    tmp_path: Path, chunks: list[Chunk], rankings: list[list[int]]
) -> None:
    write_reply(tmp_path / "reply.json", Reply({}, chunks, rankings))
    with pytest.raises(ValueError, match=r"rankings for|of no text|names a chunk"):
        read_reply(tmp_path / "reply.json", JOB)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("raise SystemExit('no model')", "no model"),
        ("pass", "something else"),
        ("import sys; open(sys.argv[2], 'w').write('[]')", "something else"),
        ("import sys; open(sys.argv[2], 'w').write('{')", "something else"),
    ],
    ids=["fails", "writes nothing", "another form", "no JSON"],
)
def test_a_program_that_gives_no_reply_is_a_failed_peer(program: str, said: str) -> None:
    with pytest.raises(PeerFailed, match=said):
        run_peer((sys.executable, "-c", program), JOB)


def test_the_protocol_needs_the_standard_library_alone() -> None:
    """The peers' interpreter has none of our packages."""
    code = (
        "import json, sys; before = set(sys.modules); import benchmarks.peers.protocol;"
        "print(json.dumps([n.partition('.')[0] for n in set(sys.modules) - before]))"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) - sys.stdlib_module_names <= {"benchmarks"}
