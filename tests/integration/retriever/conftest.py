"""A retriever over the session's database, with an encoder that knows a handful of words."""

from __future__ import annotations

from uuid import UUID, uuid4

import numpy as np
import pytest

from skillnet_common.auth import Principal, Scope
from skillnet_common.calibration import Calibration, Figure, Judge, Weight
from skillnet_common.database import Database
from skillnet_inference.budget import count_llm_tokens
from skillnet_inference.token_vectors import EncodedTokens
from skillnet_inference.vectors import Vectors
from skillnet_retriever.calibrations import StoredCalibration
from skillnet_retriever.corpus import Corpus
from skillnet_retriever.finding import ServingModel
from skillnet_retriever.questions import QuestionEncoder
from skillnet_retriever.reranking import NO_RERANKING, Reranking
from skillnet_retriever.retriever import Retriever
from skillnet_retriever.settings import RetrieverSettings

PLAIN = Judge(
    intercept=-3.0,
    weights={
        Figure.SIMILARITY: Weight(mean=0.5, scale=0.25, weight=2.0),
        Figure.MARGIN: Weight(mean=0.0, scale=0.25, weight=1.0),
        Figure.COVERAGE: Weight(mean=0.0, scale=1.0, weight=4.0),
    },
)
TINY_CALIBRATION = Calibration(with_tokens=PLAIN, without_tokens=PLAIN)


class TinyEncoder:
    """Four axes: devoluciones, precios, limpieza, and everything else. A question longer than the window is cut."""

    WINDOW = 200
    AXES = (("devol", "reembols"), ("preci", "cuesta"), ("limpi", "fregar"))

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def fit_query(self, text: str) -> tuple[str, bool]:
        """Cuts at so many characters."""
        return text[: self.WINDOW], len(text) > self.WINDOW

    async def aencode_query(self, text: str) -> Vectors:
        """A unit vector."""
        self.encoded.append(text)
        return axis_vector(text)

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        """A unit vector, and one of each word."""
        return EncodedTokens(await self.aencode_query(text), np.stack([axis_vector(word) for word in text.split()]))


def axis_vector(text: str) -> Vectors:
    """Where the text points among the four axes."""
    vector = np.full(4, 0.05, np.float32)
    for axis, stems in enumerate(TinyEncoder.AXES):
        if any(stem in text.lower() for stem in stems):
            vector[axis] = 1.0
    if vector.max() < 1:
        vector[3] = 1.0
    unit: Vectors = vector / np.linalg.norm(vector)
    return unit


@pytest.fixture
def encoder() -> TinyEncoder:
    return TinyEncoder()


@pytest.fixture
def retriever(database: Database, encoder: TinyEncoder) -> Retriever:
    """A retriever of the test model."""
    return make_retriever(database, encoder)


def make_retriever(
    database: Database,
    encoder: TinyEncoder,
    *,
    model_id: int = 1,
    calibration: Calibration | None = TINY_CALIBRATION,
    settings: RetrieverSettings | None = None,
    reranking: Reranking = NO_RERANKING,
    stored_calibration: StoredCalibration | None = None,
) -> Retriever:
    """One with parts of one's own choice."""
    settings = settings or RetrieverSettings()
    return Retriever(
        Corpus(database, model_id, "test-model", timeout=settings.search_timeout_seconds),
        QuestionEncoder(encoder, cache_size=settings.query_cache_size, with_tokens=settings.late_interaction),
        ServingModel(model_id, "test-model", calibration),
        settings,
        count_llm_tokens,
        reranking=reranking,
        stored_calibration=stored_calibration,
    )


def asker(org: UUID, *groups: str) -> Principal:
    """Someone of the organisation; with groups, someone who sees only what those may see."""
    return Principal(org, uuid4(), frozenset({Scope.READ}), groups or None)
