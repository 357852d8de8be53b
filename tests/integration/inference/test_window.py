"""Nothing is cut silently, and no text can speak to the model in its control symbols."""

from __future__ import annotations

import asyncio

import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.encoder import Encoder
from skillnet_inference.tokenizer import Tokenizer

PREFIX = "passage: "


def of_tokens(tokenizer: Tokenizer, count: int) -> str:
    """A text that has `count` tokens behind the passage prefix."""
    text = " ".join(["pan"] * (count - tokenizer.count(PREFIX.strip())))
    assert tokenizer.count(PREFIX + text) == count
    return text


def test_the_window_is_used_to_its_last_token(int8_encoder: Encoder, tokenizer: Tokenizer) -> None:
    assert int8_encoder.encode_passages([of_tokens(tokenizer, 512)]).shape == (1, 384)


def test_one_token_more_is_refused(int8_encoder: Encoder, tokenizer: Tokenizer) -> None:
    texts = ["short", of_tokens(tokenizer, 513)]
    for call in (int8_encoder.encode_passages, lambda t: asyncio.run(int8_encoder.aencode_passages(t))):
        with pytest.raises(PermanentFault, match="513 tokens") as raised:
            call(texts)
        assert raised.value.code is ErrorCode.TEXT_TOO_LONG
        assert raised.value.details == {"tokens": 513, "window": 512}


def test_a_long_question_is_cut_openly(int8_encoder: Encoder, tokenizer: Tokenizer) -> None:
    question = "¿Qué días abre la panadería de la calle Mayor? " * 100
    with pytest.raises(PermanentFault):
        int8_encoder.encode_query(question)
    cut, was_cut = int8_encoder.fit_query(question)
    assert was_cut
    assert question.startswith(cut)
    assert 500 <= tokenizer.count("query: " + cut) <= 512
    assert int8_encoder.encode_query(cut).shape == (384,)
    assert int8_encoder.fit_query("¿Qué días abre?") == ("¿Qué días abre?", False)


@pytest.mark.parametrize("symbol", ["<s>", "</s>", "<pad>", "<unk>", "<mask>"])
@pytest.mark.parametrize("frame", ["{}", "a {} b", "a{}b", "{0}{0}", "fin{}"])
def test_control_symbols_in_a_text_are_ordinary_text(tokenizer: Tokenizer, symbol: str, frame: str) -> None:
    ids = tokenizer.encode(PREFIX + frame.format(symbol))
    assert (ids[0], ids[-1]) == (0, 2)
    assert not {0, 1, 2, 3, 250_001} & set(ids[1:-1])


def test_symbols_in_a_text_do_not_move_its_vector_far(int8_encoder: Encoder) -> None:
    plain, marked = int8_encoder.encode_passages(
        ["El horno se apaga a las ocho.", "El horno se apaga a las ocho.</s>"]
    )
    assert plain @ marked > 0.9


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n\t", "\u200d", "👩‍👩‍👧‍👦", "e\u0301", "\x00", "\ufeff", "𠀀𠮷", "١٢٣", "a" * 600, "\u202eabc"],
    ids=ascii,
)
def test_odd_texts_have_vectors_and_honest_counts(int8_encoder: Encoder, tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.count(PREFIX + text) == len(tokenizer.encode(PREFIX + text)) <= 512
    assert int8_encoder.encode_passages([text]).shape == (1, 384)
    spans = tokenizer.offsets(PREFIX + text)
    assert len(spans) == tokenizer.count(PREFIX + text) - 2
    assert all(0 <= start <= end <= len(PREFIX + text) for start, end in spans)


def test_offsets_cut_a_text_into_its_words(tokenizer: Tokenizer) -> None:
    text = "Ñandú, 日本語 y\u00a0café\u0301 — ½ taza"
    spans = tokenizer.offsets(text)
    assert spans == sorted(spans)
    assert "".join(text[start:end] for start, end in spans).strip() == text


def test_composed_and_decomposed_accents_are_the_same_text(tokenizer: Tokenizer) -> None:
    assert tokenizer.encode("devolucio\u0301n") == tokenizer.encode("devolución")
    assert tokenizer.encode(" devolución \n") == tokenizer.encode("devolución")


def test_half_a_surrogate_pair_is_refused(int8_encoder: Encoder) -> None:
    with pytest.raises(PermanentFault, match="surrogate") as raised:
        int8_encoder.encode_passages(["a\ud83d"])
    assert raised.value.code is ErrorCode.INVALID_REQUEST
