"""What a peer's process is told and what it tells, as JSON files; the vectors come from an address it asks.

Shared by both interpreters: standard library only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

_TEXTS_A_REQUEST = 64
_TIMEOUT_SECONDS = 600


class Kind(StrEnum):
    """Models embed what is sought and what is found in different ways."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class Job:
    """Texts to be cut into chunks of `chunk_tokens` (None: as the peer does by itself) and questions to be asked.

    `depth` chunks are wanted for each question. `fusion` is the peer's own name of how it joins both searches.
    `language` (es, en) is that of the texts. `embeddings` is the address of the vectors.
    """

    texts: list[str]
    questions: list[str]
    chunk_tokens: int | None
    fusion: str
    language: str
    depth: int
    embeddings: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the text with that number."""

    text: int
    body: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The chunks that were made, and for each question the numbers of the chunks found, best first."""

    versions: dict[str, str]
    chunks: list[Chunk]
    rankings: list[list[int]]


def write_job(path: Path, job: Job) -> None:
    """Writes the job as one JSON object."""
    path.write_text(json.dumps(asdict(job), ensure_ascii=False), encoding="utf-8")


def read_job(path: Path) -> Job:
    """The job of the file."""
    return Job(**json.loads(path.read_text(encoding="utf-8")))


def write_reply(path: Path, reply: Reply) -> None:
    """Writes the reply as one JSON object."""
    path.write_text(json.dumps(asdict(reply), ensure_ascii=False), encoding="utf-8")


def read_reply(path: Path, job: Job) -> Reply:
    """The reply of the file. Raises ValueError where it does not answer the job."""
    fields = json.loads(path.read_text(encoding="utf-8"))
    chunks = [Chunk(**chunk) for chunk in fields["chunks"]]
    rankings: list[list[int]] = fields["rankings"]
    if len(rankings) != len(job.questions):
        raise ValueError(f"{len(rankings)} rankings for {len(job.questions)} questions")
    if any(not 0 <= chunk.text < len(job.texts) for chunk in chunks):
        raise ValueError("a chunk is of no text of the job")
    for ranking in rankings:
        if len(set(ranking)) != len(ranking) or any(not 0 <= number < len(chunks) for number in ranking):
            raise ValueError("a ranking names a chunk twice, or one that there is not")
    return Reply(fields["versions"], chunks, rankings)


def answer_job(run: Callable[[Job], Reply]) -> None:
    """The main function of a program: `JOB.json REPLY.json` are its arguments."""
    job, reply = map(Path, sys.argv[1:3])
    write_reply(reply, run(read_job(job)))


class Embeddings:
    """Vectors from the address of a job, over one connection that stays open. For one thread."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._path = parts.path
        self._connection = HTTPConnection(parts.netloc, timeout=_TIMEOUT_SECONDS)

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors of texts to be found."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _TEXTS_A_REQUEST):
            vectors += self._ask(Kind.PASSAGE, texts[start : start + _TEXTS_A_REQUEST])
        return vectors

    def query(self, text: str) -> list[float]:
        """The unit vector of a question."""
        return self._ask(Kind.QUERY, [text])[0]

    def _ask(self, kind: Kind, texts: Sequence[str]) -> list[list[float]]:
        body = json.dumps({"kind": kind, "texts": list(texts)})
        self._connection.request("POST", self._path, body.encode(), {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        said = response.read()
        if response.status != 200:
            raise RuntimeError(f"no vectors: {response.status} {said.decode(errors='replace')[:200]}")
        vectors: list[list[float]] = json.loads(said)["vectors"]
        return vectors
