"""What every encoder offers, and the pool of threads that runs it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol, TypeVar

import numpy as np

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.identity import ModelIdentity
from skillnet_inference.token_vectors import EncodedPassages, EncodedTokens, sign_bits
from skillnet_inference.tokenizer import Tokenizer, cut_to_window
from skillnet_inference.vectors import Vectors

Result = TypeVar("Result")


class Encoder(Protocol):
    """Texts to unit vectors. Thread-safe. Texts come without the model's prefix, which the encoder adds.

    Faults: PermanentFault `text_too_long` for a text beyond the window (nothing is ever cut silently),
    PermanentFault `provider_failed` for wrong vectors or a refused request, PassingFault `provider_failed` where
    another attempt may help.
    """

    @property
    def identity(self) -> ModelIdentity:
        """Whose vectors these are."""
        ...

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the window is counted with."""
        ...

    @property
    def gives_tokens(self) -> bool:
        """Whether the vectors of single tokens can be had; without them the calls for them are permanent faults."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, float32 [texts, dimension], in the order given."""
        ...

    async def aencode_passages(self, texts: Sequence[str]) -> Vectors:
        """`encode_passages` off the event loop; when cancelled, work that has not begun is dropped."""
        ...

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension]."""
        ...

    async def aencode_query(self, text: str) -> Vectors:
        """`encode_query` off the event loop."""
        ...

    async def aencode_passages_with_tokens(self, texts: Sequence[str]) -> EncodedPassages:
        """The vectors of `aencode_passages`, and of the same pass the sign bits of each text's tokens."""
        ...

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        """The vector of `aencode_query`, and of the same pass the vectors of its tokens."""
        ...

    def fit_query(self, text: str) -> tuple[str, bool]:
        """The question, cut at a token's end where it passes the window, and whether it was cut."""
        ...

    def close(self) -> None:
        """Waits for running work and frees threads and connections. Safe to call twice."""
        ...


class PooledEncoder(ABC):
    """Spreads texts over threads in groups of a size that suits the model.

    Groups of all callers wait in one queue, so concurrent calls keep every thread busy.
    """

    def __init__(self, identity: ModelIdentity, tokenizer: Tokenizer, threads: int, group_size: int) -> None:
        self._identity = identity
        self._tokenizer = tokenizer
        self._group_size = group_size
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="encoder")

    @property
    def identity(self) -> ModelIdentity:
        """Whose vectors these are."""
        return self._identity

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer that the window is counted with."""
        return self._tokenizer

    @property
    def gives_tokens(self) -> bool:
        """Whether the vectors of single tokens can be had."""
        return False

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, float32 [texts, dimension]."""
        groups = self._groups(texts)
        futures = self._submit(texts, groups)
        try:
            parts = [future.result() for future in futures]
        finally:
            _drop(futures)
        return self._assembled(len(texts), groups, parts)

    async def aencode_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, computed off the event loop."""
        groups = self._groups(texts)
        futures = self._submit(texts, groups)
        try:
            parts = await asyncio.gather(*(asyncio.wrap_future(future) for future in futures))
        finally:
            _drop(futures)
        return self._assembled(len(texts), groups, parts)

    def encode_query(self, text: str) -> Vectors:
        """The vector of a question, float32 [dimension]."""
        return self._pool.submit(self._encode_query, text).result()

    async def aencode_query(self, text: str) -> Vectors:
        """The vector of a question, computed off the event loop."""
        return await asyncio.wrap_future(self._pool.submit(self._encode_query, text))

    async def aencode_passages_with_tokens(self, texts: Sequence[str]) -> EncodedPassages:
        """Vectors and the tokens' sign bits, computed off the event loop, a text at a time, the longest first."""
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        futures = {position: self._pool.submit(self._encode_passage, texts[position]) for position in order}
        try:
            parts = await asyncio.gather(*(asyncio.wrap_future(futures[place]) for place in range(len(texts))))
        finally:
            _drop(list(futures.values()))
        vectors = np.empty((len(texts), self._identity.dimension), np.float32)
        for position, (vector, _) in enumerate(parts):
            vectors[position] = vector
        return EncodedPassages(vectors, [bits for _, bits in parts])

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        """The vector of a question and those of its tokens, computed off the event loop."""
        prefix = self._identity.query_prefix
        return await asyncio.wrap_future(self._pool.submit(self._encode_with_tokens, prefix, text))

    def fit_query(self, text: str) -> tuple[str, bool]:
        """The question, cut at a token's end where it passes the window, and whether it was cut."""
        return cut_to_window(self._tokenizer, text, self._identity.query_prefix, self._identity.window)

    def close(self) -> None:
        """Waits for running work and frees the threads."""
        self._pool.shutdown(cancel_futures=True)

    @abstractmethod
    def _encode_group(self, texts: list[str], is_query: bool) -> Vectors:
        """Unit vectors [texts, dimension] of final strings, prefix included; runs in a thread of the pool."""

    def _encode_with_tokens(self, prefix: str, text: str) -> EncodedTokens:  # noqa: ARG002 - of those that can
        """The vector of prefix and text, and those of the text's own tokens; runs in a thread of the pool."""
        raise PermanentFault(ErrorCode.MISCONFIGURED, f"{self._identity.name} gives no vectors of tokens.")

    def _encode_passage(self, text: str) -> tuple[Vectors, bytes]:
        vector, tokens = self._encode_with_tokens(self._identity.passage_prefix, text)
        return vector, sign_bits(tokens)

    def _encode_query(self, text: str) -> Vectors:
        final = self._identity.query_prefix + text
        vector: Vectors = self._encode_group([final], is_query=True)[0]
        return vector

    def _groups(self, texts: Sequence[str]) -> list[list[int]]:
        """Positions of the texts of each group; the longest first, so that no thread ends long after the others."""
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        return [order[start : start + self._group_size] for start in range(0, len(order), self._group_size)]

    def _submit(self, texts: Sequence[str], groups: list[list[int]]) -> list[Future[Vectors]]:
        prefix = self._identity.passage_prefix
        return [
            self._pool.submit(self._encode_group, [prefix + texts[position] for position in group], False)
            for group in groups
        ]

    def _assembled(self, count: int, groups: list[list[int]], parts: Sequence[Vectors]) -> Vectors:
        vectors = np.empty((count, self._identity.dimension), np.float32)
        for group, part in zip(groups, parts, strict=True):
            vectors[group] = part
        return vectors


def require_window(tokens: int, window: int) -> None:
    """Raises PermanentFault where a text has more tokens than the model reads."""
    if tokens > window:
        raise PermanentFault(
            ErrorCode.TEXT_TOO_LONG,
            f"A text of {tokens} tokens does not fit the embedding model's window of {window}.",
            tokens=tokens,
            window=window,
        )


def _drop(futures: list[Future[Result]]) -> None:
    """After a fault or a cancellation: what has not begun need not begin. Finished futures are unaffected."""
    for future in futures:
        future.cancel()
