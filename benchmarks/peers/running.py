"""The whole of it: ours and every peer in every setting find the same questions in the same corpora."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.peers.comparison import DEPTH, Compared, hits_of, job_of, judged
from benchmarks.peers.corpora import PeerCorpus
from benchmarks.peers.environment import PeerFailed, run_peer
from benchmarks.peers.ours import find_with_ours
from benchmarks.peers.replies import KeptReplies
from benchmarks.peers.systems import Setting, System
from benchmarks.peers.vectors import KeptVectors, serve_vectors
from benchmarks.results import progress
from skillnet_cli.stack import open_stack
from skillnet_inference.factory import open_encoder
from skillnet_inference.settings import EmbeddingSettings

CommandOf = Callable[[System], Sequence[str]]
"""How a peer's program is started."""


def compare(
    corpora: Sequence[PeerCorpus], settings: Sequence[Setting], command_of: CommandOf, scratch: Path
) -> Iterator[Compared]:
    """Yields each corpus. The scratch folder keeps loaded documents, vectors and peers' replies for the next run."""
    ours = asyncio.run(_ours(corpora, scratch / "data"))
    with (
        closing(open_encoder(EmbeddingSettings())) as encoder,
        closing(KeptVectors(encoder, scratch / "vectors.sqlite")) as vectors,
        serve_vectors(vectors) as address,
    ):
        replies = KeptReplies(scratch / "replies", encoder.identity.fingerprint, run_peer)
        for corpus, own in zip(corpora, ours, strict=True):
            yield _against_peers(Compared(corpus, own), settings, command_of, address, replies)


async def _ours(corpora: Sequence[PeerCorpus], data: Path) -> list[dict[str, list[float]]]:
    async with open_stack(data) as stack:
        found = [await find_with_ours(stack, corpus, DEPTH) for corpus in corpora]
    return [
        {name: judged(corpus.dataset, hits) for name, hits in own.items()}
        for corpus, own in zip(corpora, found, strict=True)
    ]


def _against_peers(
    compared: Compared, settings: Sequence[Setting], command_of: CommandOf, address: str, replies: KeptReplies
) -> Compared:
    """A peer that fails is told of and left out: the others have their figures all the same."""
    corpus = compared.corpus
    for setting in settings:
        progress(f"peers: {corpus.name}, {setting.name}")
        job = job_of(corpus, setting.chunk_tokens, setting.system.fusion, address)
        try:
            reply = replies.ask(command_of(setting.system), job)
        except PeerFailed as fault:
            progress(f"peers: {fault}")
            compared.failed[setting.name] = str(fault)
            continue
        compared.peers[setting.name] = judged(corpus.dataset, list(hits_of(corpus, reply)))
        compared.chunks[setting.name] = len(reply.chunks)
        compared.versions.update(reply.versions)
    return compared
