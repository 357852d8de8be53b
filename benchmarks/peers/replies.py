"""What peers answered, kept a setting at a time: a comparison that was broken off goes on where it stood."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path

from benchmarks.peers.environment import CONSTRAINTS, PROGRAMS
from benchmarks.peers.protocol import Job, Reply, read_reply, write_reply

RunPeer = Callable[[Sequence[str], Job], Reply]


class KeptReplies:
    """A file a reply, named by all that it depends on: the job, the peer's program and versions, and the model.

    The address of the vectors is a new one each time, so that the model's fingerprint stands for it.
    """

    def __init__(self, folder: Path, model_fingerprint: str, run_peer: RunPeer) -> None:
        self._folder = folder
        self._run_peer = run_peer
        programs = "".join(path.read_text() for path in sorted(PROGRAMS.glob("*.py")))
        self._common = sha256(f"{model_fingerprint}\0{CONSTRAINTS.read_text()}\0{programs}".encode()).hexdigest()

    def ask(self, command: Sequence[str], job: Job) -> Reply:
        """The reply to the job: the one that is kept, else the peer's. Raises PeerFailed, and keeps nothing of it."""
        path = self._folder / f"{self._name(command, job)}.json"
        if path.is_file():
            return read_reply(path, job)
        reply = self._run_peer(command, job)
        self._folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        write_reply(unfinished, reply)
        unfinished.replace(path)
        return reply

    def _name(self, command: Sequence[str], job: Job) -> str:
        asked = json.dumps([list(command), asdict(replace(job, embeddings=""))])
        return sha256(f"{self._common}\0{asked}".encode()).hexdigest()
