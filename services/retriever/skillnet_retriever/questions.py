"""From a question to its vector: normalised, cut to the model's window, cached."""

from __future__ import annotations

import time
import unicodedata
from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from skillnet_common.errors import ErrorCode, RequestError
from skillnet_inference.token_vectors import EncodedTokens
from skillnet_inference.vectors import Vectors
from skillnet_retriever.metrics import CACHED_QUESTIONS, ENCODE_SECONDS

_CACHED_TOKENS = 64
"""A token's vector takes 1.5 KB: a thousand questions of the longest kind would take 800 MB."""


class QueryEncoder(Protocol):
    """The part of an encoder that questions need."""

    async def aencode_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension], of length 1."""
        ...

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        """The same vector, and those of the question's tokens, float32 [tokens, dimension], of length 1."""
        ...

    def fit_query(self, text: str) -> tuple[str, bool]:
        """The question, cut where it passes the window, and whether it was cut."""
        ...


@dataclass(frozen=True, slots=True)
class EncodedQuestion:
    """A question's vector; `was_cut` where only its beginning fitted the model. `tokens`: the vectors of its tokens,
    None without late interaction."""

    vector: Vectors
    was_cut: bool
    tokens: Vectors | None = None


def normalised(question: str) -> str:
    """NFC, white space collapsed. Raises RequestError `query_empty` where no letter or digit is left to search by."""
    text = " ".join(unicodedata.normalize("NFC", question.replace("\0", " ")).split())
    if not any(character.isalnum() for character in text):
        raise RequestError(ErrorCode.QUERY_EMPTY, "La pregunta no contiene ninguna palabra que buscar.")
    return text


class QuestionEncoder:
    """Embeds questions off the event loop and remembers the vectors of the last ones: of `cache_size`, or fewer where
    they have more than `_CACHED_TOKENS` tokens each."""

    def __init__(self, encoder: QueryEncoder, *, cache_size: int, with_tokens: bool = False) -> None:
        self._encoder = encoder
        self._cache_size = cache_size
        self._with_tokens = with_tokens
        self._cache: OrderedDict[str, EncodedQuestion] = OrderedDict()
        self._cached_tokens = 0

    async def encode(self, question: str) -> EncodedQuestion:
        """`question` is normalised. Faults are the encoder's own."""
        known = self._cache.get(question)
        if known is not None:
            self._cache.move_to_end(question)
            CACHED_QUESTIONS.labels("cache").inc()
            return known
        started = time.perf_counter()
        text, was_cut = self._encoder.fit_query(question)
        encoded = await self._encode(text, was_cut)
        ENCODE_SECONDS.observe(time.perf_counter() - started)
        CACHED_QUESTIONS.labels("model").inc()
        self._remember(question, encoded)
        return encoded

    async def _encode(self, text: str, was_cut: bool) -> EncodedQuestion:
        if not self._with_tokens:
            return EncodedQuestion(await self._encoder.aencode_query(text), was_cut)
        vector, tokens = await self._encoder.aencode_query_with_tokens(text)
        return EncodedQuestion(vector, was_cut, tokens)

    def _remember(self, question: str, encoded: EncodedQuestion) -> None:
        if question not in self._cache:  # asked twice at once
            self._cache[question] = encoded
            self._cached_tokens += _token_count(encoded)
        while len(self._cache) > self._cache_size or self._cached_tokens > _CACHED_TOKENS * self._cache_size:
            _, forgotten = self._cache.popitem(last=False)
            self._cached_tokens -= _token_count(forgotten)


def _token_count(encoded: EncodedQuestion) -> int:
    return 0 if encoded.tokens is None else len(encoded.tokens)
