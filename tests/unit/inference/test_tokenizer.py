"""Tokenizers read from tokenizer.json, and cutting to a window."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.tokenizer import JsonTokenizer, SentencePieceTokenizer, Tokenizer, cut_to_window

SPECIAL = ["<s>", "</s>", "<unk>"]


def added(token: int, content: str) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token, "content": content, "special": True, **flags}


def document(model: dict[str, Any], pre_tokenizer: dict[str, Any]) -> dict[str, Any]:
    template = {
        "type": "TemplateProcessing",
        "single": [
            {"SpecialToken": {"id": "<s>", "type_id": 0}},
            {"Sequence": {"id": "A", "type_id": 0}},
            {"SpecialToken": {"id": "</s>", "type_id": 0}},
        ],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {
            token: {"id": token, "ids": [SPECIAL.index(token)], "tokens": [token]} for token in ("<s>", "</s>")
        },
    }
    return {
        "version": "1.0",
        "truncation": {"max_length": 4, "strategy": "LongestFirst", "stride": 0, "direction": "Right"},
        "padding": None,
        "added_tokens": [added(token, content) for token, content in enumerate(SPECIAL)],
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": template,
        "decoder": None,
        "model": model,
    }


LETTERS = ["<", "s", ">", "/", "u", "n", "k", "▁", "a", "ab", "é"]


def unigram() -> dict[str, Any]:
    vocabulary = [[piece, 0.0] for piece in SPECIAL] + [[piece, -3.0] for piece in LETTERS]
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    return document({"type": "Unigram", "unk_id": 2, "vocab": vocabulary}, metaspace)


def word_piece() -> dict[str, Any]:
    pieces = [*SPECIAL, "<", "s", ">", "/", "unk", "a", "ab", "##c"]
    model = {
        "type": "WordPiece",
        "unk_token": "<unk>",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {piece: token for token, piece in enumerate(pieces)},
    }
    return document(model, {"type": "BertPreTokenizer"})


@pytest.fixture(params=[unigram, word_piece], ids=["unigram", "word piece"])
def tokenizer(request: pytest.FixtureRequest, tmp_path: Path) -> JsonTokenizer:
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(request.param()), "utf-8")
    return JsonTokenizer(file)


def test_special_tokens_surround_the_text(tokenizer: JsonTokenizer) -> None:
    ids = tokenizer.encode("ab a")
    assert (ids[0], ids[-1]) == (0, 1)
    assert tokenizer.count("ab a") == len(ids)
    assert tokenizer.special_tokens == 2
    assert tokenizer.encode("") == [0, 1]


@pytest.mark.parametrize("text", ["<s>", "a </s> a", "<s></s>", "a<s>a"])
def test_a_text_cannot_spell_a_special_token(tokenizer: JsonTokenizer, text: str) -> None:
    assert not {0, 1} & set(tokenizer.encode(text)[1:-1])


def test_truncation_of_the_file_is_switched_off(tokenizer: JsonTokenizer) -> None:
    assert tokenizer.count("a " * 50) >= 52


def test_offsets_are_characters_of_the_text(tokenizer: JsonTokenizer) -> None:
    text = "  ab a "
    spans = tokenizer.offsets(text)
    assert len(spans) == tokenizer.count(text) - 2
    assert spans == sorted(spans)
    assert {text[start:end].strip() for start, end in spans} >= {"ab", "a"}
    assert (spans[0][0], spans[-1][1]) == (2, 6)


def test_white_space_around_does_not_count(tokenizer: JsonTokenizer) -> None:
    assert tokenizer.encode("\n ab a\t ") == tokenizer.encode("ab a")


def test_half_a_character_is_refused(tokenizer: JsonTokenizer) -> None:
    with pytest.raises(PermanentFault, match="surrogate"):
        tokenizer.encode("a\ud800")


def test_a_long_text_is_cut_to_the_window(tokenizer: JsonTokenizer) -> None:
    cut, was_cut = cut_to_window(tokenizer, "ab " * 100, "a ", 12)
    assert was_cut
    assert cut != "ab " * 100
    assert ("ab " * 100).startswith(cut)
    assert 10 <= tokenizer.count("a " + cut) <= 12
    assert cut_to_window(tokenizer, "ab a", "a ", 12) == ("ab a", False)


def test_a_prefix_beyond_the_window_is_a_fault(tokenizer: JsonTokenizer) -> None:
    with pytest.raises(PermanentFault, match="prefix"):
        cut_to_window(tokenizer, "a", "ab " * 20, 8)


@pytest.mark.parametrize("kind", [JsonTokenizer, SentencePieceTokenizer])
@pytest.mark.parametrize("content", [None, "", "{}", "not a tokenizer"])
def test_an_unreadable_file_is_named(tmp_path: Path, kind: Callable[[Path], Tokenizer], content: str | None) -> None:
    file = tmp_path / "tokenizer.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(PermanentFault, match=r"tokenizer\.json") as raised:
        kind(file)
    assert raised.value.code is ErrorCode.MISCONFIGURED
