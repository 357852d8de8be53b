"""Sign bits of tokens, and the spreading of texts whose tokens are wanted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tests.unit.inference.test_pooled_encoder import IDENTITY, LengthEncoder

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.token_vectors import EncodedTokens, centred, sign_bits
from skillnet_inference.vectors import Vectors


class WordEncoder(LengthEncoder):
    """A token a word: its length, and minus that."""

    @property
    def gives_tokens(self) -> bool:
        return True

    def _encode_with_tokens(self, prefix: str, text: str) -> EncodedTokens:
        (vector,) = self._encode_group([prefix + text], is_query=prefix == IDENTITY.query_prefix)
        return EncodedTokens(vector, np.array([[len(w), -len(w)] for w in text.split()], np.float32).reshape(-1, 2))


@pytest.fixture
def encoder() -> Iterator[WordEncoder]:
    encoder = WordEncoder()
    yield encoder
    encoder.close()


def test_a_bit_a_value_token_after_token() -> None:
    tokens = np.array([[1, -1, 0, 2, 3, -4, 5, 6, 7], [-1] * 8 + [1]], np.float32)
    assert sign_bits(tokens) == bytes([0b10011011, 0b10000000, 0, 0b10000000])


def test_the_carried_models_tokens_take_48_bytes() -> None:
    assert len(sign_bits(np.ones((3, 384), np.float32))) == 3 * 48


def test_tokens_are_seen_from_the_centre_at_length_one() -> None:
    tokens = np.array([[0.6, 0.8], [1.0, 0.0]], np.float32)
    found = centred(tokens, np.array([0.6, 0.0], np.float32))
    assert found.dtype == np.float32
    assert np.allclose(found, [[0.0, 1.0], [1.0, 0.0]])


def test_a_token_at_the_centre_has_no_direction() -> None:
    tokens: Vectors = np.array([[1.0, 0.0]], np.float32)
    assert np.array_equal(centred(tokens, tokens[0]), [[0.0, 0.0]])


async def test_vectors_and_bits_come_in_the_order_of_the_texts(encoder: WordEncoder) -> None:
    texts = ["b", "dos palabras", "", "una y dos"]
    vectors, bits = await encoder.aencode_passages_with_tokens(texts)
    assert np.array_equal(vectors, encoder.encode_passages(texts))
    assert bits == [bytes([0b10000000] * len(text.split())) for text in texts]
    assert encoder.groups[0] == ["p:dos palabras"]  # the longest is begun first


async def test_a_question_keeps_its_tokens_in_floats(encoder: WordEncoder) -> None:
    vector, tokens = await encoder.aencode_query_with_tokens("por qué")
    assert np.array_equal(vector, encoder.encode_query("por qué"))
    assert tokens.tolist() == [[3, -3], [3, -3]]


async def test_no_texts(encoder: WordEncoder) -> None:
    vectors, bits = await encoder.aencode_passages_with_tokens([])
    assert (vectors.shape, bits) == ((0, 2), [])


async def test_a_fault_of_one_text_is_a_fault_of_the_call(encoder: WordEncoder) -> None:
    with pytest.raises(PermanentFault, match="9 tokens"):
        await encoder.aencode_passages_with_tokens(["short"] * 5 + ["word " * 7])


async def test_an_encoder_without_tokens_says_so() -> None:
    encoder = LengthEncoder()
    assert not encoder.gives_tokens
    for call in (encoder.aencode_passages_with_tokens(["a"]), encoder.aencode_query_with_tokens("a")):
        with pytest.raises(PermanentFault, match="no vectors of tokens") as caught:
            await call
        assert caught.value.code is ErrorCode.MISCONFIGURED
    encoder.close()
