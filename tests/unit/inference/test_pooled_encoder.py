"""Order, faults and cancellation of work that is spread over threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from skillnet_common.errors import PermanentFault
from skillnet_inference.encoder import PooledEncoder, require_window
from skillnet_inference.identity import ModelIdentity, Provider
from skillnet_inference.vectors import Vectors

IDENTITY = ModelIdentity("test", Provider.LOCAL, 2, 8, "q:", "p:", "none", "fp32", "a", "b")


class WordTokenizer:
    special_tokens = 2

    def encode(self, text: str) -> list[int]:
        return [0, *(len(word) for word in text.split()), 1]

    def count(self, text: str) -> int:
        return len(self.encode(text))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        return [(position, position + 1) for position in range(len(text))]


class LengthEncoder(PooledEncoder):
    """The vector of a text is its length and whether it is a question."""

    def __init__(self, threads: int = 3, group_size: int = 4) -> None:
        super().__init__(IDENTITY, WordTokenizer(), threads, group_size)
        self.groups: list[list[str]] = []
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()
        self.gate.set()

    def _encode_group(self, texts: list[str], is_query: bool) -> Vectors:
        self.groups.append(texts)
        self.begun.release()
        self.gate.wait(10)
        for text in texts:
            require_window(self._tokenizer.count(text), IDENTITY.window)
        return np.array([[len(text), is_query] for text in texts], np.float32)


@pytest.fixture
def encoder() -> Iterator[LengthEncoder]:
    encoder = LengthEncoder()
    yield encoder
    encoder.gate.set()
    encoder.close()


def test_vectors_come_in_the_order_of_the_texts(encoder: LengthEncoder) -> None:
    texts = ["x" * (7 * position % 23) for position in range(23)]
    assert encoder.encode_passages(texts)[:, 0].tolist() == [len("p:" + text) for text in texts]
    assert sorted(map(len, encoder.groups)) == [3, 4, 4, 4, 4, 4]


def test_prefixes_are_added(encoder: LengthEncoder) -> None:
    assert encoder.encode_query("why").tolist() == [5, 1]
    encoder.encode_passages(["because"])
    assert encoder.groups == [["q:why"], ["p:because"]]


async def test_async_calls_give_the_same(encoder: LengthEncoder) -> None:
    texts = ["x" * length for length in range(9)]
    assert np.array_equal(await encoder.aencode_passages(texts), encoder.encode_passages(texts))
    assert (await encoder.aencode_query("why")).tolist() == [5, 1]


async def test_a_text_beyond_the_window_is_a_fault_of_the_whole_call(encoder: LengthEncoder) -> None:
    texts = ["short"] * 10 + ["word " * 7]
    with pytest.raises(PermanentFault, match="9 tokens"):
        await encoder.aencode_passages(texts)
    with pytest.raises(PermanentFault, match="window of 8"):
        encoder.encode_passages(texts)


async def test_cancelled_work_that_has_not_begun_is_dropped(encoder: LengthEncoder) -> None:
    encoder.gate.clear()
    call = asyncio.create_task(encoder.aencode_passages(["text"] * 40))
    for _ in range(3):
        await asyncio.to_thread(encoder.begun.acquire)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    encoder.gate.set()
    await encoder.aencode_query("after")
    assert len(encoder.groups) == 4


def test_closing_twice_is_harmless_and_later_work_is_refused(encoder: LengthEncoder) -> None:
    encoder.close()
    encoder.close()
    with pytest.raises(RuntimeError, match="shutdown"):
        encoder.encode_query("late")
