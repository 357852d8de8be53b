"""Tokens of language models, counted without a network."""

from __future__ import annotations

import subprocess
import sys

import pytest

from skillnet_common.errors import ErrorCode, PermanentFault
from skillnet_inference.budget import count_llm_tokens

TEXTS = ["", "¿Cuántos días hay para devolver?", "REF-2041-B | 10,50 €", "日本語 🥖", "a" * 5000, "line\n\n\tend"]


@pytest.mark.filterwarnings("ignore:open_binary:DeprecationWarning")
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
def test_counts_are_the_encodings(encoding: str) -> None:
    import bpe_openai

    reference = bpe_openai.get_encoding(encoding)
    assert [count_llm_tokens(text, encoding) for text in TEXTS] == [
        len(reference.encode_ordinary(text)) for text in TEXTS
    ]


def test_what_looks_like_a_special_token_is_text() -> None:
    assert count_llm_tokens("<|endoftext|>") > 1


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(PermanentFault, match="p50k_base") as raised:
        count_llm_tokens("text", "p50k_base")
    assert raised.value.code is ErrorCode.MISCONFIGURED


def test_counting_does_not_load_the_tables_of_the_python_part() -> None:
    program = (
        "import sys\n"
        "from skillnet_inference.budget import count_llm_tokens\n"
        "count_llm_tokens('hola')\n"
        "sys.exit('bpe_openai.registry' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
