"""A peer is asked once for what it answered already, and again where anything that matters is another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.peers.environment import PeerFailed
from benchmarks.peers.protocol import Chunk, Job, Reply
from benchmarks.peers.replies import KeptReplies

JOB = Job(["Texto."], ["¿Qué?"], 256, "none", "es", 50, "http://127.0.0.1:1/embeddings")
REPLY = Reply({"fake": "1.0"}, [Chunk(0, "Texto.")], [[0]])
COMMAND = ("python", "-m", "fake")


class Peer:
    def __init__(self) -> None:
        self.asked = 0
        self.fails = False

    def __call__(self, _command: Sequence[str], _job: Job) -> Reply:
        self.asked += 1
        if self.fails:
            raise PeerFailed("no")
        return REPLY


def test_is_asked_once_wherever_the_vectors_come_from(tmp_path: Path) -> None:
    peer = Peer()
    assert KeptReplies(tmp_path, "model", peer).ask(COMMAND, JOB) == REPLY
    moved = replace(JOB, embeddings="http://127.0.0.1:2/embeddings")
    assert KeptReplies(tmp_path, "model", peer).ask(COMMAND, moved) == REPLY
    assert peer.asked == 1


def test_is_asked_again_for_another_job_command_or_model(tmp_path: Path) -> None:
    peer = Peer()
    kept = KeptReplies(tmp_path, "model", peer)
    kept.ask(COMMAND, JOB)
    kept.ask(COMMAND, replace(JOB, chunk_tokens=400))
    kept.ask(("python", "-m", "other"), JOB)
    KeptReplies(tmp_path, "other model", peer).ask(COMMAND, JOB)
    assert peer.asked == 4


def test_nothing_is_kept_of_a_peer_that_fails(tmp_path: Path) -> None:
    peer = Peer()
    kept = KeptReplies(tmp_path, "model", peer)
    peer.fails = True
    with pytest.raises(PeerFailed):
        kept.ask(COMMAND, JOB)
    peer.fails = False
    assert kept.ask(COMMAND, JOB) == REPLY
    assert peer.asked == 2
