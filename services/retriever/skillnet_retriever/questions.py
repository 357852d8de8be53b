"""From a question to its vector: normalised, cut to the model's window, cached."""

from __future__ import annotations

import time
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from skillnet_common.errors import ErrorCode, RequestError
from skillnet_inference.vectors import Vectors
from skillnet_retriever.metrics import CACHED_QUESTIONS, ENCODE_SECONDS


class QueryEncoder(Protocol):
    """The part of an encoder that questions need."""

    async def aencode_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension], of length 1."""
        ...

    def fit_query(self, text: str) -> tuple[str, bool]:
        """The question, cut where it passes the window, and whether it was cut."""
        ...


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question's vector; `was_cut` where only its beginning fitted the model."""

    vector: Vectors
    was_cut: bool


def normalised(question: str) -> str:
    """NFC, white space collapsed. Raises RequestError `query_empty` where no letter or digit is left to search by."""
    text = " ".join(unicodedata.normalize("NFC", question.replace("\0", " ")).split())
    if not any(character.isalnum() for character in text):
        raise RequestError(ErrorCode.QUERY_EMPTY, "La pregunta no contiene ninguna palabra que buscar.")
    return text


class QuestionEncoder:
    """Embeds questions off the event loop and remembers the vectors of the last ones."""

    def __init__(self, encoder: QueryEncoder, *, cache_size: int) -> None:
        self._encoder = encoder
        self._cache_size = cache_size
        self._cache: OrderedDict[str, EncodedQuestion] = OrderedDict()

    async def encode(self, question: str) -> EncodedQuestion:
        """`question` is normalised. Faults are the encoder's own."""
        known = self._cache.get(question)
        if known is not None:
            self._cache.move_to_end(question)
            CACHED_QUESTIONS.labels("cache").inc()
            return known
        started = time.perf_counter()
        text, was_cut = self._encoder.fit_query(question)
        encoded = EncodedQuestion(await self._encoder.aencode_query(text), was_cut)
        ENCODE_SECONDS.observe(time.perf_counter() - started)
        CACHED_QUESTIONS.labels("model").inc()
        self._cache[question] = encoded
        if len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return encoded
