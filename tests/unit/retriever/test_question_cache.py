"""Questions on their way to the model."""

from __future__ import annotations

import numpy as np
import pytest

from skillnet_common.errors import ErrorCode, RequestError
from skillnet_inference.token_vectors import EncodedTokens
from skillnet_inference.vectors import Vectors
from skillnet_retriever.questions import QuestionEncoder, normalised


class CountingEncoder:
    def __init__(self) -> None:
        self.asked: list[str] = []

    def fit_query(self, text: str) -> tuple[str, bool]:
        return text[:10], len(text) > 10

    async def aencode_query(self, text: str) -> Vectors:
        self.asked.append(text)
        return np.array([1.0], np.float32)

    async def aencode_query_with_tokens(self, text: str) -> EncodedTokens:
        vector = await self.aencode_query(text)
        return EncodedTokens(vector, np.ones((len(text), 1), np.float32))


def test_white_space_and_composition_do_not_make_another_question() -> None:
    assert normalised("  ¿Que\u0301\n pasa?\0 ") == "¿Qué pasa?"


@pytest.mark.parametrize("empty", ["", " \t", "¿?", "—…", "\0"])
def test_nothing_to_search_by_is_refused(empty: str) -> None:
    with pytest.raises(RequestError) as caught:
        normalised(empty)
    assert caught.value.code is ErrorCode.QUERY_EMPTY


async def test_a_remembered_question_is_not_embedded_again_and_the_oldest_is_forgotten() -> None:
    encoder = CountingEncoder()
    questions = QuestionEncoder(encoder, cache_size=2)
    for question in ("uno", "dos", "uno", "tres", "uno", "dos"):
        await questions.encode(question)
    assert encoder.asked == ["uno", "dos", "tres", "dos"]


async def test_a_question_over_the_window_is_cut_and_marked_also_from_the_cache() -> None:
    encoder = CountingEncoder()
    questions = QuestionEncoder(encoder, cache_size=2)
    for _ in range(2):
        assert (await questions.encode("una pregunta muy larga")).was_cut
    assert encoder.asked == ["una pregun"]
