"""A whole search, both legs, without and with late interaction, against one bare exact vector statement over the same
10,000 chunks."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Awaitable, Iterator, Mapping, Sequence

import asyncpg
import numpy as np
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from benchmarks.results import Result, progress
from benchmarks.seeding import DIMENSION, Seeded, seed_tenant
from skillnet_cli.local.temporary import temporary_postgres
from skillnet_common.auth import Principal, Scope
from skillnet_common.contracts.retrieval import SearchRequest
from skillnet_common.database import ROLES, Database, bootstrap_roles, migrate, register_first_model
from skillnet_inference.budget import count_llm_tokens
from skillnet_inference.token_vectors import EncodedTokens
from skillnet_retriever.calibrations import measured_calibration
from skillnet_retriever.corpus import Corpus
from skillnet_retriever.finding import ServingModel
from skillnet_retriever.questions import QuestionEncoder, normalised
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

_CHUNKS = 10_000
_OTHERS = 4
_QUESTIONS = 60
_ROUNDS = 5
_SLUG = "bench-model"
_PASSWORD = "bench"  # noqa: S105 - of a server that lives for this run

_BARE = (
    "SELECT chunk_id FROM skillnet.chunk_embeddings_1 WHERE org_id = $1 ORDER BY embedding <=> $2::halfvec LIMIT 50"
)


class KnownQuestions:
    """Gives each question its vector at once: the time of the embedding model is not measured here."""

    def __init__(self, vectors: Mapping[str, np.ndarray]) -> None:
        self._vectors = vectors

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Nothing is cut."""
        return text, False

    async def aencode_query(self, text: str) -> np.ndarray:
        """The vector seeded for the question."""
        return self._vectors[text]

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        """The same, and as many tokens as a question of its length has."""
        tokens = np.random.default_rng(len(text)).normal(size=(round(len(text.split()) * 1.5), DIMENSION))
        return EncodedTokens(self._vectors[text], tokens.astype(np.float32))


def measure() -> Iterator[Result]:
    """Yields the ratios of medians."""
    with temporary_postgres() as server:
        yield from asyncio.run(
            _measure(server.admin_url, {role: server.url(user=role, password=_PASSWORD) for role in ROLES})
        )


async def _measure(admin_url: str, urls: Mapping[str, str]) -> list[Result]:
    await bootstrap_roles(admin_url, dict.fromkeys(ROLES, _PASSWORD))
    await migrate(urls["skillnet_migrator"])
    model_id = await register_first_model(
        urls["skillnet_migrator"],
        slug=_SLUG,
        fingerprint="bench",
        name=_SLUG,
        dimension=DIMENSION,
        identity={"window": 512},
    )
    database = await Database.connect(urls["skillnet_service"], size=4)
    bare = await asyncpg.connect(admin_url)
    await register_vector(bare, schema="public")
    try:
        progress(f"search: inserting {_CHUNKS} chunks of one tenant and {_OTHERS} smaller ones")
        tenant = await seed_tenant(database, model_id, chunks=_CHUNKS, questions=_QUESTIONS, seed=1)
        for number in range(_OTHERS):
            await seed_tenant(database, model_id, chunks=1_000, questions=0, seed=10 + number)
        await bare.execute("VACUUM ANALYZE")
        return await _compare(database, bare, tenant, model_id)
    finally:
        await bare.close()
        await database.close()


async def _compare(database: Database, bare: asyncpg.Connection, tenant: Seeded, model_id: int) -> list[Result]:
    vectors = {normalised(text): vector for text, vector in tenant.questions}
    retriever = Retriever(
        Corpus(database, model_id, _SLUG, timeout=5),
        QuestionEncoder(KnownQuestions(vectors), cache_size=1_000, with_tokens=True),
        ServingModel(model_id, _SLUG, measured_calibration()),
        RetrieverSettings(),
        count_llm_tokens,
    )
    principal = Principal(tenant.org_id, tenant.org_id, frozenset({Scope.READ}), None)

    async def search(question: tuple[str, np.ndarray], *, late: bool) -> None:
        reply = await retriever.search(principal, SearchRequest(query=question[0], late_interaction=late))
        if not reply.passages or (reply.passages[0].scores.late is None) is late:
            raise AssertionError(f"{question[0]!r} was not answered as asked")

    async def bare_vectors(question: tuple[str, np.ndarray]) -> None:
        rows = await bare.fetch(_BARE, tenant.org_id, HalfVector(question[1]))
        if len(rows) != 50:
            raise AssertionError("the bare statement found fewer than 50")

    ours: list[float] = []
    late: list[float] = []
    theirs: list[float] = []
    for number in range(_ROUNDS + 1):
        progress(f"search: round {number} of {_ROUNDS}{' (warming up)' if number == 0 else ''}")
        for question in tenant.questions:  # one after the other, so that both meet the same load of the machine
            times = (
                await _time(search(question, late=False)),
                await _time(search(question, late=True)),
                await _time(bare_vectors(question)),
            )
            if number:
                for measured, one in zip((ours, late, theirs), times, strict=True):
                    measured.append(one)
    return [
        _against_bare("search, both legs", ours, theirs, 2.0),
        _against_bare("search with late interaction", late, theirs, 3.5),
    ]


def _against_bare(name: str, ours: Sequence[float], theirs: Sequence[float], target: float) -> Result:
    return Result(
        f"{name}, against bare exact top 50 vectors",
        statistics.median(ours) / statistics.median(theirs),
        "times",
        target,
        "below",
        f"{_CHUNKS} chunks; p50 {_ms(ours, 50)} against {_ms(theirs, 50)} ms, p95 {_ms(ours, 95)} against"
        f" {_ms(theirs, 95)} ms; filters, both legs, fusion and the passages' texts included",
    )


async def _time(action: Awaitable[None]) -> float:
    begun = time.perf_counter()
    await action
    return time.perf_counter() - begun


def _ms(times: Sequence[float], percentile: int) -> str:
    return f"{1000 * float(np.percentile(times, percentile)):.1f}"
