"""Our side: the documents go into running services over HTTP, and the questions are asked there."""

from __future__ import annotations

import asyncio

from benchmarks.peers.corpora import PeerCorpus
from benchmarks.peers.judging import Hit
from benchmarks.results import progress
from skillnet_cli.evaluation_stack import key_of
from skillnet_cli.local.stack import LocalStack
from skillnet_client import SkillnetClient
from skillnet_common.contracts.retrieval import Passage, Strategy
from skillnet_evaluation.configurations import Configuration
from skillnet_evaluation.corpus import LoadedCorpus, load

CONFIGURATIONS = (
    Configuration("hybrid", {"strategy": Strategy.HYBRID}),
    Configuration("hybrid without late interaction", {"strategy": Strategy.HYBRID, "late_interaction": False}),
)
"""The first is what the services do where nothing is said: the peers are held against it."""
_TELL_EVERY = 200


async def find_with_ours(stack: LocalStack, corpus: PeerCorpus, depth: int) -> dict[str, list[list[Hit]]]:
    """For each configuration what is found for each question, `depth` passages at most.

    The corpus is loaded into an organisation of its own; what is there already is not embedded again.
    """
    key = await key_of(corpus.dataset, stack.state.environment["DATABASE_URL"])
    return await asyncio.to_thread(_find, stack.address, key, corpus, depth)


def _find(address: str, key: str, corpus: PeerCorpus, depth: int) -> dict[str, list[list[Hit]]]:
    found: dict[str, list[list[Hit]]] = {configuration.name: [] for configuration in CONFIGURATIONS}
    with SkillnetClient(address, key) as client:
        progress(f"peers: loading {corpus.name} into the services")
        loaded = load(client, corpus.dataset, lambda _what, _done, _total: None)
        for number, question in enumerate(corpus.dataset.questions):
            if number % _TELL_EVERY == 0:
                progress(f"peers: {corpus.name}, ours, question {number} of {len(corpus.dataset.questions)}")
            for configuration in CONFIGURATIONS:
                reply = client.search(configuration.request(question.text, limit=depth))
                found[configuration.name].append([_hit(passage, loaded) for passage in reply.passages])
    return found


def _hit(passage: Passage, loaded: LoadedCorpus) -> Hit:
    document = loaded.keys.get(passage.document_id, f"other {passage.document_id}")
    return Hit(document, passage.page_start, passage.page_end, passage.text)
